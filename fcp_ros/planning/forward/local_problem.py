# SPDX-License-Identifier: Apache-2.0
"""A local task with its heuristics and its index of operators, shared by all searches in it."""

from __future__ import annotations

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.forward.bounds import RemainingMembership, ResourceBound, remaining_membership
from fcp_ros.planning.forward.heuristic import INFINITY, Estimate, FastForward
from fcp_ros.planning.forward.local_task import LocalTask
from fcp_ros.planning.forward.relaxed import RelaxedTask

DIGITS = 9
"""Bounds are rounded so: differences below `EPSILON` are no reason to prefer anything."""


class LocalProblem:
    """A local task with what every search in it needs.

    Arguments:
        local: the task.
        task: the whole task behind it.
        tnorm: how degrees compose.
    """

    def __init__(self, local: LocalTask, task: Task, tnorm: TNorm) -> None:
        degrees = [operator.degree for operator in local.operators]
        self.local = local
        self.tnorm = tnorm
        self.goal_degree = local.alternative.degree
        relaxed = RelaxedTask(local, task)
        self.forward = FastForward(relaxed, degrees)
        self.remaining: RemainingMembership = remaining_membership(relaxed, degrees, tnorm)
        self.resource_bound = ResourceBound(local, relaxed)
        self._by_bit: dict[int, list[int]] = {}
        self._always: list[int] = []
        self._index_operators()
        self._estimates: dict[int, Estimate] = {}
        self._remaining: dict[int, float | None] = {}
        self.first = self.forward.estimate(local.initial)
        self.upper_bound = self._first_bound()

    @property
    def reachable(self) -> bool:
        """False when even the relaxation does not reach the goal."""
        return self.upper_bound is not None

    def applicable(self, state: int) -> list[int]:
        """Numbers of the operators that may be applied in a state (resources aside)."""
        operators = self.local.operators
        candidates = list(self._always)
        rest = state
        while rest:
            lowest = rest & -rest
            candidates.extend(self._by_bit.get(lowest, ()))
            rest ^= lowest
        return [number for number in candidates if operators[number].applicable(state)]

    def estimate(self, state: int) -> Estimate:
        """Estimated number of steps from a state, and helpful operators."""
        found = self._estimates.get(state)
        if found is None:
            found = self._estimates[state] = self.forward.estimate(state)
        return found

    def bound(self, state: int, membership: float) -> float | None:
        """Upper bound of the membership of any plan on from a label; None where there is none."""
        if state not in self._remaining:
            self._remaining[state] = self.remaining.at(state)
        remaining = self._remaining[state]
        if remaining is None:
            return None
        compose = self.tnorm.compose
        return round(compose(compose(membership, remaining), self.goal_degree), DIGITS)

    def _first_bound(self) -> float | None:
        if not self.local.possible or self.first.steps == INFINITY:
            return None
        if not self.resource_bound.suffices(self.local.initial, self.local.initial_resources):
            return None
        return self.bound(self.local.initial, 1.0)

    def _index_operators(self) -> None:
        """Each operator is looked up by the one of its conditions that fewest operators have."""
        count: dict[int, int] = {}
        single = [_single_bits(operator.pre) for operator in self.local.operators]
        for bits in single:
            for bit in bits:
                count[bit] = count.get(bit, 0) + 1
        for number, bits in enumerate(single):
            if bits:
                self._by_bit.setdefault(min(bits, key=lambda b: (count[b], b)), []).append(number)
            else:
                self._always.append(number)


def _single_bits(mask: int) -> list[int]:
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest)
        mask ^= lowest
    return found
