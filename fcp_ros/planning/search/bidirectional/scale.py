# SPDX-License-Identifier: Apache-2.0
"""Losses and costs as whole numbers, so that sums don't depend on their order and ties are ties."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.labels import WORST, Key, Label
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan

UNIT = 1e-12
"""Losses and costs are counted in these: a thousand steps err by less than `EPSILON`."""


class Scale:
    """Composes and compares the losses and costs of one task under one objective.

    Args:
        task: gives the loss and cost of each operator.
        objective: what is optimised.
    """

    def __init__(self, task: FlatTask, objective: Objective) -> None:
        self._task = task
        self._objective = objective
        self._sum = objective.composition is Composition.SUM
        self._loss_first = objective.order[0] is Criterion.LOSS
        self.loss = [round(loss / UNIT) for loss in task.loss.tolist()]
        self.cost = [round(cost / UNIT) for cost in task.cost.tolist()]
        self.loss_budget = _whole(objective.loss_budget)
        self.cost_budget = _whole(objective.cost_budget)
        self._total = self._is_total()

    def composed(self, a: float, b: float) -> float:
        """The loss of doing both."""
        return a + b if self._sum else max(a, b)

    def no_better(self, bound: Key, key: Key) -> bool:
        """Whether a lower bound that has rounding errors rules out what is better than `key`.

        Criteria that differ by no more than `EPSILON` are equal here.
        """
        slack = EPSILON / UNIT
        if abs(bound[0] - key[0]) <= slack:
            return bound[1] >= key[1] - slack
        return bound[0] > key[0]

    def room(self, loss: float) -> float:
        """The requirement, as a loss: the largest that may come before one of `loss`.

        It is negative where even a crisp start would be too much: infeasible, and never clipped.
        """
        if self._sum or loss > self.loss_budget:
            return self.loss_budget - loss
        return self.loss_budget

    def key(self, loss: float, cost: float) -> Key:
        """The criteria in the objective's order."""
        return (loss, cost) if self._loss_first else (cost, loss)

    def no_worse(self, label: Label, other: Label) -> bool:
        """Whether a label is as good as another one, in what its plans will lose and cost."""
        if self._total:
            return label.key <= other.key
        return label.loss <= other.loss and label.cost <= other.cost

    def bound(self, forward: Key, backward: Key) -> Key:
        """What no plan falls short of that has a part of each key, one before the other."""
        if WORST in (forward, backward):
            return WORST
        if self._loss_first and not self._sum:
            worst = max(forward[0], backward[0])
            return worst, sum(cost for loss, cost in (forward, backward) if loss == worst)
        if self._loss_first:
            return forward[0] + backward[0], forward[1] + backward[1]
        return forward[0] + backward[0], self.composed(forward[1], backward[1])

    def plan(self, steps: Iterable[int]) -> FlatPlan:
        """A plan with its loss and cost in the task's own numbers."""
        found = tuple(steps)
        losses = [float(self._task.loss[step]) for step in found]
        loss = math.fsum(losses) if self._sum else max(losses, default=0.0)
        return FlatPlan(found, loss, math.fsum(float(self._task.cost[step]) for step in found))

    def _is_total(self) -> bool:
        """Whether the order of keys is all that counts, resources aside.

        It is where it agrees with composition, and budgets bound the first criterion only. Else a
        label is dropped only for one that is as good in both criteria.
        """
        if self._loss_first:
            return self._sum and self.cost_budget == math.inf
        return self.loss_budget == math.inf


def _whole(budget: float) -> float:
    return math.inf if math.isinf(budget) else math.floor((budget + EPSILON) / UNIT)
