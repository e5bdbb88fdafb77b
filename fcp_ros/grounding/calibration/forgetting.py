# SPDX-License-Identifier: Apache-2.0
"""Old outcomes count less: a robot with a new gripper must not be judged by the old one.

An outcome's weight halves with each `half_life` outcomes that came after it in the same context,
and with each `half_life_days` between it and the predicate's newest outcome. Age is not measured
against the clock, so that a degree changes only when something was observed.

The sums are kept up by one multiplication an outcome; `weights` is the same for whole arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats

SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Forgetting:
    """How fast.

    Args:
        half_life: outcomes after which an outcome counts half; 0 or infinity: never.
        half_life_days: the same in days; 0 or infinity: never.
    """

    half_life: float
    half_life_days: float = 0.0

    def by_later(self, weight: float) -> float:
        """What is left of an outcome after later ones that weigh this much together."""
        return math.pow(2.0, -weight * _rate(self.half_life))

    def by_age(self, seconds: float) -> float:
        """What is left of an outcome that is older than the newest one by this much."""
        if not self.half_life_days:  # the usual case; asked for each judgement
            return 1.0
        return math.pow(2.0, -max(seconds, 0.0) / SECONDS_A_DAY * _rate(self.half_life_days))

    def weights(self, weight: Floats, stamp: Floats) -> Floats:
        """The weights that are left of a row of outcomes, the oldest first.

        Args:
            weight: what each outcome weighed when it was observed.
            stamp: when that was, s.
        """
        if not len(weight):
            return weight
        later = np.cumsum(weight[::-1])[::-1] - weight
        days = (stamp.max() - stamp) / SECONDS_A_DAY
        halvings = later * _rate(self.half_life) + days * _rate(self.half_life_days)
        return np.asarray(weight * np.exp2(-halvings), dtype=np.float64)


def _rate(half_life: float) -> float:
    return 1.0 / half_life if 0.0 < half_life < math.inf else 0.0


@dataclass(slots=True)
class DecayedSum:
    """The outcomes of one context, summed up.

    Attributes:
        count: outcomes, each counted whole.
        weight: what is left of their weights at `stamp`.
        total: the same of their qualities.
        stamp: of the newest of them, s.
    """

    count: int = 0
    weight: float = 0.0
    total: float = 0.0
    stamp: float = -math.inf

    def add(self, quality: float, weight: float, stamp: float, forgetting: Forgetting) -> None:
        """Take in the next outcome."""
        self.count += 1
        faded = forgetting.by_later(weight)
        if stamp >= self.stamp:
            if self.count > 1:
                faded *= forgetting.by_age(stamp - self.stamp)
            self.stamp = stamp
        else:  # its report came late
            weight *= forgetting.by_age(self.stamp - stamp)
        self.weight = self.weight * faded + weight
        self.total = self.total * faded + weight * quality
