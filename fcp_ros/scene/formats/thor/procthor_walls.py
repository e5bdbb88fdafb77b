# SPDX-License-Identifier: Apache-2.0
"""Walls of a ProcTHOR house: the doors and windows in them, open boundaries, and their heights.

Walls are upright rectangles without thickness. What is in a wall counts along its foot, from the
first of its two lowest corners.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.scene.formats.frames import UNITY
from fcp_ros.scene.formats.thor.procthor_model import HouseHole, HouseWall
from fcp_ros.scene.graph.elements import Pose, Vector
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.shapes.polygons import Polygon

BESIDE = 0.02
"""How far (m) the middle of an open boundary may be from the outline of the room beyond."""

BEYOND_WALL = 0.05
"""How far (m) a hole may reach beyond its wall."""

Box = tuple[Pose, Vector]


def hole_box(hole: HouseHole, wall: HouseWall, advice: str) -> Box:
    """Box of a door or window: its x axis along the wall, as thick as that, which is not at all.

    Raises:
        SceneError: It reaches beyond the wall.
    """
    start, end = _foot(wall)
    length = math.dist(start, end)
    along = sorted(corner.x for corner in hole.holePolygon)
    upward = sorted(corner.y for corner in hole.holePolygon)
    if along[0] < -BEYOND_WALL or along[-1] > length + BEYOND_WALL or length == 0.0:
        raise SceneError(
            f"its hole reaches from {along[0]} to {along[-1]} m along a wall of {length:.3g} m",
            element=hole.id,
            advice=advice,
        )
    share = (along[0] + along[-1]) / 2.0 / length
    x, y = (a + share * (b - a) for a, b in zip(start[:2], end[:2], strict=True))
    z = start[2] + (upward[0] + upward[-1]) / 2.0
    size = (along[-1] - along[0], 0.0, upward[-1] - upward[0])
    return Pose.at(x, y, z, _yaw(start, end)), size


def wall_box(wall: HouseWall) -> Box:
    """Box of a whole wall, its x axis along it."""
    start, end = _foot(wall)
    height = max(corner.y for corner in wall.polygon) - start[2]
    x, y, z = _middle(wall)
    size = (math.dist(start, end), 0.0, max(height, 0.0))
    return Pose.at(x, y, z + height / 2.0, _yaw(start, end)), size


def tops_of_walls(walls: Iterable[HouseWall]) -> dict[str, float]:
    """Greatest height (m) of the walls of each room, by room."""
    tops: dict[str, float] = {}
    for wall in walls:
        top = max(corner.y for corner in wall.polygon)
        tops[wall.roomId] = max(top, tops.get(wall.roomId, top))
    return tops


def open_boundaries(
    walls: Iterable[HouseWall], outlines: Mapping[str, Polygon]
) -> dict[str, tuple[str, str]]:
    """The two rooms of each open boundary, by the id of one of its (usually two) walls.

    Args:
        walls: All walls; those that are ``empty`` and belong to a room count.
        outlines: Outline of each room, by its id.
    """
    empty = [wall for wall in walls if wall.empty and wall.roomId in outlines]
    found: dict[str, tuple[str, str]] = {}
    seen = set()
    for wall, beyond in zip(empty, _rooms_beyond(empty, outlines), strict=True):
        x, y, _ = _middle(wall)
        key = (frozenset((wall.roomId, beyond)), round(x, 1), round(y, 1))
        if beyond and key not in seen:
            seen.add(key)
            found[wall.id] = wall.roomId, beyond
    return found


def _rooms_beyond(walls: Sequence[HouseWall], outlines: Mapping[str, Polygon]) -> list[str]:
    """For each wall the nearest other room whose outline its middle is on; "" for none."""
    if not walls:
        return []
    import shapely

    rooms = list(outlines)
    rings = [shapely.LineString([*outlines[room], outlines[room][0]]) for room in rooms]
    middles = shapely.points([_middle(wall)[:2] for wall in walls])
    near = shapely.STRtree(rings).query(middles, predicate="dwithin", distance=BESIDE)
    best = [(math.inf, "")] * len(walls)
    for number, ring in near.T.tolist():
        if rooms[ring] != walls[number].roomId:
            away = float(shapely.distance(middles[number], rings[ring]))
            best[number] = min(best[number], (away, rooms[ring]))
    return [room for _, room in best]


def _foot(wall: HouseWall) -> tuple[Vector, Vector]:
    first, second = sorted(wall.polygon, key=lambda corner: corner.y)[:2]
    return UNITY.point(first.values), UNITY.point(second.values)


def _middle(wall: HouseWall) -> Vector:
    start, end = _foot(wall)
    x, y, z = ((a + b) / 2.0 for a, b in zip(start, end, strict=True))
    return x, y, z


def _yaw(start: Vector, end: Vector) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])
