# SPDX-License-Identifier: Apache-2.0
"""How good degrees were: Brier score and expected calibration error against what was observed.

*Brier score*: mean squared distance of degree and quality (Brier 1950). Degrees that are exactly
right still have one, the outcomes' own spread. *Expected calibration error* (ECE; Guo et al. 2017):
degrees in ten bins of equal width, in each the distance of mean degree and mean quality, weighted
by the bin's share. It is above 0 by chance, too; `ece_by_chance` says how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats, sums

BINS = 10
HIGH_ERROR = 0.1
"""An ECE that is above that by chance by this much is high ..."""
LEAST_OUTCOMES = 50
"""... where there are this many outcomes."""


@dataclass(frozen=True, slots=True)
class Score:
    """Brier score and expected calibration error of some degrees."""

    brier: float
    ece: float
    ece_by_chance: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How good a model's degrees for a predicate were, each scored before its outcome was known.

    Args:
        predicate: the graded predicate.
        model: the model.
        outcomes: how many there were whose degree before and after calibration is known.
        before: score of the oracle's degrees.
        after: score of the calibrated degrees, as they stood then.
        lately: the same of the last outcomes only (`LATELY`).
    """

    predicate: str
    model: str
    outcomes: int
    before: Score
    after: Score
    lately: Score

    @property
    def is_poor(self) -> bool:
        """Whether the calibration error is high: the last degrees were no probabilities."""
        return (
            self.outcomes >= LEAST_OUTCOMES
            and self.lately.ece > self.lately.ece_by_chance + HIGH_ERROR
        )

    def __str__(self) -> str:
        return (
            f"the degrees of {self.predicate} ({self.model}) miss what happens by "
            f"{self.lately.ece:.2f} on the average"
        )


LATELY = 200
"""Outcomes that `Reliability.lately` looks back."""


def score(degree: Floats, quality: Floats, weight: Floats | None = None) -> Score:
    """The scores of degrees against qualities, both float64[n] in [0, 1]; n >= 1."""
    weight = np.ones(len(degree)) if weight is None else weight
    total = float(weight.sum()) or 1.0
    bin_ = np.minimum((degree * BINS).astype(np.int64), BINS - 1)
    gap = np.abs(sums(bin_, weight * (degree - quality), BINS))
    chance = sums(bin_, weight**2 * degree * (1.0 - degree), BINS)
    return Score(
        brier=float(np.sum(weight * (degree - quality) ** 2)) / total,
        ece=float(gap.sum()) / total,
        # The mean of |x| for a normal x is its standard deviation times sqrt(2 / pi).
        ece_by_chance=float(np.sqrt(2.0 / np.pi) * np.sqrt(chance).sum()) / total,
    )
