# SPDX-License-Identifier: Apache-2.0
"""The recalibration of a model: one non-decreasing map of its degrees for a predicate.

It is learnt from all outcomes of the predicate that relied on this model's degrees, in whatever
context, and from what the model's other predicates taught:

- from the first outcome on it is the mean over the posterior of Platt scaling, which includes that
  the degrees are right as they are (`map_posterior.py`);
- from `MANY` on the remaining residuals move it where a curve of two parameters can't: the binned
  mean residual, shrunk by `BIN_PRIOR` outcomes of 0, made non-decreasing by isotonic regression
  (Zadrozny and Elkan, Transforming Classifier Scores into Accurate Multiclass Probability
  Estimates, 2002), blended in until `PLENTY`.

Outcomes of one context are no independent evidence about the model: n of them count as
n / (1 + (n - 1) rho) with rho = 1 / (1 + strength), the design effect of clusters (Kish, Survey
Sampling, 1965). So one broken cup doesn't make the model wrong about all cups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fcp_ros.grounding.calibration.map_posterior import (
    GRID,
    MapPrior,
    average_maps,
    measure_evidence,
)
from fcp_ros.grounding.calibration.regression import Floats, Ints, fit_isotonic, sum_groups

MANY, PLENTY = 200.0, 600.0
"""Outcomes, counted with the design effect."""
BIN_PRIOR = 15.0
BINS = np.linspace(0.0, 1.0, 21)


@dataclass(frozen=True)
class PooledMap:
    """A non-decreasing, piecewise linear map of degrees.

    Args:
        values: the recalibrated degree at 0, 0.01 .. 1, non-decreasing, in [0, 1].
        outcomes: number of outcomes of the predicate, counted with the design effect.
    """

    values: tuple[float, ...]
    outcomes: float = 0.0

    def apply(self, prior: float) -> float:
        """Recalibrate one prior (under a microsecond)."""
        if not self.values:
            return prior
        place = prior * (len(self.values) - 1)
        left = min(int(place), len(self.values) - 2)
        low, high = self.values[left], self.values[left + 1]
        return low + (place - left) * (high - low)

    def apply_to_array(self, prior: Floats) -> Floats:
        """Recalibrate an array of priors."""
        if not self.values:
            return prior
        return np.interp(prior, GRID, self._array)

    @cached_property
    def _array(self) -> Floats:
        return np.asarray(self.values)


IDENTITY = PooledMap(())


def compute_blend(outcomes: float, few: float, enough: float) -> float:
    """Compute the share of a part that is blended in between two counts, in [0, 1]."""
    return min(max((outcomes - few) / (enough - few), 0.0), 1.0)


def compute_design_weights(weight: Floats, context: Ints, strength: float) -> Floats:
    """Reduce the weights of outcomes that share a context (design effect).

    Args:
        weight: of the outcomes, float64[n].
        context: the number of each one's context, int[n].
        strength: number of outcomes that a context's prior is worth.
    """
    total = sum_groups(context, weight)
    effect = 1.0 + np.maximum(total - 1.0, 0.0) / (1.0 + strength)
    return np.asarray(weight / effect[context], dtype=np.float64)


def fit_pooled_map(prior: Floats, quality: Floats, weight: Floats, others: MapPrior) -> PooledMap:
    """Fit the map to outcomes.

    Args:
        prior: the oracle's degrees, float64[n] in [0, 1].
        quality: the observed qualities, in [0, 1].
        weight: of each outcome (`compute_design_weights`), >= 0.
        others: what the model's other predicates taught.
    """
    values, _ = average_maps(others, measure_evidence(prior, quality, weight))
    outcomes = float(weight.sum())
    further = compute_blend(outcomes, MANY, PLENTY)
    if further > 0.0:
        residual = quality - np.interp(prior, GRID, values)
        moved = _add_residuals(values, prior, residual, weight)
        # Invariant of `PooledMap`: rounding must not make it decrease anywhere.
        values = np.maximum.accumulate((1.0 - further) * values + further * moved)
    return PooledMap(tuple(values.tolist()), outcomes)


def _add_residuals(values: Floats, prior: Floats, residual: Floats, weight: Floats) -> Floats:
    """Add the binned residuals to the map, and make it non-decreasing."""
    place = prior * (len(BINS) - 1)
    left = np.minimum(place.astype(np.int64), len(BINS) - 2)
    share = place - left
    total, mean = np.full(len(BINS), BIN_PRIOR), np.zeros(len(BINS))
    for bin_, part in ((left, weight * (1.0 - share)), (left + 1, weight * share)):
        total += sum_groups(bin_, part, len(BINS))
        mean += sum_groups(bin_, part * residual, len(BINS))
    moved = values + np.interp(GRID, BINS, mean / total)
    return np.clip(fit_isotonic(moved, np.interp(GRID, BINS, total)), 0.0, 1.0)
