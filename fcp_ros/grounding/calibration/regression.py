# SPDX-License-Identifier: Apache-2.0
"""Regression on outcomes: Platt scaling with a prior, isotonic regression, and grouped sums.

*Platt scaling.* Two numbers say that an oracle is too harsh, kind, sharp or flat:

    logit(recalibrated) = slope * logit(prior) + intercept

Source: Platt, Probabilistic Outputs for Support Vector Machines, 1999; with intercept 0 it is the
temperature scaling of Guo, Pleiss, Sun and Weinberger, On Calibration of Modern Neural Networks,
2017. A priori the slope is normally distributed about 1 and the intercept about 0, so little
evidence changes little. The loss is convex: Newton's method finds its minimum.

*Isotonic regression.* The nearest non-decreasing sequence, by pooling adjacent violators. Source:
Ayer, Brunk, Ewing, Reid and Silverman, An Empirical Distribution Function for Sampling with
Incomplete Information, 1955. (scipy has it since 1.12; this package supports older versions.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def sum_groups(group: Ints, values: Floats, least: int = 0) -> Floats:
    """Sum the values of each group 0 .. n - 1, float64[n] with n >= `least`."""
    return np.bincount(group, values, least).astype(np.float64)


EDGE = 0.01
"""Degrees are clipped to this distance from 0 and 1: further logits would dominate the fit."""
SLOPE_SPREAD = 0.5
INTERCEPT_SPREAD = 1.0
"""Prior standard deviations of both."""
LEAST_SLOPE = 0.05
"""The slope stays positive: a degree that the oracle finds higher stays higher."""
STEPS = 30
NEAR = 1e-7


def to_logit(degree: Floats) -> Floats:
    """Compute the log-odds of degrees clipped to [EDGE, 1 - EDGE]."""
    kept = np.clip(degree, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)), dtype=np.float64)


def to_degree(value: Floats) -> Floats:
    """Compute the degree with these log-odds."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * value)), dtype=np.float64)


def fit_platt(prior: Floats, quality: Floats, weight: Floats) -> tuple[float, float]:
    """Fit the most likely slope and intercept.

    Args:
        prior: the oracle's degrees, float64[n] in [0, 1].
        quality: the observed qualities, in [0, 1].
        weight: of each outcome, >= 0.
    """
    x = to_logit(prior)
    slope, intercept = _minimise(x, quality, weight, free=True)
    if slope < LEAST_SLOPE:
        slope, intercept = _minimise(x, quality, weight, free=False)
    return slope, intercept


def apply_platt(prior: Floats, slope: float, intercept: float) -> Floats:
    """Recalibrate degrees; slope 1 and intercept 0 leave all unchanged, including 0 and 1."""
    x = to_logit(prior)
    shift = to_degree(slope * x + intercept) - to_degree(x)
    return np.asarray(np.clip(prior + shift, 0.0, 1.0), dtype=np.float64)


def _minimise(x: Floats, quality: Floats, weight: Floats, *, free: bool) -> tuple[float, float]:
    """Minimise the penalised loss; with `free` False the slope is fixed to LEAST_SLOPE."""
    slope, intercept = (1.0 if free else LEAST_SLOPE), 0.0
    tight = 1.0 / SLOPE_SPREAD**2, 1.0 / INTERCEPT_SPREAD**2
    loss = _compute_loss(x, quality, weight, slope, intercept)
    for _ in range(STEPS):
        degree = to_degree(slope * x + intercept)
        error, spread = weight * (degree - quality), weight * degree * (1.0 - degree)
        down_slope = float(error @ x) + tight[0] * (slope - 1.0)
        down = float(error.sum()) + tight[1] * intercept
        xx, x1 = float(spread @ (x * x)) + tight[0], float(spread @ x)
        one = float(spread.sum()) + tight[1]
        if free:
            scale = xx * one - x1 * x1
            move = (one * down_slope - x1 * down) / scale, (xx * down - x1 * down_slope) / scale
        else:
            move = 0.0, down / one
        size = 1.0
        while size > NEAR:  # halve the step until it doesn't overshoot
            new = slope - size * move[0], intercept - size * move[1]
            new_loss = _compute_loss(x, quality, weight, *new)
            if new_loss <= loss:
                break
            size /= 2.0
        else:
            break
        slope, intercept, loss = *new, new_loss
        if max(abs(move[0]), abs(move[1])) < NEAR:
            break
    return slope, intercept


def compute_log_likelihood(
    prior: Floats, quality: Floats, weight: Floats, slope: float, intercept: float
) -> float:
    """Compute the log-likelihood of outcomes for this slope and intercept."""
    z = slope * to_logit(prior) + intercept
    return -float(weight @ (np.logaddexp(0.0, z) - quality * z))


def _compute_loss(
    x: Floats, quality: Floats, weight: Floats, slope: float, intercept: float
) -> float:
    z = slope * x + intercept
    return (
        float(weight @ (np.logaddexp(0.0, z) - quality * z))
        + 0.5 * ((slope - 1.0) / SLOPE_SPREAD) ** 2
        + 0.5 * (intercept / INTERCEPT_SPREAD) ** 2
    )


def fit_isotonic(values: Floats, weights: Floats) -> Floats:
    """Find the non-decreasing sequence with the least weighted squared distance.

    Args:
        values: float64[n].
        weights: float64[n], > 0.
    """
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
