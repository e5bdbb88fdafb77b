# SPDX-License-Identifier: Apache-2.0
"""Many polygons as arrays, with tests of many points against them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.shapes.polygons import Polygon, area, bounds

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_EDGES_AT_ONCE = 1 << 19


@dataclass(frozen=True)
class Outlines:
    """m simple polygons, edge after edge.

    Attributes:
        start: Index of each polygon's first edge, m; its other edges follow.
        count: Number of each polygon's edges, m.
        begin: Begin of each edge, shape (e, 2), metres.
        end: End of each edge.
        low: Least x and y of each polygon, shape (m, 2).
        high: Greatest x and y.
        area: Areas (m2), m.
    """

    start: Indices
    count: Indices
    begin: Floats
    end: Floats
    low: Floats
    high: Floats
    area: Floats

    @staticmethod
    def of(polygons: Sequence[Polygon]) -> Outlines:
        """Build the arrays from polygons of at least three corners each."""
        count = np.array([len(polygon) for polygon in polygons], dtype=np.intp)
        corners = [corner for polygon in polygons for corner in polygon]
        after = [corner for polygon in polygons for corner in (*polygon[1:], polygon[0])]
        boxes = np.array([bounds(polygon) for polygon in polygons], dtype=np.float64)
        boxes = boxes.reshape(len(polygons), 4)
        return Outlines(
            start=np.cumsum(count) - count,
            count=count,
            begin=np.array(corners, dtype=np.float64).reshape(-1, 2),
            end=np.array(after, dtype=np.float64).reshape(-1, 2),
            low=boxes[:, :2],
            high=boxes[:, 2:],
            area=np.array([area(polygon) for polygon in polygons], dtype=np.float64),
        )


def within_outlines(outlines: Outlines, which: Indices, points: Floats) -> NDArray[np.bool_]:
    """Test whether each point lies in its polygon (even-odd rule).

    Args:
        outlines: m polygons.
        which: Number of the polygon that each point is tested against, shape (n,).
        points: Shape (n, 2), metres.

    Returns:
        Shape (n,). A point on an edge that two polygons share is in at most one of them.
    """
    inside = np.zeros(len(which), dtype=np.bool_)
    for pair, edge, first in _pair_edges(outlines, which):
        x, y = points[pair, 0], points[pair, 1]
        begin, end = outlines.begin[edge], outlines.end[edge]
        straddles = (begin[:, 1] > y) != (end[:, 1] > y)
        rise = end[:, 1] - begin[:, 1]
        rise = np.where(rise == 0.0, 1.0, rise)  # level edges straddle nothing
        crossing = begin[:, 0] + (y - begin[:, 1]) / rise * (end[:, 0] - begin[:, 0])
        hits = np.add.reduceat((straddles & (x < crossing)).astype(np.intp), first)
        inside[pair[first]] = hits % 2 == 1
    return inside


def distance_to_outlines(outlines: Outlines, which: Indices, points: Floats) -> Floats:
    """Compute the distance (m) of each point to the nearest edge of its polygon, on either side."""
    away = np.zeros(len(which), dtype=np.float64)
    for pair, edge, first in _pair_edges(outlines, which):
        begin = outlines.begin[edge]
        run = outlines.end[edge] - begin
        offset = points[pair] - begin
        length = run[:, 0] * run[:, 0] + run[:, 1] * run[:, 1]
        along = offset[:, 0] * run[:, 0] + offset[:, 1] * run[:, 1]
        share = np.clip(along / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
        x, y = offset[:, 0] - share * run[:, 0], offset[:, 1] - share * run[:, 1]
        away[pair[first]] = np.sqrt(np.minimum.reduceat(x * x + y * y, first))
    return away


def _pair_edges(outlines: Outlines, which: Indices) -> Iterator[tuple[Indices, Indices, Indices]]:
    """Yield (pair, edge) for every edge of each pair's polygon, and the first row of each pair.

    Batches hold up to ``_EDGES_AT_ONCE`` rows, or all edges of one polygon.
    """
    count = outlines.count[which]
    total = np.cumsum(count)
    start = 0
    while start < len(which):
        done = int(total[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(total, done + _EDGES_AT_ONCE, "right")))
        some = np.arange(start, stop)
        first = total[some] - count[some] - done
        edge = np.arange(int(total[stop - 1]) - done)
        edge += np.repeat(outlines.start[which[some]] - first, count[some])
        yield np.repeat(some, count[some]), edge, first
        start = stop
