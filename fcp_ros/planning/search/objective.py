# SPDX-License-Identifier: Apache-2.0
"""What a search optimises: two criteria in order, and a budget for the loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from fcp_ros.fuzzy import Composition


class Criterion(Enum):
    """A number that a plan should have little of."""

    LOSS = "loss"
    """Composed loss of the steps, in the t-norm's scale."""
    COST = "cost"
    """Sum of the secondary costs: steps, duration or cost."""


@dataclass(frozen=True, slots=True)
class Objective:
    """What is optimised.

    Attributes:
        order: the first criterion decides, ties go to the second one.
        composition: how losses compose.
        loss_budget: plans with more loss than this are no solutions (the alpha-cut).
        cost_budget: plans that cost more than this are no solutions.
    """

    order: tuple[Criterion, Criterion] = (Criterion.LOSS, Criterion.COST)
    composition: Composition = Composition.SUM
    loss_budget: float = math.inf
    cost_budget: float = math.inf
