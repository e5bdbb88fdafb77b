# SPDX-License-Identifier: Apache-2.0
"""Rooms, floors and passages of a scene, made where a source has none, and the rooms of points.

A point is *in* a room if it lies in the room's outline or on it (even-odd rule; concave outlines
and rooms within rooms are fine) and, where the room's height is known, at most ``STOREY`` below its
floor or above its ceiling. Of several rooms the one counts whose storey fits the point best (least
excess above or below), then the one with the smallest area, then the lesser id. Clearness:
distance to the outline / clear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import shapely

from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, Vector
from fcp_ros.scene.graph.roles import FLOOR, is_robot
from fcp_ros.scene.relations.draft_graph import SceneDraft
from fcp_ros.scene.relations.scored_pairs import BestPairs, ScoredPairs, share_of, to_confidence
from fcp_ros.scene.shapes.boxes import Floats, Indices, measure_upright_half
from fcp_ros.scene.shapes.polygons import (
    area,
    bounds,
    centre_of_room,
    footprint_of,
    inner_point,
    own_floor_level,
    storey_of_room,
)

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


FLOOR_THICKNESS = 0.02  # Thickness (m) of a floor's box; its top is the room's floor level
_MARGIN = 0.5  # Distance (m) from the outermost things to the walls of an assumed room


class SceneStructure(NamedTuple):
    """The part of a scene that stays while things move."""

    rooms: Sequence[SceneNode]  # All rooms, in order
    finder: RoomFinder
    floors: Mapping[str, str]
    # Doors, passages and floors: they are in no room and rest on nothing
    fixed: frozenset[str] | set[str]


def ensure_rooms(draft: SceneDraft, *, assume: bool) -> None:
    """Add a room around everything if there is none (``assume``), and poses where possible."""
    if assume and not draft.in_layer(Layer.ROOM):
        _assume_room(draft)
    for room in draft.in_layer(Layer.ROOM):
        draft.nodes[room.id] = ensure_pose(room)


def ensure_pose(room: SceneNode) -> SceneNode:
    """Return a room with a pose at its centre, if it has none and the centre is known."""
    if room.pose is not None:
        return room
    centre = centre_of_room(room)
    return room if centre is None else replace(room, pose=Pose(centre))


def _assume_room(draft: SceneDraft) -> None:
    corners = [
        corner
        for node in draft.nodes.values()
        for corner in footprint_of(node) or ((node.pose.position[:2],) if node.pose else ())
    ]
    id_ = draft.free_id("room_1")
    node = SceneNode(id_, Layer.ROOM, "room")
    if corners:
        x0, y0, x1, y1 = bounds(corners)
        x0, y0, x1, y1 = x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN
        polygon = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        node = SceneNode(id_, Layer.ROOM, "room", polygon=polygon)
    draft.nodes[id_] = node
    draft.notes.append(f"the scene has no room: {id_} was put around everything")


def ensure_robot(draft: SceneDraft) -> None:
    """Add a robot in the first room if there is none; without a room there is no place for it."""
    rooms = draft.in_layer(Layer.ROOM)
    if not rooms or any(is_robot(agent) for agent in draft.in_layer(Layer.AGENT)):
        return
    room = rooms[0]
    id_ = draft.free_id("robot_1")
    if room.polygon and room.pose is not None:
        level = room.pose.position[2] - (room.height or 0.0) / 2.0
        pose = Pose((*inner_point(room.polygon), level))
        draft.nodes[id_] = SceneNode(id_, Layer.AGENT, "robot", pose=pose)
    else:
        draft.nodes[id_] = SceneNode(id_, Layer.AGENT, "robot", parents=(room.id,))
    draft.notes.append(f"the scene has no robot: {id_} was put in {room.id}")


def ensure_floors(draft: SceneDraft, room_of: Mapping[str, str]) -> dict[str, str]:
    """Add a floor node to each room that has none; return floor ids by room id."""
    floors = draft.find_floors()
    lowest = _find_lowest_bottoms(draft, room_of)
    for room in draft.in_layer(Layer.ROOM):
        if room.id not in floors:
            floor = _make_floor(draft.free_id(f"{room.id}_floor"), room, lowest.get(room.id))
            draft.nodes[floor.id] = floor
            floors[room.id] = floor.id
    return floors


def _find_lowest_bottoms(draft: SceneDraft, room_of: Mapping[str, str]) -> dict[str, float]:
    """Find the lowest underside (m) of the boxes in each room."""
    lowest: dict[str, float] = {}
    for id_, room in room_of.items():
        node = draft.nodes[id_]
        if node.pose is not None and node.size is not None:
            bottom = node.pose.position[2] - measure_upright_half(node)
            lowest[room] = min(bottom, lowest.get(room, bottom))
    return lowest


def _make_floor(id_: str, room: SceneNode, lowest: float | None) -> SceneNode:
    footprint = footprint_of(room)
    if not footprint:
        return SceneNode(id_, Layer.OBJECT, FLOOR, parents=(room.id,))
    level = own_floor_level(room)
    if level is None or (room.height is None and lowest is not None):
        level = lowest if lowest is not None else (room.pose.position[2] if room.pose else 0.0)
    x0, y0, x1, y1 = bounds(footprint)
    middle = Pose(((x0 + x1) / 2.0, (y0 + y1) / 2.0, level - FLOOR_THICKNESS / 2.0))
    return SceneNode(
        id_,
        Layer.OBJECT,
        FLOOR,
        pose=middle,
        size=(x1 - x0, y1 - y0, FLOOR_THICKNESS),
        polygon=footprint,
        parents=(room.id,),
    )


def find_room_parents(
    node: SceneNode, nodes: Mapping[str, SceneNode], known: dict[str, tuple[str, ...]] | None = None
) -> tuple[str, ...]:
    """Return the rooms above a node in the hierarchy (the nearest on each way up).

    One table ``known`` for many calls, which each extends, makes their time linear in the
    hierarchy instead of in the sum of all depths.
    """
    known = {} if known is None else known
    waiting = [node]
    while waiting:
        current = waiting[-1]
        if current.id in known:
            waiting.pop()
            continue
        above = [nodes[parent] for parent in current.parents]
        ahead = [each for each in above if each.layer is not Layer.ROOM and each.id not in known]
        if ahead:
            waiting += ahead
            continue
        waiting.pop()
        rooms: dict[str, None] = {}
        for each in reversed(above):
            found = (each.id,) if each.layer is Layer.ROOM else known[each.id]
            rooms.update(dict.fromkeys(found))
        known[current.id] = tuple(rooms)
    return known[node.id]
