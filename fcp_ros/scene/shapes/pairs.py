# SPDX-License-Identifier: Apache-2.0
"""Pairs of points and the upright rectangles that hold them, in bounded memory.

The plane is cut into strips; in each strip the points are sorted by x, so that the points in a
rectangle are one run in each strip, found by bisection. That takes O((n + m) log n) plus the size
of the output, whatever the sizes of the rectangles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PAIRS_AT_ONCE = 1 << 19
"""Greatest number of pairs held at the same time (or one more strip of one rectangle)."""

FEW = 1 << 16
"""Up to this many pairs, comparing all is faster than sorting."""


def find_points_in_rectangles(
    points: Floats, low: Floats, high: Floats, at_once: int = PAIRS_AT_ONCE, few: int = FEW
) -> Iterator[tuple[Indices, Indices]]:
    """Yield pairs (point, rectangle) with the point in the rectangle, its border included.

    Args:
        points: Shape (n, 2), metres.
        low: Least x and y of each rectangle, shape (m, 2).
        high: Greatest x and y, shape (m, 2).
        at_once: Approximate number of pairs to hold at once.
        few: Greatest number of pairs for which all are compared.

    Yields:
        Two arrays of equal length, indices of points and of rectangles. The pairs of one
        rectangle may be spread over several.
    """
    count = len(points)
    if count == 0 or len(low) == 0:
        return
    if count * len(low) <= few:
        x, y = points[:, 0, None], points[:, 1, None]
        within = (x >= low[:, 0]) & (x <= high[:, 0]) & (y >= low[:, 1]) & (y <= high[:, 1])
        point, rectangle = np.nonzero(within)
        yield point, rectangle
        return
    strip = _choose_strip_height(points[:, 1], high[:, 1] - low[:, 1])
    rows, row = np.unique(np.floor(points[:, 1] / strip), return_inverse=True)
    by_x = np.argsort(points[:, 0], kind="stable")
    place = np.empty(count, dtype=np.intp)
    place[by_x] = np.arange(count)
    keys = row * count + place
    order = np.argsort(keys)
    keys = keys[order]
    ranked = points[by_x, 0]
    left = np.searchsorted(ranked, low[:, 0], "left")
    right = np.searchsorted(ranked, high[:, 0], "right")
    top = np.searchsorted(rows, np.floor(low[:, 1] / strip), "left")
    strips = np.searchsorted(rows, np.floor(high[:, 1] / strip), "right") - top
    strips[right <= left] = 0
    for some in _split_batches(strips, at_once):
        rectangle = np.repeat(some, strips[some])
        in_row = _concatenate_ranges(top[some], strips[some]) * count
        start = np.searchsorted(keys, in_row + left[rectangle])
        length = np.searchsorted(keys, in_row + right[rectangle]) - start
        for runs in _split_batches(length, at_once):
            point = order[_concatenate_ranges(start[runs], length[runs])]
            within = np.repeat(rectangle[runs], length[runs])
            y = points[point, 1]
            keep = (y >= low[within, 1]) & (y <= high[within, 1])
            yield point[keep], within[keep]


def _choose_strip_height(y: Floats, heights: Floats) -> float:
    """Return the height of a median rectangle, which then meets two strips."""
    usual = float(np.median(heights))
    if usual > 0.0:
        return usual
    spread = float(y.max() - y.min()) / len(y)
    return spread if spread > 0.0 else 1.0


def _split_batches(sizes: Indices, at_once: int) -> Iterator[Indices]:
    """Yield the indices of non-empty entries, in batches whose sizes add up to ``at_once``."""
    filled = np.flatnonzero(sizes > 0)
    if not filled.size:
        return
    total = np.cumsum(sizes[filled])
    start = 0
    while start < len(filled):
        done = int(total[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(total, done + at_once, "right")))
        yield filled[start:stop]
        start = stop


def _concatenate_ranges(start: Indices, length: Indices) -> Indices:
    """Concatenate the ranges start[i], start[i] + 1, ... of length[i] numbers each."""
    ends = np.cumsum(length)
    numbers: Indices = np.arange(int(ends[-1]) if len(ends) else 0)
    numbers += np.repeat(start - (ends - length), length)
    return numbers
