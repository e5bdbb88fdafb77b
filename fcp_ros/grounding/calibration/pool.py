# SPDX-License-Identifier: Apache-2.0
"""All outcomes that relied on one model's degrees for one predicate, and the fit to them.

The fit has three parts: the meaning of this model's degrees (`pooled_map.py`), the number of
outcomes that they are worth (`posterior.py`), and the influence of similar contexts
(`neighbourhood.py`). It is computed again after each new outcome, from at most the last `KEPT`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.calibration.drift import DriftDetector
from fcp_ros.grounding.calibration.neighbourhood import (
    ContextGroups,
    Neighbourhood,
    fit_neighbourhood,
)
from fcp_ros.grounding.calibration.pooled_map import (
    IDENTITY,
    PooledMap,
    compute_blend,
    compute_design_weights,
    fit_pooled_map,
)
from fcp_ros.grounding.calibration.posterior import Forgetting, estimate_strength
from fcp_ros.grounding.calibration.regression import Floats, Ints, sum_groups
from fcp_ros.grounding.calibration.reliability import LATELY, Reliability, compute_score
from fcp_ros.grounding.calibration.store import Evidence
from fcp_ros.grounding.protocol.options import CalibrationOptions

KEPT = 4096
"""Number of the newest outcomes that the fit uses."""
_PRIOR, _QUALITY, _WEIGHT, _STAMP, _DEGREE, _CONTEXT, _NUMBER, _SHARE = range(8)
_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class PoolFit:
    """The fit to the outcomes of a predicate and model, for contexts without outcomes.

    Attributes:
        map: recalibration of the model's degrees.
        strength: number of outcomes that a recalibrated degree is worth.
        neighbourhood: influence of similar contexts; None if it is switched off.
        outcomes: number of outcomes of the fit.
    """

    map: PooledMap
    strength: float
    neighbourhood: Neighbourhood | None
    outcomes: int

    def compute_centre(self, prior: float, groups: ContextGroups, context_key: str) -> float:
        """Compute the degree of a context without its own outcomes."""
        degree = self.map.apply(prior)
        if self.neighbourhood is not None:
            degree += self.neighbourhood.compute_shift(groups, context_key)
        return min(max(degree, 0.0), 1.0)


class Pool:
    """The outcomes of a predicate and model, and the fit to them.

    Args:
        options: weight of the outcomes.
    """

    def __init__(self, options: CalibrationOptions) -> None:
        self._options = options
        self._forgetting = Forgetting(options.pooled_half_life, options.half_life_days)
        self._rows = np.empty((64, _COLUMNS))
        self._count = 0
        self._fit: PoolFit | None = None
        self.groups = ContextGroups()
        self.detector = DriftDetector(options.drift_threshold)

    def add(self, evidence: Evidence) -> int | None:
        """Add the next outcome; its prior must be known.

        Returns:
            The number of the first outcome of a change if this one raises an alarm, else None.
        """
        if self._count == len(self._rows):
            self._make_room()
        degree = math.nan if evidence.degree is None else evidence.degree
        context = self.groups.add(evidence.context_key)
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
        """Reduce the weight of the outcomes before this one, with which the world changed."""
        rows = self._rows[: self._count]
        rows[rows[:, _NUMBER] < number, _WEIGHT] *= kept
        self._fit = None

    @property
    def fit(self) -> PoolFit:
        """The fit to the outcomes, computed on demand."""
        if self._fit is None:
            self._fit = fit_pool(self.groups, self._columns(), self._options, self._forgetting)
        return self._fit

    def score_degrees(self, predicate: str, model: str) -> Reliability | None:
        """Score the past degrees; None if none of them is known."""
        rows = self._columns()
        rows = rows[:, ~np.isnan(rows[_DEGREE])]
        prior, quality, degree, weight = rows[[_PRIOR, _QUALITY, _DEGREE, _SHARE]]
        if not weight.sum() > 0.0:
            return None
        return Reliability(
            predicate,
            model,
            len(prior),
            before=compute_score(prior, quality, weight),
            after=compute_score(degree, quality, weight),
            lately=compute_score(degree[-LATELY:], quality[-LATELY:], weight[-LATELY:]),
        )

    def _columns(self) -> Floats:
        """Return the outcomes of the fit, the oldest first, float64[8, n]."""
        kept: Floats = self._rows[max(self._count - KEPT, 0) : self._count].T
        return kept

    def _make_room(self) -> None:
        # Doubling keeps the cost of `add` constant on average; at most 2 * KEPT rows are allocated.
        kept = self._rows[max(self._count - KEPT, 0) : self._count]
        rows = np.empty((2 * len(kept), _COLUMNS))
        rows[: len(kept)] = kept
        self._rows, self._count = rows, len(kept)


def fit_pool(
    groups: ContextGroups, rows: Floats, options: CalibrationOptions, forgetting: Forgetting
) -> PoolFit:
    """Fit the outcomes of a predicate and model.

    Args:
        groups: the contexts by number.
        rows: prior, quality, present weight, stamp, degree, context, number and initial weight of
            each outcome, float64[8, n].
        options: weight of the outcomes.
        forgetting: of older outcomes.
    """
    prior, quality = rows[_PRIOR], rows[_QUALITY]
    weight = forgetting.weigh(rows[_WEIGHT], rows[_STAMP])
    context = rows[_CONTEXT].astype(np.int64)
    pooled, strength = IDENTITY, options.strength
    if options.pooled:
        pooled = fit_pooled_map(prior, quality, compute_design_weights(weight, context, strength))
        strength = _estimate_strength(pooled, prior, quality, weight, context, options.strength)
        if strength > options.strength:  # contexts differ little: outcomes of one context say more
            pooled = fit_pooled_map(
                prior, quality, compute_design_weights(weight, context, strength)
            )
    total, expected, mean = _average_contexts(pooled, prior, quality, weight, context, groups)
    neighbourhood = None
    if options.neighbours > 0.0:
        counted = total / (1.0 + np.maximum(total - 1.0, 0.0) / (1.0 + strength))
        residual = np.where(counted > 0.0, mean - expected, 0.0)
        neighbourhood = fit_neighbourhood(groups, counted, residual, strength, options.neighbours)
    return PoolFit(pooled, strength, neighbourhood, len(prior))


def _estimate_strength(
    pooled: PooledMap,
    prior: Floats,
    quality: Floats,
    weight: Floats,
    context: Ints,
    believed: float,
) -> float:
    """Estimate the outcomes that a recalibrated degree is worth; blended in from the setting."""
    blend = compute_blend(pooled.outcomes)
    if blend == 0.0:
        return believed
    total, expected, mean = _average_contexts(pooled, prior, quality, weight, context)
    scatter = sum_groups(context, weight * (quality - mean[context]) ** 2)
    seen = total > 0.0
    found = estimate_strength(believed, total[seen], expected[seen], mean[seen], scatter[seen])
    return float(believed ** (1.0 - blend) * found**blend)


def _average_contexts(
    pooled: PooledMap,
    prior: Floats,
    quality: Floats,
    weight: Floats,
    context: Ints,
    groups: ContextGroups | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute weight, mean recalibrated prior and mean quality of each context."""
    size = len(groups.twins) if groups is not None else 0
    total = sum_groups(context, weight, size)
    above_zero = np.maximum(total, 1e-12)
    expected = sum_groups(context, weight * pooled.apply_to_array(prior), size) / above_zero
    return total, expected, sum_groups(context, weight * quality, size) / above_zero
