# SPDX-License-Identifier: Apache-2.0
"""Failures that are seen again before anything is learned from them.

A robot drops things by chance. A wrong name fails every time. So the same actions are tried again
until they succeed, or until the farthest action that they came to has failed several times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fcp_ros.alignment.trials.simulator import GroundAction, Observation, Simulator, is_exact

CONFIRMATIONS = 3
"""Failures of one action that count as one. An action that fails by chance once in ten times is
taken for an impossible one in one of a thousand plans."""
MOST_RUNS = 8
"""Runs of one plan before the simulator is called unreliable."""
_MOST_STUMBLING, _FEW_STUMBLES = 0.2, 4
"""Share of actions that may fail by chance, once there are more such failures than a few."""


class ConfirmingSimulator:
    """A simulator whose failures are confirmed, unless it is exact (a `Simulator`).

    Args:
        simulator: where actions are tried.
        check: called before an action is tried again; may raise to stop.
    """

    def __init__(self, simulator: Simulator, check: Callable[[], None]) -> None:
        self._simulator = simulator
        self._check = check
        self._succeeded = self._stumbles = 0
        self.is_exact = is_exact(simulator)

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions until they succeed, or one of them has failed often enough."""
        if self.is_exact:
            return self._simulator.run(actions)
        runs = [self._simulator.run(actions)]
        while not _is_settled(runs) and len(runs) < MOST_RUNS:
            self._check()
            runs.append(self._simulator.run(actions))
        best = max(runs, key=_rank)
        failures = 0 if best.reached else sum(one.done == best.done for one in runs)
        stumbles = len(runs) - max(failures, 1)
        self._succeeded += sum(one.done for one in runs)
        self._stumbles += stumbles
        is_scattered = not _is_settled(runs) or self._is_random()
        return replace(best, failures=failures, stumbles=stumbles, is_scattered=is_scattered)

    def _is_random(self) -> bool:
        """Return True if too many actions failed that can succeed."""
        tried = self._succeeded + self._stumbles
        return self._stumbles >= _FEW_STUMBLES and self._stumbles > _MOST_STUMBLING * tried


def _rank(seen: Observation) -> tuple[bool, int]:
    return seen.reached, seen.done


def _is_settled(runs: Sequence[Observation]) -> bool:
    """Return True if runs of the same actions say what becomes of them."""
    best = max(runs, key=_rank)
    return best.reached or sum(one.done == best.done for one in runs) >= CONFIRMATIONS
