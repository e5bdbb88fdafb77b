# SPDX-License-Identifier: Apache-2.0
"""The room that contains a point, for many points at once.

A point is *in* a room if it lies in the room's outline or on it (even-odd rule; concave outlines
and rooms within rooms are fine) and, where the room's height is known, at most ``STOREY`` below its
floor or above its ceiling. Of several rooms the one counts whose storey fits the point best (least
excess above or below), then the one with the smallest area, then the lesser id. Clearness:
distance to the outline / clear.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from fcp_ros.scene.graph.elements import SceneNode, Vector
from fcp_ros.scene.relations.scored_pairs import BestPairs, ScoredPairs, share_of, to_confidence
from fcp_ros.scene.shapes.boxes import Floats, Indices
from fcp_ros.scene.shapes.polygons import area, centre_of_room, footprint_of, storey_of_room

STOREY = 0.5  # Greatest distance (m) of a point in a room below its floor or above its ceiling


class RoomFinder:
    """A search for rooms by position; those without an outline or box by their centre only.

    ``clear`` is the distance (m) inside an outline from which a point is there for certain.
    """

    def __init__(self, rooms: Sequence[SceneNode], clear: float) -> None:
        self._clear = clear
        shaped = [room for room in rooms if footprint_of(room)]
        self._ids = [room.id for room in shaped]
        footprints = [footprint_of(room) for room in shaped]
        self._outlines = np.array([shapely.Polygon(footprint) for footprint in footprints])
        self._areas = np.array([area(footprint) for footprint in footprints], dtype=np.float64)
        self._tree = shapely.STRtree(self._outlines)
        extents = [storey_of_room(room) for room in shaped]
        self._floor = np.array([low for low, _ in extents], dtype=np.float64)
        self._ceiling = np.array([high for _, high in extents], dtype=np.float64)
        centres = [(c, room.id) for room in rooms if (c := centre_of_room(room)) is not None]
        self._centre_ids = [id_ for _, id_ in centres]
        self._centres = np.array([centre for centre, _ in centres]).reshape(-1, 3)

    def find_containing(self, ids: Sequence[str], points: Floats) -> dict[str, tuple[str, float]]:
        """Find room and confidence by id, for the points (n, 3), in metres, in some room."""
        places = shapely.points(points[:, :2])
        point, room = self._tree.query(places, predicate="intersects")
        excess = self._measure_excess(points[point, 2], room)
        keep = np.flatnonzero(excess <= STOREY)
        point, room, excess = point[keep], room[keep], excess[keep]
        best = BestPairs(self._ids)
        best.add(ScoredPairs(point, room, excess, self._areas[room], np.ones(len(keep))))
        pairs = best.best()
        if pairs is None:
            return {}
        walls = shapely.boundary(self._outlines[pairs.other])
        depth = shapely.distance(places[pairs.item], walls)
        confidence = to_confidence(share_of(depth, self._clear))
        return {
            ids[point]: (self._ids[room], sure)
            for point, room, sure in zip(
                pairs.item.tolist(), pairs.other.tolist(), confidence.tolist(), strict=True
            )
        }

    def find_beside(self, points: Floats, reach: float) -> tuple[Indices, Indices, Floats]:
        """Find all rooms within reach (m) of points: numbers of point and room, distance (m)."""
        places = shapely.points(points[:, :2])
        point, room = self._tree.query(places, predicate="dwithin", distance=reach)
        keep = self._measure_excess(points[point, 2], room) <= STOREY
        point, room = point[keep], room[keep]
        return point, room, shapely.distance(places[point], self._outlines[room])

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
