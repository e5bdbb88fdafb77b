# SPDX-License-Identifier: Apache-2.0
"""All outcomes that relied on one model's degrees, by predicate, and the fit to them.

The fit of a predicate has three parts: the meaning of this model's degrees (`pooled_map.py`), the
number of outcomes that they are worth (`posterior.py`), and the influence of similar contexts
(`posterior.py`). It is computed again after each new outcome, from at most the last `KEPT`.
The other predicates of the model have a say in the first part only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fcp_ros.grounding.calibration.drift import DriftDetector
from fcp_ros.grounding.calibration.pooled_map import (
    IDENTITY,
    Floats,
    Ints,
    MapEvidence,
    MapPrior,
    PooledMap,
    compute_blend,
    compute_design_weights,
    fit_pooled_map,
    measure_evidence,
    pool_predicates,
    sum_groups,
)
from fcp_ros.grounding.calibration.posterior import (
    TOLD,
    ContextGroups,
    Forgetting,
    Neighbourhood,
    convert_uncertainty,
    estimate_broken,
    estimate_strength,
    fit_neighbourhood,
)
from fcp_ros.grounding.calibration.reliability import LATELY, Reliability, compute_score
from fcp_ros.grounding.calibration.store import Evidence
from fcp_ros.grounding.options import CalibrationOptions

KEPT = 4096  # Number of the newest outcomes that the fit uses
LEARNT = 100  # Outcomes from which on what was learnt from them can become wrong
FEW, ENOUGH = 10.0, 30.0
"""Outcomes, counted with the design effect, from which on the strength is estimated."""
PERSISTENCE = 8.0
"""Until it is seen how far contexts differ, the number of outcomes that a degree is worth is taken
to be this many times lower than the setting when those of one context are counted: one thing that
fails again and again is at most 1.5 opinions about the model. A posterior that sums over that
number (0.1 to 16, equally likely on a log scale) moves other contexts as much, within 0.03."""
ALONE = pool_predicates([])  # The belief about a map where the model judged nothing else
_PRIOR, _QUALITY, _WEIGHT, _STAMP, _DEGREE, _CONTEXT, _NUMBER, _SHARE = range(8)
_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class PoolFit:
    """The fit to the outcomes of a predicate and model, for contexts without outcomes."""

    map: PooledMap  # recalibration of the model's degrees
    strength: float  # number of outcomes that a recalibrated degree is worth
    broken: float  # share of failures that is due to things that never work
    # strength and share for each context with outcomes, by what was seen of the others
    own: tuple[tuple[float, float], ...]
    groups: ContextGroups
    neighbourhood: Neighbourhood | None  # influence of similar contexts; None if it is switched off
    outcomes: int

    def find_own(self, context_key: str) -> tuple[float, float]:
        """Find strength and share of things that never work for a context."""
        number = self.groups.find(context_key)[0]
        return self.own[number] if number >= 0 and self.own else (self.strength, self.broken)

    def compute_strength(
        self, strength: float, degree: float, uncertainty: float | None, believed: float
    ) -> float:
        """Compute the number of outcomes that the degree of one context is worth.

        `strength`: by what was seen; `uncertainty`: by what the oracle says.
        """
        if uncertainty is None:
            return strength
        told = convert_uncertainty(degree, uncertainty, believed)
        seen = (1.0 - TOLD) * compute_blend(self.map.outcomes, FEW, ENOUGH)
        return float(told ** (1.0 - seen) * strength**seen)

    def compute_centre(self, prior: float, context_key: str) -> float:
        """Compute the degree of a context without its own outcomes."""
        degree = self.map.apply(prior)
        if self.neighbourhood is not None:
            degree += self.neighbourhood.compute_shift(self.groups, context_key)
        return min(max(degree, 0.0), 1.0)


class Pool:
    """The outcomes of a predicate and model, and the fit to them."""

    def __init__(self, options: CalibrationOptions) -> None:
        self._options = options
        self._forgetting = Forgetting(options.pooled_half_life, options.half_life_days)
        self._rows = np.empty((64, _COLUMNS))
        self._count = 0
        self._map_evidence: MapEvidence | None = None
        self.groups = ContextGroups()
        self.detector = DriftDetector(options.drift_threshold)

    def add(self, evidence: Evidence) -> None:
        """Add the next outcome; its prior must be known."""
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
        self._map_evidence = None

    def fade_before(self, number: int, kept: float) -> None:
        """Reduce the weight of the outcomes before this one, with which the world changed."""
        rows = self._rows[: self._count]
        rows[rows[:, _NUMBER] < number, _WEIGHT] *= kept
        self._map_evidence = None

    def count_before(self, number: int) -> int:
        """Count the outcomes before this one."""
        return int(np.count_nonzero(self._columns()[_NUMBER] < number))

    @property
    def count(self) -> int:
        """Number of outcomes of the fit."""
        return min(self._count, KEPT)

    @property
    def map_evidence(self) -> MapEvidence:
        """The evidence about the model, for its other predicates."""
        if self._map_evidence is None:
            rows = self._columns()
            weight, context = _weigh(rows, self._forgetting)
            counted = _count_opinions(rows, weight, context, self._options.strength)
            self._map_evidence = measure_evidence(rows[_PRIOR], rows[_QUALITY], counted)
        return self._map_evidence

    def fit(self, others: MapPrior) -> PoolFit:
        """Fit the outcomes. `others`: what the model's other predicates taught."""
        return fit_pool(self.groups, self._columns(), self._options, self._forgetting, others)

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


class ModelPools:
    """The outcomes of each predicate that relied on one model's degrees."""

    def __init__(self, options: CalibrationOptions) -> None:
        self._options = options
        self._fits: dict[str, PoolFit] = {}
        self._detector = DriftDetector(options.drift_threshold)
        self.pools: dict[str, Pool] = {}

    def add(self, evidence: Evidence) -> Mapping[str, int]:
        """Add the next outcome, with a prior; return the first outcomes of changes, by predicate.

        Only of changes that have become certain. Where fewer than `LEARNT` came before, the degrees
        weren't learnt yet: then it is no change of the world.
        """
        self._fits.clear()
        name = evidence.predicate
        pool = self.pools.setdefault(name, Pool(self._options))
        pool.add(evidence)
        if evidence.degree is None:
            return {}
        before = self._detector.alarms
        for detector in (pool.detector, self._detector):
            detector.add(
                evidence.degree, evidence.quality, evidence.weight, evidence.stamp, evidence.id
            )
        self._detector.update_alarms()
        concerned = {name: pool} if self._detector.alarms == before else self.pools
        raised = {
            name: pool.detector.update_alarms(self._detector) for name, pool in concerned.items()
        }
        return {
            name: first
            for name, first in raised.items()
            if first is not None and self.pools[name].count_before(first) >= LEARNT
        }

    def fade_before(self, predicate: str, number: int, kept: float) -> None:
        """Reduce the weight of a predicate's outcomes before this one."""
        if predicate in self.pools:
            self._fits.clear()
            self.pools[predicate].fade_before(number, kept)

    def fit(self, predicate: str) -> PoolFit:
        """Fit the outcomes of a predicate, with what the others taught."""
        found = self._fits.get(predicate)
        if found is None:
            found = self._fits[predicate] = self._fit(predicate)
        return found

    def _fit(self, predicate: str) -> PoolFit:
        others = [pool for name, pool in sorted(self.pools.items()) if name != predicate]
        taught = pool_predicates([pool.map_evidence for pool in others])
        pool = self.pools.get(predicate) or Pool(self._options)
        found = pool.fit(taught)
        return replace(found, outcomes=found.outcomes + sum(other.count for other in others))


def fit_pool(
    groups: ContextGroups,
    rows: Floats,
    options: CalibrationOptions,
    forgetting: Forgetting,
    others: MapPrior,
) -> PoolFit:
    """Fit the outcomes of a predicate and model, float64[8, n].

    Rows: prior, quality, present weight, stamp, degree, context, number and initial weight.
    """
    prior, quality = rows[_PRIOR], rows[_QUALITY]
    weight, context = _weigh(rows, forgetting)
    pooled, strength = IDENTITY, options.strength
    if options.pooled:
        counted = _count_opinions(rows, weight, context, strength)
        pooled = fit_pooled_map(prior, quality, counted, others)
        strength = _estimate_strength(pooled, rows, weight, context, strength, strength)
    total, expected, mean = _average_contexts(pooled, rows, weight, context, groups)
    broken = 0.0
    own: tuple[tuple[float, float], ...] = ()
    if options.pooled and len(prior):
        found = estimate_broken(options.strength, total, expected, mean)
        worth = strength ** (1.0 - found.some) * found.strength**found.some
        # Rounded, so that an outcome of one thing leaves the remembered posteriors of others valid.
        own = tuple(zip(worth.round(2).tolist(), found.share.round(2).tolist(), strict=True))
        broken = float(found.share.mean())
    neighbourhood = None
    if options.neighbours > 0.0 and len(prior):
        counted = total / (1.0 + np.maximum(total - 1.0, 0.0) / (1.0 + strength))
        residual = np.where(counted > 0.0, mean - expected, 0.0)
        neighbourhood = fit_neighbourhood(groups, counted, residual, strength, options.neighbours)
    return PoolFit(pooled, strength, broken, own, groups, neighbourhood, len(prior))


def _weigh(rows: Floats, forgetting: Forgetting) -> tuple[Floats, Ints]:
    """Compute weight after forgetting and context of each outcome."""
    return forgetting.weigh(rows[_WEIGHT], rows[_STAMP]), rows[_CONTEXT].astype(np.int64)


def _count_opinions(rows: Floats, weight: Floats, context: Ints, believed: float) -> Floats:
    """Count outcomes with the design effect.

    Initially contexts are taken to differ much: one thing that fails again and again says little
    about others. Where they are found to differ less, outcomes of one say more.
    """
    least = believed / PERSISTENCE
    counted = compute_design_weights(weight, context, least)
    alone = fit_pooled_map(rows[_PRIOR], rows[_QUALITY], counted, ALONE)
    strength = _estimate_strength(alone, rows, weight, context, believed, least)
    return compute_design_weights(weight, context, strength)


def _estimate_strength(
    pooled: PooledMap, rows: Floats, weight: Floats, context: Ints, believed: float, start: float
) -> float:
    """Estimate the outcomes that a recalibrated degree is worth; blended in from `start`."""
    blend = compute_blend(pooled.outcomes, FEW, ENOUGH)
    if blend == 0.0:
        return start
    total, expected, mean = _average_contexts(pooled, rows, weight, context)
    scatter = sum_groups(context, weight * (rows[_QUALITY] - mean[context]) ** 2)
    seen = total > 0.0
    found = estimate_strength(believed, total[seen], expected[seen], mean[seen], scatter[seen])
    return float(start ** (1.0 - blend) * found**blend)


def _average_contexts(
    pooled: PooledMap,
    rows: Floats,
    weight: Floats,
    context: Ints,
    groups: ContextGroups | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute weight, mean recalibrated prior and mean quality of each context."""
    size = len(groups.twins) if groups is not None else 0
    total = sum_groups(context, weight, size)
    above_zero = np.maximum(total, 1e-12)
    expected = sum_groups(context, weight * pooled.apply_to_array(rows[_PRIOR]), size) / above_zero
    mean = sum_groups(context, weight * rows[_QUALITY], size) / above_zero
    return total, expected, mean
