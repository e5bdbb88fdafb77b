# SPDX-License-Identifier: Apache-2.0
"""The structure of a scene: rooms, floors and passages; made where a source has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode
from fcp_ros.scene.graph.roles import FLOOR, is_robot
from fcp_ros.scene.relations.draft import SceneDraft
from fcp_ros.scene.relations.room_finder import RoomFinder
from fcp_ros.scene.shapes.boxes import measure_upright_half
from fcp_ros.scene.shapes.polygons import (
    bounds,
    centre_of_room,
    footprint_of,
    inner_point,
    own_floor_level,
)

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
