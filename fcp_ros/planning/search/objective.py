# SPDX-License-Identifier: Apache-2.0
"""The objective of a search: two criteria in order, budgets, and criteria as whole numbers.

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
from dataclasses import dataclass
from enum import Enum

import numpy as np

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask, Floats

EXACT = 2.0**53
"""Whole numbers up to this one are exact in float64."""
STEPS = 20_000
"""The sum of this many of the worst steps must be exact."""
FINEST = 11
"""Digits after the point at most."""


class Criterion(Enum):
    """A number that a plan should have little of."""

    LOSS = "loss"
    """Composed loss of the steps, in the t-norm's scale."""
    COST = "cost"
    """Sum of the secondary costs: steps, duration or cost."""


@dataclass(frozen=True, slots=True)
class Objective:
    """The criteria of a plan in order, and their budgets.

    Attributes:
        order: the first criterion decides, ties go to the second one.
        composition: the composition of losses.
        loss_budget: plans with more loss than this are no solutions (the alpha-cut).
        cost_budget: plans that cost more than this are no solutions.
    """

    order: tuple[Criterion, Criterion] = (Criterion.LOSS, Criterion.COST)
    composition: Composition = Composition.SUM
    loss_budget: float = math.inf
    cost_budget: float = math.inf


@dataclass(frozen=True)
class Grid:
    """One criterion on its grid.

    Attributes:
        weight: of each operator, whole numbers, float64[m].
        scale: units per 1 of the criterion.
        maximum: True if the largest weight counts instead of the sum.
        budget: the largest sum (or maximum) allowed, in units; may be infinite.
    """

    weight: Floats
    scale: float
    maximum: bool
    budget: float

    def from_units(self, units: float) -> float:
        """Units as a number of the criterion."""
        return units / self.scale


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
