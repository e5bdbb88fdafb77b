# SPDX-License-Identifier: Apache-2.0
"""Platt scaling with a prior: two numbers that say how an oracle is too harsh, kind, sharp or flat.

    logit(recalibrated) = slope * logit(prior) + intercept

Source: Platt, Probabilistic Outputs for Support Vector Machines, 1999; with intercept 0 it is the
temperature scaling of Guo, Pleiss, Sun and Weinberger, On Calibration of Modern Neural Networks,
2017. The slope is normally distributed about 1 and the intercept about 0 before anything was
observed, so little evidence changes little. The loss is convex: Newton's method finds its minimum.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats

EDGE = 0.01
"""Degrees nearer to 0 or 1 than this are taken for this: their logits would say too much."""
SLOPE_SPREAD = 0.5
INTERCEPT_SPREAD = 1.0
"""Standard deviations of both before anything was observed."""
LEAST_SLOPE = 0.05
"""Never 0 or less: a degree that the oracle finds higher stays higher."""
STEPS = 30
NEAR = 1e-7


def logit(degree: Floats) -> Floats:
    """The logarithm of the odds, of degrees kept off 0 and 1."""
    kept = np.clip(degree, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)), dtype=np.float64)


def sigmoid(value: Floats) -> Floats:
    """The degree with these odds."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * value)), dtype=np.float64)


def fit_platt(prior: Floats, quality: Floats, weight: Floats) -> tuple[float, float]:
    """The most likely slope and intercept.

    Args:
        prior: the oracle's degrees, float64[n] in [0, 1].
        quality: what was observed, in [0, 1].
        weight: of each outcome, >= 0.
    """
    x = logit(prior)
    slope, intercept = _newton(x, quality, weight, free=True)
    if slope < LEAST_SLOPE:
        slope, intercept = _newton(x, quality, weight, free=False)
    return slope, intercept


def apply_platt(prior: Floats, slope: float, intercept: float) -> Floats:
    """The recalibrated degrees; slope 1 and intercept 0 leave each as it is, also 0 and 1."""
    x = logit(prior)
    shift = sigmoid(slope * x + intercept) - sigmoid(x)
    return np.asarray(np.clip(prior + shift, 0.0, 1.0), dtype=np.float64)


def _newton(x: Floats, quality: Floats, weight: Floats, *, free: bool) -> tuple[float, float]:
    """The minimum of the penalised loss; with `free` False the slope is LEAST_SLOPE."""
    slope, intercept = (1.0 if free else LEAST_SLOPE), 0.0
    tight = 1.0 / SLOPE_SPREAD**2, 1.0 / INTERCEPT_SPREAD**2
    loss = _loss(x, quality, weight, slope, intercept)
    for _ in range(STEPS):
        degree = sigmoid(slope * x + intercept)
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
        while size > NEAR:  # half the step until it doesn't overshoot
            new = slope - size * move[0], intercept - size * move[1]
            new_loss = _loss(x, quality, weight, *new)
            if new_loss <= loss:
                break
            size /= 2.0
        else:
            break
        slope, intercept, loss = *new, new_loss
        if max(abs(move[0]), abs(move[1])) < NEAR:
            break
    return slope, intercept


def log_likelihood(
    prior: Floats, quality: Floats, weight: Floats, slope: float, intercept: float
) -> float:
    """Of outcomes, if these are the slope and intercept."""
    z = slope * logit(prior) + intercept
    return -float(weight @ (np.logaddexp(0.0, z) - quality * z))


def _loss(x: Floats, quality: Floats, weight: Floats, slope: float, intercept: float) -> float:
    z = slope * x + intercept
    likelihood = float(weight @ (np.logaddexp(0.0, z) - quality * z))
    return (
        likelihood
        + 0.5 * ((slope - 1.0) / SLOPE_SPREAD) ** 2
        + 0.5 * (intercept / INTERCEPT_SPREAD) ** 2
    )
