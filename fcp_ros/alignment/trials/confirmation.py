# SPDX-License-Identifier: Apache-2.0
"""Outcomes that are seen again before anything is learned from them.

A robot drops things by chance. A wrong name fails every time. And a simulator that answers at
random succeeds now and then. So the same actions are tried again until the farthest action that
they came to has failed several times, or until a success is credible by what all runs say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log

from fcp_ros.alignment.trials.reliability import ReliabilityLog
from fcp_ros.alignment.trials.simulator import GroundAction, Observation, Simulator, is_exact

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
    """A simulator whose outcomes are confirmed, unless it is exact (a `Simulator`).

    Args:
        simulator: where actions are tried.
        check: called before an action is tried again; may raise to stop.
    """

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
