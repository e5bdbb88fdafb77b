# SPDX-License-Identifier: Apache-2.0
"""All outcomes that relied on one model's degrees for one predicate, and what they teach together.

The fit says what a degree of this model means (`pooled_map.py`), how many outcomes it is worth
(`beta_binomial.py`) and what similar contexts say (`neighbourhood.py`). It is made anew when an
outcome has come, from the last `KEPT` ones at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats, Ints, sums
from fcp_ros.grounding.calibration.beta_binomial import estimated_strength
from fcp_ros.grounding.calibration.drift import DriftDetector
from fcp_ros.grounding.calibration.evidence import Evidence
from fcp_ros.grounding.calibration.forgetting import Forgetting
from fcp_ros.grounding.calibration.neighbourhood import Groups, Neighbourhood, fit_neighbourhood
from fcp_ros.grounding.calibration.pooled_map import (
    IDENTITY,
    PooledMap,
    design_weights,
    fit_pooled_map,
    growth,
)
from fcp_ros.grounding.calibration.reliability import LATELY, Reliability, score
from fcp_ros.grounding.protocol.options import CalibrationOptions

KEPT = 4096
"""Older outcomes than these many teach nothing about the model any more."""
_PRIOR, _QUALITY, _WEIGHT, _STAMP, _DEGREE, _CONTEXT, _NUMBER, _SHARE = range(8)
_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class PoolFit:
    """What the outcomes of a predicate and model teach about a context without its own.

    Attributes:
        map: what a degree of this model means.
        strength: how many outcomes such a degree is worth.
        neighbourhood: what similar contexts say.
        outcomes: on how many outcomes it rests.
    """

    map: PooledMap
    strength: float
    neighbourhood: Neighbourhood | None
    outcomes: int

    def centre(self, prior: float, groups: Groups, context_key: str) -> float:
        """The degree of a context before its own outcomes are looked at."""
        degree = self.map.at(prior)
        if self.neighbourhood is not None:
            degree += self.neighbourhood.shift(groups, context_key)
        return min(max(degree, 0.0), 1.0)


class Pool:
    """The outcomes, and the fit to them.

    Args:
        options: how much they are believed.
    """

    def __init__(self, options: CalibrationOptions) -> None:
        self._options = options
        self._forgetting = Forgetting(options.pooled_half_life, options.half_life_days)
        self._rows = np.empty((64, _COLUMNS))
        self._count = 0
        self._fit: PoolFit | None = None
        self.groups = Groups()
        self.detector = DriftDetector(options.drift_threshold)

    def add(self, evidence: Evidence) -> int | None:
        """Take in the next outcome; its prior must be known.

        Returns:
            where it raises an alarm, the number of the outcome that the change began with.
        """
        if self._count == len(self._rows):
            self._make_room()
        degree = math.nan if evidence.degree is None else evidence.degree
        context = self.groups.number(evidence.context_key)
        self._rows[self._count] = (
            evidence.prior,
            evidence.quality,
            evidence.weight,
            evidence.stamp,
            degree,
            context,
            evidence.id,
            evidence.weight,
        )
        self._count += 1
        self._fit = None
        if evidence.degree is None:
            return None
        return self.detector.add(
            evidence.degree, evidence.quality, evidence.weight, evidence.stamp, evidence.id
        )

    def fade_before(self, number: int, kept: float) -> None:
        """Let a share of the weight be left of outcomes before this one: the world has changed."""
        rows = self._rows[: self._count]
        rows[rows[:, _NUMBER] < number, _WEIGHT] *= kept
        self._fit = None

    @property
    def fit(self) -> PoolFit:
        """What the outcomes teach."""
        if self._fit is None:
            self._fit = fit_pool(self.groups, self._columns(), self._options, self._forgetting)
        return self._fit

    def reliability(self, predicate: str, model: str) -> Reliability | None:
        """How good the degrees were; None where those at the time are not known."""
        rows = self._columns()
        rows = rows[:, ~np.isnan(rows[_DEGREE])]
        prior, quality, degree, weight = rows[[_PRIOR, _QUALITY, _DEGREE, _SHARE]]
        if not weight.sum() > 0.0:
            return None
        return Reliability(
            predicate,
            model,
            len(prior),
            before=score(prior, quality, weight),
            after=score(degree, quality, weight),
            lately=score(degree[-LATELY:], quality[-LATELY:], weight[-LATELY:]),
        )

    def _columns(self) -> Floats:
        """The outcomes that are kept, the oldest first, float64[8, n]."""
        kept: Floats = self._rows[max(self._count - KEPT, 0) : self._count].T
        return kept

    def _make_room(self) -> None:
        kept = self._rows[max(self._count - KEPT, 0) : self._count]
        rows = np.empty((2 * len(kept), _COLUMNS))
        rows[: len(kept)] = kept
        self._rows, self._count = rows, len(kept)


def fit_pool(
    groups: Groups, rows: Floats, options: CalibrationOptions, forgetting: Forgetting
) -> PoolFit:
    """What outcomes teach.

    Args:
        groups: the contexts by number.
        rows: of each outcome its prior, quality, weight left, stamp, degree, context, number and
            weight at first, float64[8, n].
        options: how much they are believed.
        forgetting: of older ones.
    """
    prior, quality = rows[_PRIOR], rows[_QUALITY]
    weight = forgetting.weights(rows[_WEIGHT], rows[_STAMP])
    context = rows[_CONTEXT].astype(np.int64)
    pooled, strength = IDENTITY, options.strength
    if options.pooled:
        pooled = fit_pooled_map(prior, quality, design_weights(weight, context, strength))
        strength = _strength(pooled, prior, quality, weight, context, options.strength)
        if strength > options.strength:  # contexts differ little, so each outcome says more
            pooled = fit_pooled_map(prior, quality, design_weights(weight, context, strength))
    total, expected, mean = _by_context(pooled, prior, quality, weight, context, groups)
    neighbourhood = None
    if options.neighbours > 0.0:
        counted = total / (1.0 + np.maximum(total - 1.0, 0.0) / (1.0 + strength))
        residual = np.where(counted > 0.0, mean - expected, 0.0)
        neighbourhood = fit_neighbourhood(groups, counted, residual, strength, options.neighbours)
    return PoolFit(pooled, strength, neighbourhood, len(prior))


def _strength(
    pooled: PooledMap,
    prior: Floats,
    quality: Floats,
    weight: Floats,
    context: Ints,
    believed: float,
) -> float:
    """How many outcomes a recalibrated degree is worth; as set while there is little evidence."""
    blend = growth(pooled.outcomes)
    if blend == 0.0:
        return believed
    total, expected, mean = _by_context(pooled, prior, quality, weight, context)
    scatter = sums(context, weight * (quality - mean[context]) ** 2)
    seen = total > 0.0
    found = estimated_strength(believed, total[seen], expected[seen], mean[seen], scatter[seen])
    return float(believed ** (1.0 - blend) * found**blend)


def _by_context(
    pooled: PooledMap,
    prior: Floats,
    quality: Floats,
    weight: Floats,
    context: Ints,
    groups: Groups | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Weight, mean recalibrated prior and mean quality of each context."""
    size = len(groups.twins) if groups is not None else 0
    total = sums(context, weight, size)
    above_zero = np.maximum(total, 1e-12)
    expected = sums(context, weight * pooled.of(prior), size) / above_zero
    return total, expected, sums(context, weight * quality, size) / above_zero
