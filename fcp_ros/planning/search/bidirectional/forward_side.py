# SPDX-License-Identifier: Apache-2.0
"""The forward direction: states that are reached, and what was lost and used on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fcp_ros.planning.flat.task import FlatTask, variables
from fcp_ros.planning.search.bidirectional.index import PatternIndex, StateTable
from fcp_ros.planning.search.bidirectional.labels import Frontier, Reached
from fcp_ros.planning.search.bidirectional.operators import Operator, successor
from fcp_ros.planning.search.bidirectional.pattern import Pattern, holds
from fcp_ros.planning.search.bidirectional.resources import Resources
from fcp_ros.planning.search.bidirectional.scale import Scale

Promising = Callable[[float, float], bool]
"""Whether a half with that loss and cost may belong to a plan that is still wanted."""


class ForwardSide:
    """The labels of the forward direction.

    Args:
        task: what is searched.
        operators: its operators.
        scale: composes losses and costs.
        resources: what operators take.
    """

    def __init__(
        self, task: FlatTask, operators: Sequence[Operator], scale: Scale, resources: Resources
    ) -> None:
        self._operators = operators
        self._scale = scale
        self._resources = resources
        self._applicable = PatternIndex()
        for number, operator in enumerate(operators):
            if operator.needs is not None:
                self._applicable.add(number, operator.needs)
        self._table = StateTable(variables(task))
        self._labels: dict[tuple[int, ...], list[Reached]] = {}
        self.frontier: Frontier[Reached] = Frontier()
        self.start = Reached(
            0, 0, scale.key(0, 0), -1, tuple(task.initial.tolist()), resources.initial, None
        )

    def after(
        self, label: Reached, promising: Promising, check: Callable[[], None]
    ) -> Iterator[Reached]:
        """The labels that one more operator makes; `check` is called for each operator."""
        for number in self._applicable.in_state(label.state):
            check()
            operator = self._operators[number]
            if operator.needs is None or not holds(operator.needs, label.state):
                continue
            amounts = self._resources.after(label.amounts, number)
            loss = self._scale.composed(label.loss, self._scale.loss[number])
            cost = label.cost + self._scale.cost[number]
            if amounts is not None and promising(loss, cost):
                state = successor(operator, label.state)
                key = self._scale.key(loss, cost)
                yield Reached(loss, cost, key, number, state, amounts, label)

    def keep(self, label: Reached) -> bool:
        """Keep a label, and drop those that it makes needless; False where it is itself."""
        others = self._labels.get(label.state)
        if others is None:
            others = self._labels[label.state] = []
            self._table.add(label.state)
        if any(self._serves(other, label) for other in others):
            return False
        needless = [other for other in others if self._serves(label, other)]
        for other in needless:
            others.remove(other)
        self.frontier.drop(needless)
        others.append(label)
        return True

    def matching(self, pattern: Pattern) -> Iterator[Reached]:
        """The labels whose state a pattern holds in."""
        for state in self._table.matching(pattern):
            yield from self._labels[self._table.states[state]]

    def _serves(self, label: Reached, instead: Reached) -> bool:
        """Whether a label makes another one in the same state needless."""
        return self._scale.no_worse(label, instead) and self._resources.as_good(
            label.amounts, instead.amounts
        )
