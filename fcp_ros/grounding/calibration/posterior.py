# SPDX-License-Identifier: Apache-2.0
"""The calibrated degree of one context, and the forgetting of old outcomes.

With a prior degree d worth s outcomes, and observed qualities q_i of weights w_i,

    degree = (s * d + sum w_i q_i) / (s + sum w_i),

the mean of the beta-binomial posterior Beta(s d + sum w_i q_i, s (1 - d) + sum w_i (1 - q_i)). A
graded quality counts as that fraction of a success.

The number of outcomes that a prior is worth is the ratio of the spread of outcomes within a context
to the spread of the contexts' true rates about their priors: the credibility of Buehlmann and
Straub (1970). `estimate_strength` estimates both, each shrunk towards the setting. Where an oracle
says how far it may be off, a sure degree is worth more outcomes than a doubtful one.

*Forgetting.* Old outcomes count less: a robot with a new gripper must not be judged by the old one.
An outcome's weight halves with each `half_life` outcomes that came after it in the same context,
and with each `half_life_days` between it and the predicate's newest outcome. Age is not measured
against the clock, so that a degree changes only when something was observed. `DecayedSum` keeps the
sums with one multiplication an outcome; `Forgetting.weigh` computes the same for whole arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.calibration.pooled_map import Floats

WITHIN_PRIOR = 10.0
"""Weight of the prior on the spread within a context, in outcomes."""
BETWEEN_PRIOR = 5.0
"""Weight of the prior on the spread between contexts, in outcomes."""
RANGE = 4.0
"""The estimate stays within this factor of the setting. However right a model was so far, a few
failures of a thing that breaks must lower its degree: only then does the planner try another."""

EDGE = 0.05
"""Degrees are clipped to this distance from 0 and 1, where a symmetric error can't be right."""
TOLD = 0.5
"""The part of an oracle's own uncertainty that still counts when it was seen how far contexts are
from their degrees: an oracle that misjudges its uncertainty does bounded harm."""


def compute_posterior(
    prior: float,
    weight: float,
    total: float,
    strength: float,
    cap: float,
    centre: float | None = None,
) -> float:
    """Compute the calibrated degree.

    Args:
        prior: the oracle's degree, in [0, 1].
        weight: sum of the weights of the outcomes.
        total: sum of their weighted qualities.
        strength: number of outcomes that the prior is worth, > 0.
        cap: largest distance of the degree from `prior`.
        centre: the recalibrated prior, used in place of `prior`; None: the prior itself.
    """
    middle = prior if centre is None else centre
    posterior = (strength * middle + total) / (strength + weight)
    shift = min(max(posterior - prior, -cap), cap)
    return min(max(prior + shift, 0.0), 1.0)


def convert_uncertainty(degree: float, uncertainty: float, believed: float) -> float:
    """Convert the expected error of a degree into the number of outcomes that it is worth.

    A Beta distribution of strength s and mean d has the variance d (1 - d) / (s + 1).

    Args:
        degree: in [0, 1].
        uncertainty: standard deviation of its error, in [0, 1].
        believed: the setting; the result stays within a factor of `RANGE` of it.
    """
    inner = min(max(degree, EDGE), 1.0 - EDGE)
    least, most = believed / RANGE, believed * RANGE
    variance = inner * (1.0 - inner)
    if uncertainty**2 * (most + 1.0) <= variance:
        return most
    return max(variance / uncertainty**2 - 1.0, least)


def estimate_strength(
    believed: float, weight: Floats, expected: Floats, mean: Floats, scatter: Floats
) -> float:
    """Estimate the number of outcomes that a degree is worth from the contexts' distance to it.

    Args:
        believed: the setting; the estimate is shrunk towards it.
        weight: of the outcomes of each context, float64[c].
        expected: its recalibrated prior.
        mean: the mean quality observed.
        scatter: weighted sum of the squared distances of its qualities from that mean.
    """
    binary = _divide(np.sum(weight * expected * (1.0 - expected)), np.sum(weight), 0.25)
    freedom = float(np.sum(np.maximum(weight - 1.0, 0.0)))
    within = (WITHIN_PRIOR * binary + float(np.sum(scatter))) / (WITHIN_PRIOR + freedom)
    within = max(within, 1e-4)
    between_believed = within / believed
    # Contexts with many outcomes count no more than others for the spread between contexts.
    share = 1.0 / (1.0 + weight / believed)
    surplus = np.sum(share * (weight * (mean - expected) ** 2 - within))
    between = (BETWEEN_PRIOR * between_believed + float(surplus)) / (
        BETWEEN_PRIOR + float(np.sum(share * weight))
    )
    strength = within / max(between, within / (believed * RANGE))
    return float(np.clip(strength, believed / RANGE, believed * RANGE))


def _divide(above: float, below: float, otherwise: float) -> float:
    return float(above / below) if below > 0.0 else otherwise


SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The rates at which outcomes lose weight.

    Args:
        half_life: later outcomes after which an outcome counts half; 0 or infinity: never.
        half_life_days: the same in days; 0 or infinity: never.
    """

    half_life: float
    half_life_days: float = 0.0

    def decay_by_outcomes(self, weight: float) -> float:
        """Compute the factor left of an outcome after later ones of this total weight."""
        return math.pow(2.0, -weight * _to_rate(self.half_life))

    def decay_by_age(self, seconds: float) -> float:
        """Compute the factor left of an outcome this much older than the newest one."""
        if not self.half_life_days:  # the usual case, on the path of every judgement
            return 1.0
        return math.pow(2.0, -max(seconds, 0.0) / SECONDS_A_DAY * _to_rate(self.half_life_days))

    def weigh(self, weight: Floats, stamp: Floats) -> Floats:
        """Compute the weights left of a row of outcomes, the oldest first.

        Args:
            weight: of each outcome when it was observed.
            stamp: time of observation, s.
        """
        if not len(weight):
            return weight
        later = np.cumsum(weight[::-1])[::-1] - weight
        days = (stamp.max() - stamp) / SECONDS_A_DAY
        halvings = later * _to_rate(self.half_life) + days * _to_rate(self.half_life_days)
        return np.asarray(weight * np.exp2(-halvings), dtype=np.float64)


def _to_rate(half_life: float) -> float:
    return 1.0 / half_life if 0.0 < half_life < math.inf else 0.0


@dataclass(slots=True)
class DecayedSum:
    """The outcomes of one context, summed up.

    Attributes:
        count: number of outcomes.
        weight: sum of their weights, decayed to `stamp`.
        total: sum of their weighted qualities, decayed likewise.
        stamp: of the newest outcome, s.
    """

    count: int = 0
    weight: float = 0.0
    total: float = 0.0
    stamp: float = -math.inf

    def add(self, quality: float, weight: float, stamp: float, forgetting: Forgetting) -> None:
        """Add the next outcome."""
        self.count += 1
        faded = forgetting.decay_by_outcomes(weight)
        if stamp >= self.stamp:
            if self.count > 1:
                faded *= forgetting.decay_by_age(stamp - self.stamp)
            self.stamp = stamp
        else:  # its report came late
            weight *= forgetting.decay_by_age(self.stamp - stamp)
        self.weight = self.weight * faded + weight
        self.total = self.total * faded + weight * quality
