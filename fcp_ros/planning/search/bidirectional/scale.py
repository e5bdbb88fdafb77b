# SPDX-License-Identifier: Apache-2.0
"""Losses and costs as whole numbers: sums do not depend on their order, and ties are ties."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.halves import WORST, HalfPlan, Key
from fcp_ros.planning.search.objective import Criterion, Objective

PER_WHOLE = 10**12
UNIT = 1.0 / PER_WHOLE
"""Losses and costs are counted in this unit: a thousand steps err by less than `EPSILON`."""


class Scale:
    """Composes and compares the losses and costs of one task under one objective."""

    def __init__(self, task: FlatTask, objective: Objective) -> None:
        self._sum = objective.composition is Composition.SUM
        self._loss_first = objective.order[0] is Criterion.LOSS
        self.loss = [round(loss / UNIT) for loss in task.loss.tolist()]
        self.cost = [count_units(cost) for cost in task.cost.tolist()]
        self.loss_budget = _to_units(objective.loss_budget)
        self.cost_budget = _to_units(objective.cost_budget)
        self._total = self._is_total()

    def compose(self, a: float, b: float) -> float:
        """Compose the losses of two halves."""
        return a + b if self._sum else max(a, b)

    def rules_out(self, bound: Key, key: Key) -> bool:
        """Return True if a lower bound with rounding errors rules out plans better than `key`.

        Criteria that differ by no more than `EPSILON` are equal here.
        """
        slack = EPSILON / UNIT
        if abs(bound[0] - key[0]) <= slack:
            return bound[1] >= key[1] - slack
        return bound[0] > key[0]

    def room(self, loss: float) -> float:
        """The requirement, as a loss: the largest that may come before a half of `loss`.

        It is negative if even a crisp start would be too much: infeasible, and never clipped.
        """
        if self._sum or loss > self.loss_budget:
            return self.loss_budget - loss
        return self.loss_budget

    def key(self, loss: float, cost: float) -> Key:
        """The criteria in the objective's order."""
        return (loss, cost) if self._loss_first else (cost, loss)

    def key_of(self, operators: Iterable[int]) -> Key:
        """The key of a sequence of operators."""
        loss: float = 0
        cost: float = 0
        for operator in operators:
            loss = self.compose(loss, self.loss[operator])
            cost += self.cost[operator]
        return self.key(loss, cost)

    def is_no_worse(self, half: HalfPlan, other: HalfPlan) -> bool:
        """Return True if a half is as good as another one in the loss and cost of its plans."""
        if self._total:
            return half.key <= other.key
        return half.loss <= other.loss and half.cost <= other.cost

    def combine_bounds(self, forward: Key, backward: Key) -> Key:
        """The lower bound of plans with a forward half and a backward half of these keys."""
        if WORST in (forward, backward):
            return WORST
        if self._loss_first and not self._sum:
            worst = max(forward[0], backward[0])
            return worst, sum(cost for loss, cost in (forward, backward) if loss == worst)
        if self._loss_first:
            return forward[0] + backward[0], forward[1] + backward[1]
        return forward[0] + backward[0], self.compose(forward[1], backward[1])

    def _is_total(self) -> bool:
        """Return True if the order of keys is all that counts, resources aside.

        It is if it agrees with composition and budgets bound the first criterion only. Else a half
        is dropped only for one that is as good in both criteria.
        """
        if self._loss_first:
            return self._sum and self.cost_budget == math.inf
        return self.loss_budget == math.inf


def count_units(cost: float) -> float:
    """Count the units of a cost; exact for whole numbers, however large."""
    if math.isinf(cost):
        return cost
    return int(cost) * PER_WHOLE if cost.is_integer() else round(cost / UNIT)


def _to_units(budget: float) -> float:
    if math.isinf(budget):
        return math.inf
    return math.floor((Fraction(budget) + Fraction(EPSILON)) * PER_WHOLE)
