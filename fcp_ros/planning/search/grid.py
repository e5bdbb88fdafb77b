# SPDX-License-Identifier: Apache-2.0
"""Losses and costs as whole numbers, so that sums are exact.

Sums of floats depend on their order in the last bits, and a tie between two paths would be broken
by nothing but that. So each criterion is scaled by a power of ten and rounded; the numbers stay
float64, whose whole numbers are exact up to 2^53. Decimal losses such as 0.05 lose nothing at all;
others are off by at most half a unit a step, far below `fcp_ros.fuzzy.EPSILON`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask, Floats
from fcp_ros.planning.search.objective import Criterion, Objective

EXACT = 2.0**53
"""Whole numbers up to this one are exact in float64."""
STEPS = 20_000
"""So many of the worst steps must add up exactly."""
FINEST = 11
"""Digits after the point at most."""


@dataclass(frozen=True)
class Grid:
    """One criterion on its grid.

    Attributes:
        weight: of each operator, whole numbers, float64[m].
        scale: units for 1.
        maximum: whether the largest counts instead of the sum.
        budget: the largest sum (or maximum) that is allowed, in units; may be infinite.
    """

    weight: Floats
    scale: float
    maximum: bool
    budget: float

    def value(self, units: float) -> float:
        """Units as a number of the criterion."""
        return units / self.scale


def grid(task: FlatTask, objective: Objective, criterion: Criterion) -> Grid:
    """A criterion of an objective on its grid."""
    loss = criterion is Criterion.LOSS
    values = task.loss if loss else task.cost
    budget = objective.loss_budget if loss else objective.cost_budget
    worst = max(1e-6, float(values.max(initial=0.0)))
    digits = min(FINEST, math.floor(math.log10(EXACT / (STEPS * worst))))
    scale = 10.0**digits
    return Grid(
        np.rint(values * scale),
        scale,
        loss and objective.composition is Composition.MAXIMUM,
        float(math.floor((budget + EPSILON) * scale)) if math.isfinite(budget) else math.inf,
    )


def composed(values: Floats, operators: tuple[int, ...], maximum: bool) -> float:
    """Loss or cost of a sequence of operators, from their exact numbers."""
    numbers = [float(values[operator]) for operator in operators]
    return max(numbers, default=0.0) if maximum else math.fsum(numbers)
