# SPDX-License-Identifier: Apache-2.0
"""Arrays of outcomes, and sums of them by context or group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def sums(number: Ints, values: Floats, least: int = 0) -> Floats:
    """The sum of the values of each number 0 .. n - 1, float64[n] with n >= `least`."""
    return np.bincount(number, values, least).astype(np.float64)
