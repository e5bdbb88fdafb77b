# SPDX-License-Identifier: Apache-2.0
"""The room that contains a point, for many points at once.

A point is *in* a room if it lies in the room's outline (even-odd rule; concave outlines and
rooms within rooms are fine) and, where the room's height is known, at most ``STOREY`` below its
floor or above its ceiling. Of several rooms the one counts whose storey fits the point best (least
excess above or below), then the one with the smallest area, then the lesser id. Clearness:
distance to the outline / clear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import SceneNode, Vector
from fcp_ros.scene.relations.conditions.scored_pairs import (
    BestPairs,
    ScoredPairs,
    share_of,
    to_confidence,
)
from fcp_ros.scene.shapes.boxes import Floats, Indices
from fcp_ros.scene.shapes.pairs import find_points_in_rectangles
from fcp_ros.scene.shapes.polygons import (
    Polygon,
    area,
    bounds,
    centre_of_room,
    footprint_of,
    storey_of_room,
)

# --- many polygons as arrays, with tests of many points against them at once ---


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


# --- the room that contains a point, for many points at once ---

STOREY = 0.5
"""Greatest distance (m) of a point in a room below its floor or above its ceiling."""


class RoomFinder:
    """A search for rooms by position.

    Args:
        rooms: All rooms; those without an outline or box are found by their centre only.
        clear: Distance (m) inside an outline from which a point is in the room for certain.
    """

    def __init__(self, rooms: Sequence[SceneNode], clear: float) -> None:
        self._clear = clear
        shaped = [room for room in rooms if footprint_of(room)]
        self._ids = [room.id for room in shaped]
        self._outlines = Outlines.of([footprint_of(room) for room in shaped])
        extents = [storey_of_room(room) for room in shaped]
        self._floor = np.array([low for low, _ in extents], dtype=np.float64)
        self._ceiling = np.array([high for _, high in extents], dtype=np.float64)
        centres = [(c, room.id) for room in rooms if (c := centre_of_room(room)) is not None]
        self._centre_ids = [id_ for _, id_ in centres]
        self._centres = np.array([centre for centre, _ in centres]).reshape(-1, 3)

    def find_containing(self, ids: Sequence[str], points: Floats) -> dict[str, tuple[str, float]]:
        """Find the rooms that contain points.

        Args:
            ids: Id of each point.
            points: Shape (n, 3), metres.

        Returns:
            Room and confidence by id, for the points that some room contains.
        """
        outlines = self._outlines
        best = BestPairs(self._ids)
        for point, room in find_points_in_rectangles(points[:, :2], outlines.low, outlines.high):
            excess = self._measure_excess(points[point, 2], room)
            keep = np.flatnonzero(excess <= STOREY)
            keep = keep[within_outlines(outlines, room[keep], points[point[keep], :2])]
            point, room, excess = point[keep], room[keep], excess[keep]
            best.add(ScoredPairs(point, room, excess, outlines.area[room], np.ones(len(keep))))
        pairs = best.best()
        if pairs is None:
            return {}
        depth = distance_to_outlines(outlines, pairs.other, points[pairs.item, :2])
        confidence = to_confidence(share_of(depth, self._clear))
        return {
            ids[point]: (self._ids[room], sure)
            for point, room, sure in zip(
                pairs.item.tolist(), pairs.other.tolist(), confidence.tolist(), strict=True
            )
        }

    def find_beside(self, points: Floats, reach: float) -> tuple[Indices, Indices, Floats]:
        """Find all rooms within reach (m) of each point, at its height.

        Returns:
            Arrays of equal length: number of the point, number of the room, distance (m).
        """
        outlines = self._outlines
        near: list[tuple[Indices, Indices, Floats]] = []
        low, high = outlines.low - reach, outlines.high + reach
        for point, room in find_points_in_rectangles(points[:, :2], low, high):
            keep = self._measure_excess(points[point, 2], room) <= STOREY
            point, room = point[keep], room[keep]
            away = distance_to_outlines(outlines, room, points[point, :2])
            away[within_outlines(outlines, room, points[point, :2])] = 0.0
            keep = away <= reach
            near.append((point[keep], room[keep], away[keep]))
        if not near:
            return np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0)
        return (
            np.concatenate([point for point, _, _ in near]),
            np.concatenate([room for _, room, _ in near]),
            np.concatenate([away for _, _, away in near]),
        )

    def id_of(self, room: int) -> str:
        """Return the id of a room by its number."""
        return self._ids[room]

    def find_nearest(self, point: Vector) -> str | None:
        """Find the room whose centre is nearest; None if no room has a known centre."""
        if not self._centre_ids:
            return None
        away = np.square(self._centres - np.array(point)).sum(axis=1)
        return min(self._centre_ids[number] for number in np.flatnonzero(away == away.min()))

    def _measure_excess(self, height: Floats, room: Indices) -> Floats:
        """Measure how far (m) heights are below the floors or above the ceilings of rooms."""
        excess: Floats = np.maximum(
            np.maximum(self._floor[room] - height, height - self._ceiling[room]), 0.0
        )
        return excess
