# SPDX-License-Identifier: Apache-2.0
"""What a model means by its degrees: one non-decreasing map for a predicate and a model.

It is learnt from all outcomes of the predicate that relied on this model's degrees, in whatever
context, and grows with the evidence:

- under `FEW` outcomes it is the identity;
- then Platt scaling (`platt.py`), blended in until `ENOUGH`, and only as far as it explains the
  outcomes better than chance would (James and Stein, Estimation with Quadratic Loss, 1961);
- from `MANY` on the remaining residuals move it where a curve of two parameters can't: the binned
  mean residual, worth nothing against `BIN_PRIOR` outcomes, made non-decreasing by isotonic
  regression (Zadrozny and Elkan, Transforming Classifier Scores into Accurate Multiclass
  Probability Estimates, 2002), blended in until `PLENTY`.

Outcomes of one context are not so many opinions about the model: n of them count as
n / (1 + (n - 1) rho) with rho = 1 / (1 + strength), the design effect of clusters (Kish, Survey
Sampling, 1965). So one broken cup doesn't make the model wrong about all cups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats, Ints, sums
from fcp_ros.grounding.calibration.isotonic import non_decreasing
from fcp_ros.grounding.calibration.platt import apply_platt, fit_platt, log_likelihood

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
        outcomes: how many outcomes it rests on, counted with the design effect.
    """

    values: tuple[float, ...]
    slope: float = 1.0
    intercept: float = 0.0
    outcomes: float = 0.0

    @property
    def is_identity(self) -> bool:
        """Whether it changes nothing."""
        return not self.values

    def at(self, prior: float) -> float:
        """The recalibrated degree of one prior (under a microsecond)."""
        if not self.values:
            return prior
        place = prior * (len(self.values) - 1)
        left = min(int(place), len(self.values) - 2)
        low, high = self.values[left], self.values[left + 1]
        return low + (place - left) * (high - low)

    def of(self, prior: Floats) -> Floats:
        """The recalibrated degrees of an array of priors."""
        if not self.values:
            return prior
        return np.interp(prior, GRID, self._array)

    @cached_property
    def _array(self) -> Floats:
        return np.asarray(self.values)


IDENTITY = PooledMap(())


def growth(outcomes: float, few: float = FEW, enough: float = ENOUGH) -> float:
    """How far something that needs evidence is blended in, in [0, 1]."""
    return min(max((outcomes - few) / (enough - few), 0.0), 1.0)


def design_weights(weight: Floats, context: Ints, strength: float) -> Floats:
    """What each outcome counts among others of the same context.

    Args:
        weight: of the outcomes, float64[n].
        context: the number of each one's context, int[n].
        strength: outcomes that a context's prior is worth.
    """
    total = sums(context, weight)
    effect = 1.0 + np.maximum(total - 1.0, 0.0) / (1.0 + strength)
    return np.asarray(weight / effect[context], dtype=np.float64)


def fit_pooled_map(prior: Floats, quality: Floats, weight: Floats) -> PooledMap:
    """The map that outcomes suggest.

    Args:
        prior: the oracle's degrees, float64[n] in [0, 1].
        quality: what was observed, in [0, 1].
        weight: what each outcome counts (`design_weights`), >= 0.
    """
    outcomes = float(weight.sum())
    blend = growth(outcomes)
    if blend == 0.0:
        return PooledMap((), outcomes=outcomes)
    slope, intercept = fit_platt(prior, quality, weight)
    needed = _needed(prior, quality, weight, slope, intercept)
    further = growth(outcomes, MANY, PLENTY)
    if needed == further == 0.0:
        return PooledMap((), outcomes=outcomes)
    values = _mixed(GRID, slope, intercept, needed)
    if further > 0.0:
        residual = quality - _mixed(prior, slope, intercept, needed)
        values = (1.0 - further) * values + further * _corrected(values, prior, residual, weight)
    values = (1.0 - blend) * GRID + blend * values
    # Rounding must not make it decrease anywhere.
    values = np.maximum.accumulate(np.clip(values, 0.0, 1.0))
    return PooledMap(tuple(values.tolist()), slope, intercept, outcomes)


def _mixed(prior: Floats, slope: float, intercept: float, needed: float) -> Floats:
    """Platt scaling as far as it is needed."""
    return (1.0 - needed) * prior + needed * apply_platt(prior, slope, intercept)


def _needed(
    prior: Floats, quality: Floats, weight: Floats, slope: float, intercept: float
) -> float:
    """How far two parameters are better than none: a shrinkage as that of James and Stein.

    Degrees that are right gain about 2 in twice the log-likelihood from two parameters, by chance.
    """
    gain = 2.0 * (
        log_likelihood(prior, quality, weight, slope, intercept)
        - log_likelihood(prior, quality, weight, 1.0, 0.0)
    )
    return max(1.0 - 2.0 / gain, 0.0) if gain > 0.0 else 0.0


def _corrected(values: Floats, prior: Floats, residual: Floats, weight: Floats) -> Floats:
    """The map with the binned residuals added, made non-decreasing."""
    place = prior * (len(BINS) - 1)
    left = np.minimum(place.astype(np.int64), len(BINS) - 2)
    share = place - left
    total, mean = np.full(len(BINS), BIN_PRIOR), np.zeros(len(BINS))
    for bin_, part in ((left, weight * (1.0 - share)), (left + 1, weight * share)):
        total += sums(bin_, part, len(BINS))
        mean += sums(bin_, part * residual, len(BINS))
    moved = values + np.interp(GRID, BINS, mean / total)
    return np.clip(non_decreasing(moved, np.interp(GRID, BINS, total)), 0.0, 1.0)
