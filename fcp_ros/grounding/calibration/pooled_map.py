# SPDX-License-Identifier: Apache-2.0
"""The recalibration of a model: one non-decreasing map of its degrees for a predicate.

It is learnt from all outcomes of the predicate that relied on this model's degrees, in whatever
context, and from what the model's other predicates taught:

- from the first outcome on it is the mean over the posterior of Platt scaling, which includes that
  the degrees are right as they are;
- from `MANY` on the remaining residuals move it where a curve of two parameters can't: the binned
  mean residual, shrunk by `BIN_PRIOR` outcomes of 0, made non-decreasing by isotonic regression
  (Zadrozny and Elkan, Transforming Classifier Scores into Accurate Multiclass Probability
  Estimates, 2002), blended in until `PLENTY`.

Outcomes of one context are no independent evidence about the model: n of them count as
n / (1 + (n - 1) rho) with rho = 1 / (1 + strength), the design effect of clusters (Kish, Survey
Sampling, 1965). So one broken cup doesn't make the model wrong about all cups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

#
# Outcomes of a predicate say how to read the model's degrees d. There are two explanations, weighed
# against each other (spike and slab; Mitchell and Beauchamp, Bayesian Variable Selection in Linear
# Regression, 1988):
#
# - *right*, with probability `RIGHT` a priori: the rate of success is d, for all its predicates;
# - *biased*: the model has a slope and an intercept of its own, about which those of its predicates
#   scatter on an unknown scale, and
#
#       logit(rate) = slope * logit(d) + intercept                    (Platt, 1999).
#
# This is a hierarchy (Lindley and Smith, Bayes Estimates for the Linear Model, 1972): where the
# predicates of a model were found to be alike, a new one begins with what the others taught; where
# they weren't, it begins from the identity. Slope and intercept are integrated over on a grid, and
# a recalibrated degree is the mean over the posterior, not the value at its peak.
#
# Slopes of models scatter about `MIDDLE`, a little above 1: intercepts that scatter pull the mean
# of the rate over the prior towards 1/2, steeper slopes push it back to about d. What is left of
# the difference, up to 0.04, is added as long as the belief is the one without evidence
# (`overlap`, squared: it soon vanishes): so without evidence nothing moves. (With x(d) in place of
# logit(d), bent so that the mean is d, a model that is only too harsh was no member of the family.)
#
# A mixture of predictions loses at most -ln(weight) to any of its members (Cesa-Bianchi and Lugosi,
# Prediction, Learning, and Games, 2006): so over any number of outcomes, whatever they are, the
# log-loss of recalibrated degrees, with lapses (`LAPSE`), exceeds that of the oracle's by at most
# -ln(RIGHT) and what is added: an adversary who picks each outcome gains 0.23 by that.

GRID = np.linspace(0.0, 1.0, 101)
LOG_SLOPES = np.linspace(math.log(0.06), math.log(8.0), 33)
INTERCEPTS = np.linspace(-5.0, 5.0, 65)
RIGHT = 2.0 / 3.0
"""By the bound on the loss, not by a fit, which says 0.1. 0.8 costs a model that is right a quarter
less after ten outcomes, and all others a twentieth more (docs/calibration.md)."""
MIDDLE = 1.1
"""The slope about which those of models scatter."""
SPREADS = ((1.0 / 3.0, 0.8, 0.2), (2.0 / 3.0, 0.5, 0.9))
"""The prior of a model: probability, spread of the slope's logarithm, spread of the intercept.
These and the next were fitted by their likelihood in simulated worlds (empirical Bayes) and
rounded, with more weight for predicates that differ than the fit gives (docs/calibration.md)."""
SCATTERS = ((0.75, 0.05, 0.1), (0.15, 0.15, 0.4), (0.1, 0.3, 1.0))
"""The same for the distance of a predicate from its model."""
LAPSE = 0.02
"""The share of outcomes that say nothing about the model, success and failure alike (Wichmann and
Hill, The Psychometric Function, 2001): so one broken thing of a sure kind is no proof of a bias."""
TINY = 1e-300


@dataclass(frozen=True, slots=True)
class _Family:
    """The maps of the grid and their prior."""

    model: Floats  # probability of each slope and intercept of a model, float64[s, i]
    # for each of `SCATTERS` its probability and the smoothing of slopes and intercepts
    scatters: tuple[tuple[float, Floats, Floats], ...]
    rates: Floats  # the recalibrated degree at `GRID` by each map, float64[s * i, 101]
    prior: Floats  # probability of each slope and intercept of a predicate, float64[s, i]
    mean: Floats  # the mean of the rates over this prior
    # logarithm of the chance of success by each map, with lapses; `failure` likewise
    success: Floats
    failure: Floats
    right_success: Floats  # the same by the degrees themselves; `right_failure` likewise
    right_failure: Floats


@lru_cache(maxsize=1)
def _build_family() -> _Family:
    middle = math.log(MIDDLE)
    model = sum(
        (
            p * np.outer(_normal(LOG_SLOPES, middle, s), _normal(INTERCEPTS, 0.0, i))
            for p, s, i in SPREADS
        ),
        np.zeros((len(LOG_SLOPES), len(INTERCEPTS))),
    )
    scatters = tuple((p, _smooth(LOG_SLOPES, s), _smooth(INTERCEPTS, i)) for p, s, i in SCATTERS)
    prior = sum((p * (s.T @ model @ i) for p, s, i in scatters), np.zeros_like(model))
    x = to_logit(GRID)
    rates = to_degree(_map_odds(x))
    return _Family(
        model,
        scatters,
        rates,
        prior,
        prior.ravel() @ rates,
        *_take_logarithms(rates),
        *_take_logarithms(to_degree(x)),
    )


def _take_logarithms(rate: Floats) -> tuple[Floats, Floats]:
    """Take the logarithms of the chance of success and of failure."""
    chance = (1.0 - LAPSE) * rate + 0.5 * LAPSE
    return np.log(chance), np.log1p(-chance)


def _normal(values: Floats, mean: float, spread: float) -> Floats:
    density = np.exp(-0.5 * ((values - mean) / spread) ** 2)
    return np.asarray(density / density.sum(), dtype=np.float64)


def _smooth(values: Floats, spread: float) -> Floats:
    """Build the matrix whose row i distributes the predicates of a model with the value i."""
    return np.stack([_normal(values, mean, spread) for mean in values])


def _map_odds(x: Floats) -> Floats:
    """Apply each map of the grid to log-odds, float64[s * i, n]."""
    odds = np.exp(LOG_SLOPES)[:, None, None] * x + INTERCEPTS[None, :, None]
    return np.asarray(odds.reshape(-1, len(x)), dtype=np.float64)


@dataclass(frozen=True)
class MapEvidence:
    """The log-likelihood of a predicate's outcomes."""

    right: float
    biased: Floats  # for each slope and intercept of the grid, float64[s, i]

    @cached_property
    def of_model(self) -> tuple[Floats, ...]:
        """The same for slope and intercept of the model, for each of `SCATTERS`."""
        top = float(self.biased.max())
        chance = np.exp(self.biased - top)
        return tuple(
            np.log(slopes @ chance @ intercepts.T + TINY) + top
            for _, slopes, intercepts in _build_family().scatters
        )


@dataclass(frozen=True, slots=True)
class MapPrior:
    """The belief about a predicate's map before its own outcomes; logarithms, of any scale."""

    right: float
    biased: Floats  # each slope and intercept of the grid, float64[s, i]


def measure_evidence(prior: Floats, quality: Floats, weight: Floats) -> MapEvidence:
    """Measure the evidence of outcomes (qualities in [0, 1]) for each map; float64[n] each."""
    family = _build_family()
    place = prior * (len(GRID) - 1)
    left = np.minimum(place.astype(np.int64), len(GRID) - 2)
    share = place - left
    both = np.zeros((2, len(GRID)))
    for row, part in enumerate((weight * quality, weight * (1.0 - quality))):
        both[row] += np.bincount(left, part * (1.0 - share), len(GRID))
        both[row] += np.bincount(left + 1, part * share, len(GRID))
    biased = family.success @ both[0] + family.failure @ both[1]
    right = family.right_success @ both[0] + family.right_failure @ both[1]
    return MapEvidence(float(right), biased.reshape(len(LOG_SLOPES), len(INTERCEPTS)))


def pool_predicates(others: Sequence[MapEvidence]) -> MapPrior:
    """Combine the evidence of a model's other predicates to the belief about one of its own."""
    family = _build_family()
    right = math.log(RIGHT) + math.fsum(one.right for one in others)
    logs = [np.log(family.model + TINY) for _ in family.scatters]
    for one in others:
        for total, found in zip(logs, one.of_model, strict=True):
            total += found
    top = max(float(total.max()) for total in logs)
    chance = np.zeros_like(family.model)
    for (share, slopes, intercepts), total in zip(family.scatters, logs, strict=True):
        chance += share * (slopes.T @ np.exp(total - top) @ intercepts)
    return MapPrior(right, math.log(1.0 - RIGHT) + np.log(chance + TINY) + top)


def average_maps(prior: MapPrior, evidence: MapEvidence) -> tuple[Floats, float]:
    """Average the degree at each of `GRID` over the posterior; also P(the oracle is right)."""
    family = _build_family()
    biased = prior.biased + evidence.biased
    right = prior.right + evidence.right
    top = max(float(biased.max()), right)
    chance, unmoved = np.exp(biased - top), math.exp(right - top)
    total = float(chance.sum())
    overlap = float(np.minimum(family.prior, chance / total).sum()) if total > 0.0 else 0.0
    right_share = unmoved / (total + unmoved)
    rates = chance.ravel() @ family.rates / (total + unmoved)
    # Written as a shift, so that degrees of 0 and 1 stay what they are without evidence.
    added = (1.0 - right_share) * overlap**2 * (GRID - family.mean)
    moved = right_share * GRID + rates + added
    return np.maximum.accumulate(np.clip(moved, 0.0, 1.0)), right_share


# --- log-odds, isotonic regression and grouped sums ---
#
# *Isotonic regression.* The nearest non-decreasing sequence, by pooling adjacent violators. Source:
# Ayer, Brunk, Ewing, Reid and Silverman, An Empirical Distribution Function for Sampling with
# Incomplete Information, 1955. (scipy has it since 1.12; this package supports older versions.)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def sum_groups(group: Ints, values: Floats, least: int = 0) -> Floats:
    """Sum the values of each group 0 .. n - 1, float64[n] with n >= `least`."""
    return np.bincount(group, values, least).astype(np.float64)


EDGE = 0.01
"""Degrees are clipped to this distance from 0 and 1: further logits would dominate the fit."""


def to_logit(degree: Floats) -> Floats:
    """Compute the log-odds of degrees clipped to [EDGE, 1 - EDGE]."""
    kept = np.clip(degree, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)), dtype=np.float64)


def to_degree(value: Floats) -> Floats:
    """Compute the degree with these log-odds."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * value)), dtype=np.float64)


def fit_isotonic(values: Floats, weights: Floats) -> Floats:
    """Find the nearest non-decreasing sequence; float64[n], weights > 0."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, total, length = value, weight, 1
        while blocks and blocks[-1][0] >= mean:
            before, other, more = blocks.pop()
            mean = (before * other + mean * total) / (other + total)
            total, length = total + other, length + more
        blocks.append((mean, total, length))
    means = [mean for mean, _, _ in blocks]
    return np.repeat(np.asarray(means), [length for _, _, length in blocks])


# --- the recalibration of a model: one non-decreasing map of its degrees for a predicate ---

MANY, PLENTY = 200.0, 600.0  # Outcomes, counted with the design effect
BIN_PRIOR = 15.0
BINS = np.linspace(0.0, 1.0, 21)


@dataclass(frozen=True)
class PooledMap:
    """A non-decreasing, piecewise linear map of degrees."""

    values: tuple[float, ...]  # the recalibrated degree at 0, 0.01 .. 1, non-decreasing, in [0, 1].
    outcomes: float = 0.0  # number of outcomes of the predicate, counted with the design effect

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
    """Reduce the weights of outcomes that share a context (design effect); arrays of length n.

    `strength`: number of outcomes that a context's prior is worth.
    """
    total = sum_groups(context, weight)
    effect = 1.0 + np.maximum(total - 1.0, 0.0) / (1.0 + strength)
    return np.asarray(weight / effect[context], dtype=np.float64)


def fit_pooled_map(prior: Floats, quality: Floats, weight: Floats, others: MapPrior) -> PooledMap:
    """Fit the map to outcomes, weighted by `compute_design_weights`; float64[n] each."""
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
