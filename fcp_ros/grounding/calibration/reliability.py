# SPDX-License-Identifier: Apache-2.0
"""Scores of past degrees: Brier score and expected calibration error against the outcomes.

*Brier score*: mean squared distance of degree and quality (Brier 1950). Perfect degrees still have
one, the outcomes' own spread. *Expected calibration error* (ECE; Guo et al. 2017): degrees in ten
bins of equal width; in each the distance of mean degree and mean quality, weighted by the bin's
share. It is above 0 even by chance; `ece_by_chance` estimates by how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.calibration.pooled_map import Floats, sum_groups

BINS = 10
HIGH_ERROR = 0.1  # An ECE that exceeds the one by chance by more than this is high
LEAST_OUTCOMES = 50  # ... if there are at least this many outcomes.
LATELY = 200  # Number of outcomes in `Reliability.lately`


@dataclass(frozen=True, slots=True)
class CalibrationScore:
    """Brier score and expected calibration error of some degrees."""

    brier: float
    ece: float
    ece_by_chance: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """Scores of a model's degrees for a predicate, each as it stood before its outcome."""

    predicate: str
    model: str
    outcomes: int  # number of outcomes whose degrees before and after calibration are known
    before: CalibrationScore
    after: CalibrationScore
    lately: CalibrationScore  # score of the calibrated degrees of the last `LATELY` outcomes

    @property
    def is_poor(self) -> bool:
        """True if the calibration error is high: the last degrees were no probabilities."""
        return (
            self.outcomes >= LEAST_OUTCOMES
            and self.lately.ece > self.lately.ece_by_chance + HIGH_ERROR
        )

    def __str__(self) -> str:
        return (
            f"the degrees of {self.predicate} ({self.model}) miss what happens by "
            f"{self.lately.ece:.2f} on the average"
        )


def compute_score(
    degree: Floats, quality: Floats, weight: Floats | None = None
) -> CalibrationScore:
    """Score degrees against qualities, both float64[n] in [0, 1]; n >= 1."""
    weight = np.ones(len(degree)) if weight is None else weight
    total = float(weight.sum()) or 1.0
    bin_ = np.minimum((degree * BINS).astype(np.int64), BINS - 1)
    gap = np.abs(sum_groups(bin_, weight * (degree - quality), BINS))
    chance = sum_groups(bin_, weight**2 * degree * (1.0 - degree), BINS)
    return CalibrationScore(
        brier=float(np.sum(weight * (degree - quality) ** 2)) / total,
        ece=float(gap.sum()) / total,
        # The mean of |x| for a normal x is its standard deviation times sqrt(2 / pi).
        ece_by_chance=float(np.sqrt(2.0 / np.pi) * np.sqrt(chance).sum()) / total,
    )
