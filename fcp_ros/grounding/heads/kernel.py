# SPDX-License-Identifier: Apache-2.0
"""Likeness of rows of features: sums of bells, one for each block of columns. Only numpy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Kernel:
    """Likeness of rows of features.

    Args:
        widths: number of columns of each block.
        sharpness: of each block, > 0; 1 / (2 * squared width of the bell).
    """

    widths: tuple[int, ...]
    sharpness: tuple[float, ...]

    def compute(self, rows: Array, others: Array) -> Array:
        """Compute the likeness of rows to others, shape (len(rows), len(others))."""
        total = np.zeros((len(rows), len(others)), np.float32)
        start = 0
        for width, sharpness in zip(self.widths, self.sharpness, strict=True):
            block = slice(start, start + width)
            total += _compute_bell(rows[:, block], others[:, block], sharpness)
            start += width
        return total

    def sharpen(self, factor: float) -> Kernel:
        """Multiply all sharpness by a factor."""
        return replace(self, sharpness=tuple(factor * value for value in self.sharpness))


def _compute_bell(a: Array, b: Array, sharpness: float) -> Array:
    """Compute exp(-sharpness * |a_i - b_j|^2), shape (len(a), len(b))."""
    found = (2.0 * a) @ b.T
    found -= (a * a).sum(axis=1)[:, None]
    found -= (b * b).sum(axis=1)[None]
    np.minimum(found, 0.0, out=found)
    found *= np.float32(sharpness)
    return np.asarray(np.exp(found, out=found), np.float32)
