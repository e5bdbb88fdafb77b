# SPDX-License-Identifier: Apache-2.0
"""The objective of a search and its answers: two criteria in order, budgets, plans and reports.

Sums of floats depend on their order in the last bits, and a tie between two paths would be broken
by nothing but that. So the kernels count each criterion on a `Grid`: scaled by a power of ten and
rounded. The numbers stay float64, whose whole numbers are exact up to 2^53. Costs that are whole
numbers (steps, units of cost) are taken as they are, without any tolerance: sums beyond 2^53 are
rounded, but never to a number below it. Decimal losses such as
0.05 lose nothing at all; others are off by at most half a unit per step, far below
`fcp_ros.fuzzy.EPSILON`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import EXACT, FlatTask, Floats

STEPS = 20_000
"""The sum of this many of the worst steps must be exact."""
FINEST = 11
"""Digits after the point at most."""
FRACTIONS = 2.0**20
"""Steps that together count less than one unit of a refined criterion, at most."""


class Criterion(Enum):
    """A number that a plan should have little of."""

    LOSS = "loss"
    """Composed loss of the steps, in the t-norm's scale."""
    COST = "cost"
    """Sum of the secondary costs: steps, duration or cost."""


@dataclass(frozen=True, slots=True)
class Objective:
    """The criteria of a plan in order, and their budgets."""

    order: tuple[Criterion, Criterion] = (Criterion.LOSS, Criterion.COST)
    composition: Composition = Composition.SUM
    loss_budget: float = math.inf  # plans with more loss than this are no solutions (the alpha-cut)
    cost_budget: float = math.inf  # plans that cost more than this are no solutions


@dataclass(frozen=True)
class Grid:
    """One criterion on its grid."""

    weight: Floats  # of each operator, whole numbers, float64[m]
    scale: float  # units per 1 of the criterion
    maximum: bool  # True if the largest weight counts instead of the sum
    budget: float  # the largest sum (or maximum) allowed, in units; may be infinite
    # units that one unit of a refined criterion has (see `refine`); 1 for others
    fractions: float = 1.0

    def from_units(self, units: float) -> float:
        """Units as a number of the criterion; steps in a refined one are left out."""
        if self.fractions > 1.0 and math.isfinite(units):
            units = self.fractions * math.floor(units / self.fractions)
        return units / self.scale

    def tells_apart(self, units: Floats) -> bool:
        """Return True if steps never made a whole unit on any path of a search.

        Args:
            units: of all labels. The paths to them are among them, so that one which had as many
                steps as a unit has fractions has come by one with half as many.
        """
        return self.fractions == 1.0 or bool((units % self.fractions < self.fractions / 2).all())


def refine(grid: Grid) -> Grid:
    """Count steps in fractions of a unit, so that they decide where the criterion does not.

    Where steps cost nothing, every estimate is 0 all over the place, and nothing leads anywhere; a
    fraction for each step does (Richter and Westphal, "The LAMA planner", 2010, section 5.1, where
    it is a whole unit and competes with the costs).

    Returns:
        The grid as it is unless it is of whole numbers that leave room for that.
    """
    worst = max(1.0, float(grid.weight.max(initial=0.0)))
    fractions = min(FRACTIONS, float(math.floor(EXACT / (STEPS * (worst + 1.0)))))
    if grid.scale != 1.0 or grid.maximum or fractions < STEPS:
        return grid
    weight = grid.weight * fractions + 1.0
    budget = (grid.budget + 1.0) * fractions - 1.0
    return Grid(weight, fractions, False, budget, fractions)


def build_grid(task: FlatTask, objective: Objective, criterion: Criterion) -> Grid:
    """Put a criterion of an objective on its grid."""
    loss = criterion is Criterion.LOSS
    values = task.loss if loss else task.cost
    budget = objective.loss_budget if loss else objective.cost_budget
    if not loss and bool((values == np.rint(values)).all()):
        limit = float(math.floor(budget)) if math.isfinite(budget) else math.inf
        return Grid(values, 1.0, False, limit)
    worst = max(1e-6, float(values.max(initial=0.0)))
    digits = min(FINEST, math.floor(math.log10(EXACT / (STEPS * worst))))
    scale = 10.0**digits
    return Grid(
        np.rint(values * scale),
        scale,
        loss and objective.composition is Composition.MAXIMUM,
        float(math.floor((budget + EPSILON) * scale)) if math.isfinite(budget) else math.inf,
    )


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
