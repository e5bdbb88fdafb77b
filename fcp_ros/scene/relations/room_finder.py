# SPDX-License-Identifier: Apache-2.0
"""In which room a point is, for many points at once.

A point is *in* a room if it lies in the room's outline (even-odd rule; concave outlines and
rooms within rooms are fine) and, where the room's height is known, at most ``STOREY`` below its
floor or above its ceiling. Of several the one counts whose storey holds the point best (least
excess above or below), then the one with the smallest area, then the lesser id. Clearness:
distance to the outline / clear.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fcp_ros.scene.graph.elements import SceneNode, Vector
from fcp_ros.scene.relations.found import BestOfEach, Found, confidence_of, share_of
from fcp_ros.scene.shapes.boxes import Floats, Indices
from fcp_ros.scene.shapes.levels import centre_of_room, storey_of_room
from fcp_ros.scene.shapes.outlines import Outlines, distance_to_outlines, within_outlines
from fcp_ros.scene.shapes.pairs import find_points_in_rectangles
from fcp_ros.scene.shapes.polygons import footprint_of

STOREY = 0.5
"""How far (m) below its floor or above its ceiling a point still counts as in a room."""


class RoomFinder:
    """Finds rooms by position.

    Args:
        rooms: All rooms; those without an outline or box are found by their centre only.
        clear: From this far (m) inside an outline on, a point is in the room for certain.
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

    def containing(self, ids: Sequence[str], points: Floats) -> dict[str, tuple[str, float]]:
        """Room and confidence by id, for the points that some room contains; points: (n, 3), m."""
        outlines = self._outlines
        best = BestOfEach(self._ids)
        for point, room in find_points_in_rectangles(points[:, :2], outlines.low, outlines.high):
            excess = self._excess(points[point, 2], room)
            keep = np.flatnonzero(excess <= STOREY)
            keep = keep[within_outlines(outlines, room[keep], points[point[keep], :2])]
            point, room, excess = point[keep], room[keep], excess[keep]
            best.add(Found(point, room, excess, outlines.area[room], np.ones(len(keep))))
        found = best.best()
        if found is None:
            return {}
        depth = distance_to_outlines(outlines, found.other, points[found.item, :2])
        confidence = confidence_of(share_of(depth, self._clear))
        return {
            ids[point]: (self._ids[room], sure)
            for point, room, sure in zip(
                found.item.tolist(), found.other.tolist(), confidence.tolist(), strict=True
            )
        }

    def beside(self, points: Floats, reach: float) -> tuple[Indices, Indices, Floats]:
        """(point, room, distance) of all rooms within reach (m) of each point, at its height."""
        outlines = self._outlines
        near: list[tuple[Indices, Indices, Floats]] = []
        low, high = outlines.low - reach, outlines.high + reach
        for point, room in find_points_in_rectangles(points[:, :2], low, high):
            keep = self._excess(points[point, 2], room) <= STOREY
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
        """Id of a room by its number."""
        return self._ids[room]

    def nearest(self, point: Vector) -> str | None:
        """The room whose centre is nearest; None where no room has a known centre."""
        if not self._centre_ids:
            return None
        away = np.square(self._centres - np.array(point)).sum(axis=1)
        return min(self._centre_ids[number] for number in np.flatnonzero(away == away.min()))

    def _excess(self, height: Floats, room: Indices) -> Floats:
        excess: Floats = np.maximum(
            np.maximum(self._floor[room] - height, height - self._ceiling[room]), 0.0
        )
        return excess
