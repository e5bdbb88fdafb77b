# SPDX-License-Identifier: Apache-2.0
"""What a search answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.search.objective import Criterion, Objective


class Outcome(Enum):
    """Why a search returned."""

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
    """A plan on a flat task: operators in order, composed loss, sum of costs."""

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
        """Whether it has less than another plan of the first criterion in which they differ."""
        for criterion in objective.order:
            mine, theirs = self.value(criterion), other.value(criterion)
            if abs(mine - theirs) > EPSILON:
                return mine < theirs
        return False

    def beaten(self, objective: Objective) -> Objective:
        """The same objective, for plans that are better in the criterion that decides."""
        limit = self.first(objective) - 2 * EPSILON
        if objective.order[0] is Criterion.LOSS:
            return replace(objective, loss_budget=min(objective.loss_budget, limit))
        return replace(objective, cost_budget=min(objective.cost_budget, limit))


@dataclass(frozen=True, slots=True)
class SearchReport:
    """How far a search has come.

    Attributes:
        outcome: why it returned.
        best: the best plan found so far; None without any.
        bound: lower bound of the first criterion for every plan not found yet (infinite when there
            is none left).
        expanded: states expanded so far.
        generated: successors made so far.
        stored: labels kept now.
    """

    outcome: Outcome
    best: FlatPlan | None
    bound: float
    expanded: int
    generated: int
    stored: int
