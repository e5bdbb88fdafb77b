# SPDX-License-Identifier: Apache-2.0
"""Log-odds, isotonic regression and grouped sums.

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


def to_logit(degree: Floats) -> Floats:
    """Compute the log-odds of degrees clipped to [EDGE, 1 - EDGE]."""
    kept = np.clip(degree, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)), dtype=np.float64)


def to_degree(value: Floats) -> Floats:
    """Compute the degree with these log-odds."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * value)), dtype=np.float64)


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
