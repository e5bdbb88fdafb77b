# SPDX-License-Identifier: Apache-2.0
"""The odds that a simulator is a world with mishaps, and not one that answers at random.

Both are models of how far a run of n actions comes: 0 to n of them, or the goal as well.

- With mishaps, a plan works, or one of its actions is impossible and fails every time. Up to there
  each action fails by chance at the same small rate in all plans.
- At random, each of the n + 2 outcomes is as likely as any other.

A single run says little, since it fits both. Runs of the same actions that agree speak for the
first, and failures at many places for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, lgamma, log

from fcp_ros.alignment.simulator import GroundAction, Observation, Simulator, is_exact

_FAILS, _SUCCEEDS = 1.0, 9.0
"""Rate of mishaps before any run: a beta distribution with the mean 0.1, as if one mishap and nine
good actions had been seen. A robot that fails more often is hard to tell from one that acts at
random, unless its plans are short."""
_MOST_MISHAPS, _FEW = 0.2, 8
"""Share of actions that may fail by chance, once there are more mishaps than a few."""
_WORKS = 0.5
"""Probability that a plan works, before any run; else any of its actions may be impossible."""


class ReliabilityLog:
    """Counts the runs of all plans.

    A run is the number of steps that succeeded. The goal is the last step, so a plan of n actions
    has n + 1 steps.
    """

    def __init__(self) -> None:
        self._passed = self._mishaps = 0
        self._others = 0.0

    def add(self, steps: int, runs: Sequence[int]) -> None:
        """Remember the runs of a plan.

        `steps`: of the plan, the goal included. `runs`: steps that succeeded in each.
        """
        self._passed += sum(runs)
        self._mishaps += _count_mishaps(runs)
        self._others += _weigh_outcomes(steps, runs)

    def weigh(self, steps: int, runs: Sequence[int]) -> float:
        """Return the log odds of mishaps against chance, by what is remembered and more runs.

        They are minus infinity where there are too many mishaps, at random or not. `steps`: of one
        more plan, the goal included. `runs`: steps that succeeded in each run of it.
        """
        mishaps = self._mishaps + _count_mishaps(runs)
        passed = self._passed + sum(runs)
        if mishaps >= _FEW and mishaps > _MOST_MISHAPS * (passed + mishaps):
            return -inf
        rates = _log_beta(_FAILS + mishaps, _SUCCEEDS + passed) - _log_beta(_FAILS, _SUCCEEDS)
        return rates + self._others + _weigh_outcomes(steps, runs)


def _count_mishaps(runs: Sequence[int]) -> int:
    """Count the runs that failed where another one went on."""
    return sum(run < max(runs) for run in runs)


def _weigh_outcomes(steps: int, runs: Sequence[int]) -> float:
    """Return the part of the log odds that does not depend on the rate of mishaps."""
    farthest = _WORKS if max(runs) == steps else (1.0 - _WORKS) / steps
    return log(farthest) + len(runs) * log(steps + 1)


def _log_beta(first: float, second: float) -> float:
    return lgamma(first) + lgamma(second) - lgamma(first + second)


CONFIRMATIONS = 3
"""Failures of one action that count as one. An action that fails by chance once in ten times is
taken for an impossible one in one of a thousand plans."""
MOST_RUNS = 32
"""Runs of one plan before the simulator is called unreliable. With 11 actions that fail by chance
once in ten times each, 94 % of plans that work are believed by then, after 10.2 runs on average (of
2,000); where all is random, 1.5 %."""
_CREDIBLE = log(4.0)
"""Log odds from which a success counts: two successes in a row, or more after mishaps."""
_RANDOM = -log(100.0)
"""Log odds below which the simulator is called unreliable at once."""


class ConfirmingSimulator:
    """A simulator whose outcomes are confirmed, unless it is exact (a `Simulator`)."""

    def __init__(self, simulator: Simulator, check: Callable[[], None]) -> None:
        self._simulator = simulator
        self._check = check
        self._log = ReliabilityLog()
        self.is_exact = is_exact(simulator)

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions until it is credible that they succeed, or where they fail."""
        if self.is_exact:
            return self._simulator.run(actions)
        steps = len(actions) + 1
        runs = [self._simulator.run(actions)]
        while self._is_open(steps, runs):
            self._check()
            runs.append(self._simulator.run(actions))
        best = max(runs, key=_count_steps)
        counted = [_count_steps(one) for one in runs]
        same = counted.count(max(counted))
        odds = self._log.weigh(steps, counted)
        self._log.add(steps, counted)
        is_scattered = odds <= _RANDOM or not _is_settled(steps, counted, odds)
        return replace(best, repeats=same, stumbles=len(runs) - same, is_scattered=is_scattered)

    def _is_open(self, steps: int, runs: Sequence[Observation]) -> bool:
        """Return True if another run may tell more."""
        counted = [_count_steps(one) for one in runs]
        odds = self._log.weigh(steps, counted)
        return len(runs) < MOST_RUNS and odds > _RANDOM and not _is_settled(steps, counted, odds)


def _is_settled(steps: int, counted: Sequence[int], odds: float) -> bool:
    """Return True if runs of the same actions say what becomes of them."""
    if max(counted) == steps:
        return odds >= _CREDIBLE
    return counted.count(max(counted)) >= CONFIRMATIONS


def _count_steps(seen: Observation) -> int:
    """Count the actions that succeeded, and the goal."""
    return seen.done + seen.reached
