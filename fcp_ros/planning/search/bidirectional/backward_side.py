# SPDX-License-Identifier: Apache-2.0
"""The backward direction: partial states from which the goal is reached, and their requirements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.forward_side import Promising
from fcp_ros.planning.search.bidirectional.index import PatternIndex
from fcp_ros.planning.search.bidirectional.labels import Frontier, Needed
from fcp_ros.planning.search.bidirectional.operators import Operator, goal_of
from fcp_ros.planning.search.bidirectional.pattern import Pattern, holds, implies
from fcp_ros.planning.search.bidirectional.regression import Regression
from fcp_ros.planning.search.bidirectional.resources import Resources, contains
from fcp_ros.planning.search.bidirectional.scale import Scale


class BackwardSide:
    """The labels of the backward direction.

    Args:
        task: what is searched.
        operators: its operators.
        scale: composes losses and costs.
        resources: what operators take.
    """

    def __init__(
        self, task: FlatTask, operators: Sequence[Operator], scale: Scale, resources: Resources
    ) -> None:
        self._scale = scale
        self._resources = resources
        self._regression = Regression(task, operators)
        self._index = PatternIndex()
        self._numbers: dict[Pattern, int] = {}
        self._patterns: list[Pattern] = []
        self._labels: list[list[Needed]] = []
        self._pumps = frozenset(resources.pumps)
        self.frontier: Frontier[Needed] = Frontier()
        goal = goal_of(task)
        self.goal = None if goal is None else self._label(0, 0, -1, goal, resources.anything, None)
        """The half without operators; None where the goal contradicts itself."""

    def before(
        self, label: Needed, promising: Promising, check: Callable[[], None]
    ) -> Iterator[Needed]:
        """The labels that one more operator in front makes; `check` is called for each operator.

        None has an infeasible requirement, which `promising` refuses.
        """
        for number in sorted(self._regression.achievers(label.pattern) | self._pumps):
            check()
            intervals = self._resources.before(label.intervals, number)
            loss = self._scale.composed(label.loss, self._scale.loss[number])
            cost = label.cost + self._scale.cost[number]
            if intervals is None or not promising(loss, cost):
                continue
            idle = number in self._pumps
            for pattern in self._regression.before(label.pattern, number, idle=idle):
                yield self._label(loss, cost, number, pattern, intervals, label)

    def keep(self, label: Needed) -> bool:
        """Keep a label, and drop those that it makes needless; False where it is itself."""
        for number in self._index.implied_by(label.pattern):
            if implies(label.pattern, self._patterns[number]) and any(
                self._serves(other, label) for other in self._labels[number]
            ):
                return False
        number = self._numbers.setdefault(label.pattern, len(self._labels))
        if number == len(self._labels):
            self._labels.append([])
            self._patterns.append(label.pattern)
            self._index.add(number, label.pattern)
        others = self._labels[number]
        needless = [other for other in others if self._serves(label, other)]
        for other in needless:
            others.remove(other)
        self.frontier.drop(needless)
        others.append(label)
        return True

    def matching(self, state: Sequence[int]) -> Iterator[Needed]:
        """The labels whose pattern holds in a state."""
        for number in self._index.in_state(state):
            if holds(self._patterns[number], state):
                yield from self._labels[number]

    def _label(
        self,
        loss: float,
        cost: float,
        operator: int,
        pattern: Pattern,
        intervals: tuple[tuple[float, float], ...],
        parent: Needed | None,
    ) -> Needed:
        key, room = self._scale.key(loss, cost), self._scale.room(loss)
        return Needed(loss, cost, key, operator, pattern, intervals, room, parent)

    def _serves(self, label: Needed, instead: Needed) -> bool:
        """Whether a label makes another one needless whose pattern implies its own."""
        return self._scale.no_worse(label, instead) and contains(label.intervals, instead.intervals)
