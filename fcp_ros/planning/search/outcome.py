# SPDX-License-Identifier: Apache-2.0
"""The answers of a search: plans on a flat task, and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.objective import Criterion, Objective


def step_below(value: float) -> float:
    """Return the budget for values that are less than a given one by more than rounding.

    It differs from the value however large that is: 10^12 has no neighbour at a distance of 1e-9.
    """
    return min(value - 2 * EPSILON, math.nextafter(value, -math.inf))


class SearchOutcome(Enum):
    """The reason why a search returned."""

    OPTIMAL = "optimal"
    """The plan is proven to be the best by the objective."""
    FOUND = "found"
    """A plan was found; whether it is the best was not settled."""
    EXHAUSTED = "exhausted"
    """There is no plan within the objective's budgets: proven."""
    PAUSED = "paused"
    """The allowance was used up; the search can go on."""
    OUT_OF_MEMORY = "out_of_memory"
    """The search may not keep more labels; what was found so far stands."""


@dataclass(frozen=True, slots=True)
class FlatPlan:
    """A plan on a flat task."""

    operators: tuple[int, ...]
    loss: float
    cost: float

    def value(self, criterion: Criterion) -> float:
        """Its loss or its cost."""
        return self.loss if criterion is Criterion.LOSS else self.cost

    def first(self, objective: Objective) -> float:
        """Its value in the criterion that decides."""
        return self.value(objective.order[0])

    def is_better(self, other: FlatPlan, objective: Objective) -> bool:
        """Return True if it has less of the first criterion in which the two plans differ.

        Of equal plans the one with fewer operators is better.
        """
        for criterion in objective.order:
            mine, theirs = self.value(criterion), other.value(criterion)
            if abs(mine - theirs) > EPSILON:
                return mine < theirs
        return len(self.operators) < len(other.operators)

    def is_within(self, objective: Objective) -> bool:
        """Return True if it keeps the budgets."""
        return (
            self.loss <= objective.loss_budget + EPSILON
            and self.cost <= objective.cost_budget + EPSILON
        )

    def tighten(self, objective: Objective) -> Objective:
        """Restrict an objective to plans that are better in the criterion that decides."""
        limit = step_below(self.first(objective))
        if objective.order[0] is Criterion.LOSS:
            return replace(objective, loss_budget=min(objective.loss_budget, limit))
        return replace(objective, cost_budget=min(objective.cost_budget, limit))


def make_plan(task: FlatTask, operators: tuple[int, ...], composition: Composition) -> FlatPlan:
    """Make a plan with the loss and cost that its operators have in a task, summed exactly."""
    losses = [float(task.loss[operator]) for operator in operators]
    maximum = composition is Composition.MAXIMUM
    return FlatPlan(
        operators,
        max(losses, default=0.0) if maximum else math.fsum(losses),
        math.fsum(float(task.cost[operator]) for operator in operators),
    )


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The state of a search."""

    outcome: SearchOutcome
    best: FlatPlan | None
    # lower bound of the first criterion of every plan not found yet (infinite if there is none
    # left)
    bound: float
    expanded: int
    generated: int  # successors made so far
    stored: int  # labels kept now
