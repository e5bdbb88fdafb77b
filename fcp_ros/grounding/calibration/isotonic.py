# SPDX-License-Identifier: Apache-2.0
"""Isotonic regression: the nearest non-decreasing sequence, by pooling adjacent violators.

Source: Ayer, Brunk, Ewing, Reid and Silverman, An Empirical Distribution Function for Sampling
with Incomplete Information, 1955. (scipy has it since 1.12; this package serves older ones.)
"""

from __future__ import annotations

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats


def non_decreasing(values: Floats, weights: Floats) -> Floats:
    """The non-decreasing sequence with the least weighted squared distance.

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
