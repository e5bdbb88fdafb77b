# SPDX-License-Identifier: Apache-2.0
"""The recalibration of a model: one non-decreasing map of its degrees for a predicate.

It is learnt from all outcomes of the predicate that relied on this model's degrees, in whatever
context, and grows with the evidence:

- below `FEW` outcomes it is the identity;
- then Platt scaling (`regression.py`), blended in until `ENOUGH`, and only as far as it explains
  the outcomes better than chance would (James and Stein, Estimation with Quadratic Loss, 1961);
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

from fcp_ros.grounding.calibration.regression import (
    Floats,
    Ints,
    apply_platt,
    compute_log_likelihood,
    fit_isotonic,
    fit_platt,
    sum_groups,
)

FEW, ENOUGH = 10.0, 30.0
MANY, PLENTY = 200.0, 600.0
"""Outcomes, counted with the design effect."""
BIN_PRIOR = 15.0
GRID = np.linspace(0.0, 1.0, 101)
BINS = np.linspace(0.0, 1.0, 21)


@dataclass(frozen=True)
class PooledMap:
    """A non-decreasing, piecewise linear map of degrees.

    Args:
        values: the recalibrated degree at 0, 0.01 .. 1, non-decreasing, in [0, 1].
        slope: of the Platt scaling in it.
        intercept: of the Platt scaling in it.
        outcomes: number of outcomes of the fit, counted with the design effect.
    """

    values: tuple[float, ...]
    slope: float = 1.0
    intercept: float = 0.0
    outcomes: float = 0.0

    @property
    def is_identity(self) -> bool:
        """True if the map changes nothing."""
        return not self.values

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


def compute_blend(outcomes: float, few: float = FEW, enough: float = ENOUGH) -> float:
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


def fit_pooled_map(prior: Floats, quality: Floats, weight: Floats) -> PooledMap:
    """Fit the map to outcomes.

    Args:
        prior: the oracle's degrees, float64[n] in [0, 1].
        quality: the observed qualities, in [0, 1].
        weight: of each outcome (`compute_design_weights`), >= 0.
    """
    outcomes = float(weight.sum())
    blend = compute_blend(outcomes)
    if blend == 0.0:
        return PooledMap((), outcomes=outcomes)
    slope, intercept = fit_platt(prior, quality, weight)
    share = _compute_share(prior, quality, weight, slope, intercept)
    further = compute_blend(outcomes, MANY, PLENTY)
    if share == further == 0.0:
        return PooledMap((), outcomes=outcomes)
    values = _apply_share(GRID, slope, intercept, share)
    if further > 0.0:
        residual = quality - _apply_share(prior, slope, intercept, share)
        values = (1.0 - further) * values + further * _add_residuals(
            values, prior, residual, weight
        )
    values = (1.0 - blend) * GRID + blend * values
    # Invariant of `PooledMap`: rounding must not make it decrease anywhere.
    values = np.maximum.accumulate(np.clip(values, 0.0, 1.0))
    return PooledMap(tuple(values.tolist()), slope, intercept, outcomes)


def _apply_share(prior: Floats, slope: float, intercept: float, share: float) -> Floats:
    """Apply Platt scaling by this share."""
    return (1.0 - share) * prior + share * apply_platt(prior, slope, intercept)


def _compute_share(
    prior: Floats, quality: Floats, weight: Floats, slope: float, intercept: float
) -> float:
    """Compute the share of Platt scaling that the outcomes justify (James-Stein shrinkage).

    By chance alone, two parameters raise twice the log-likelihood of correct degrees by about 2.
    """
    gain = 2.0 * (
        compute_log_likelihood(prior, quality, weight, slope, intercept)
        - compute_log_likelihood(prior, quality, weight, 1.0, 0.0)
    )
    return max(1.0 - 2.0 / gain, 0.0) if gain > 0.0 else 0.0


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
