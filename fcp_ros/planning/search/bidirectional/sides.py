# SPDX-License-Identifier: Apache-2.0
"""The labels of each direction: forward states with their losses, partial states with requirements.

On both sides, a label is dropped if another one is at least as good: no worse in loss and cost,
with resources that allow as much, in the same state (or in a partial state that contains its own).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fcp_ros.planning.flat.task import FlatTask, count_variables
from fcp_ros.planning.search.bidirectional.halves import BackwardHalf, ForwardHalf, Frontier
from fcp_ros.planning.search.bidirectional.operators import (
    MaskedOperator,
    apply_operator,
    read_goal,
)
from fcp_ros.planning.search.bidirectional.partial_state import (
    PartialState,
    PartialStateIndex,
    StateTable,
    holds,
    implies,
)
from fcp_ros.planning.search.bidirectional.regression import Regression
from fcp_ros.planning.search.bidirectional.resources import Interval, Resources, contains
from fcp_ros.planning.search.bidirectional.scale import Scale

PromisingTest = Callable[[float, float], bool]
"""True if a half with that loss and cost may belong to a plan that is still wanted."""


class ForwardSide:
    """The forward direction: reached states, with the losses and resources on the way."""

    def __init__(
        self,
        task: FlatTask,
        operators: Sequence[MaskedOperator],
        scale: Scale,
        resources: Resources,
    ) -> None:
        self._operators = operators
        self._scale = scale
        self._resources = resources
        self._applicable = PartialStateIndex()
        for number, operator in enumerate(operators):
            if operator.needs is not None:
                self._applicable.add(number, operator.needs)
        self._table = StateTable(count_variables(task))
        self._halves: dict[tuple[int, ...], list[ForwardHalf]] = {}
        self.frontier: Frontier[ForwardHalf] = Frontier()
        self.start = ForwardHalf(
            0, 0, scale.key(0, 0), -1, tuple(task.initial.tolist()), resources.initial, None
        )

    def expand(
        self, half: ForwardHalf, is_promising: PromisingTest, check: Callable[[], None]
    ) -> Iterator[ForwardHalf]:
        """Yield the halves with one more operator; `check` is called for each operator."""
        for number in self._applicable.find_in_state(half.state):
            check()
            operator = self._operators[number]
            if operator.needs is None or not holds(operator.needs, half.state):
                continue
            amounts = self._resources.after(half.amounts, number)
            loss = self._scale.compose(half.loss, self._scale.loss[number])
            cost = half.cost + self._scale.cost[number]
            if amounts is not None and is_promising(loss, cost):
                state = apply_operator(operator, half.state)
                key = self._scale.key(loss, cost)
                yield ForwardHalf(loss, cost, key, number, state, amounts, half)

    def keep(self, half: ForwardHalf) -> bool:
        """Keep a half and drop those that it dominates; return False if it is dominated itself."""
        others = self._halves.get(half.state)
        if others is None:
            others = self._halves[half.state] = []
            self._table.add(half.state)
        if any(self._dominates(other, half) for other in others):
            return False
        needless = [other for other in others if self._dominates(half, other)]
        for other in needless:
            others.remove(other)
        self.frontier.drop(needless)
        others.append(half)
        return True

    def find_matching(self, partial: PartialState) -> Iterator[ForwardHalf]:
        """Find the halves whose state belongs to a partial state."""
        for state in self._table.find_matching(partial):
            yield from self._halves[self._table.states[state]]

    def _dominates(self, half: ForwardHalf, other: ForwardHalf) -> bool:
        """Return True if a half makes another one in the same state needless."""
        return self._scale.is_no_worse(half, other) and self._resources.is_as_good(
            half.amounts, other.amounts
        )


class BackwardSide:
    """The backward direction: partial states that lead to the goal, and their requirements."""

    def __init__(
        self,
        task: FlatTask,
        operators: Sequence[MaskedOperator],
        scale: Scale,
        resources: Resources,
    ) -> None:
        self._scale = scale
        self._resources = resources
        self._regression = Regression(task, operators)
        self._index = PartialStateIndex()
        self._numbers: dict[PartialState, int] = {}
        self._partial_states: list[PartialState] = []
        self._halves: list[list[BackwardHalf]] = []
        self._pumps = frozenset(resources.pumps)
        self.frontier: Frontier[BackwardHalf] = Frontier()
        goal = read_goal(task)
        self.goal = None if goal is None else self._make(0, 0, -1, goal, resources.anything, None)
        """The half without operators; None if the goal contradicts itself."""

    def expand(
        self, half: BackwardHalf, is_promising: PromisingTest, check: Callable[[], None]
    ) -> Iterator[BackwardHalf]:
        """Yield the halves with one more operator in front; `check` is called for each operator.

        None has an infeasible requirement, which `is_promising` refuses.
        """
        achievers = self._regression.find_achievers(half.partial_state)
        for number in sorted(achievers | self._pumps):
            check()
            intervals = self._resources.before(half.intervals, number)
            loss = self._scale.compose(half.loss, self._scale.loss[number])
            cost = half.cost + self._scale.cost[number]
            if intervals is None or not is_promising(loss, cost):
                continue
            idle = number in self._pumps
            for partial in self._regression.regress(half.partial_state, number, idle=idle):
                yield self._make(loss, cost, number, partial, intervals, half)

    def keep(self, half: BackwardHalf) -> bool:
        """Keep a half and drop those that it dominates; return False if it is dominated itself."""
        for number in self._index.find_implied(half.partial_state):
            if implies(half.partial_state, self._partial_states[number]) and any(
                self._dominates(other, half) for other in self._halves[number]
            ):
                return False
        number = self._numbers.setdefault(half.partial_state, len(self._halves))
        if number == len(self._halves):
            self._halves.append([])
            self._partial_states.append(half.partial_state)
            self._index.add(number, half.partial_state)
        others = self._halves[number]
        needless = [other for other in others if self._dominates(half, other)]
        for other in needless:
            others.remove(other)
        self.frontier.drop(needless)
        others.append(half)
        return True

    def find_matching(self, state: Sequence[int]) -> Iterator[BackwardHalf]:
        """Find the halves whose partial state a state belongs to."""
        for number in self._index.find_in_state(state):
            if holds(self._partial_states[number], state):
                yield from self._halves[number]

    def _make(
        self,
        loss: float,
        cost: float,
        operator: int,
        partial: PartialState,
        intervals: tuple[Interval, ...],
        parent: BackwardHalf | None,
    ) -> BackwardHalf:
        key, room = self._scale.key(loss, cost), self._scale.room(loss)
        return BackwardHalf(loss, cost, key, operator, partial, intervals, room, parent)

    def _dominates(self, half: BackwardHalf, other: BackwardHalf) -> bool:
        """Return True if a half makes another one needless whose partial state implies its own."""
        return self._scale.is_no_worse(half, other) and contains(half.intervals, other.intervals)
