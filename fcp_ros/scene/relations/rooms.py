# SPDX-License-Identifier: Apache-2.0
"""Rooms and their floors, made where a source has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode
from fcp_ros.scene.graph.roles import FLOOR
from fcp_ros.scene.relations.draft import Draft
from fcp_ros.scene.shapes.levels import centre_of_room, own_floor_level
from fcp_ros.scene.shapes.polygons import bounds, footprint_of

FLOOR_THICKNESS = 0.02
"""Thickness (m) of a floor's box; its top is the room's floor level."""

_MARGIN = 0.5
"""Room (m) left around everything when the only room has to be assumed."""


def ensure_rooms(draft: Draft) -> None:
    """Without any room, one room around everything; every room gets a pose if it can."""
    if not draft.in_layer(Layer.ROOM):
        _assume_room(draft)
    for room in draft.in_layer(Layer.ROOM):
        centre = centre_of_room(room)
        if room.pose is None and centre is not None:
            draft.nodes[room.id] = replace(room, pose=Pose(centre))


def _assume_room(draft: Draft) -> None:
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


def ensure_floors(draft: Draft, room_of: Mapping[str, str]) -> dict[str, str]:
    """Each room's floor node, made where there is none; floor ids by room id.

    Args:
        draft: The scene.
        room_of: The room of each thing, as far as known.
    """
    floors = draft.floors()
    lowest = _lowest_bottoms(draft, room_of)
    for room in draft.in_layer(Layer.ROOM):
        if room.id not in floors:
            floor = _floor_node(draft.free_id(f"{room.id}_floor"), room, lowest.get(room.id))
            draft.nodes[floor.id] = floor
            floors[room.id] = floor.id
    return floors


def _lowest_bottoms(draft: Draft, room_of: Mapping[str, str]) -> dict[str, float]:
    """The lowest underside (m) of the boxes in each room."""
    lowest: dict[str, float] = {}
    for id_, room in room_of.items():
        node = draft.nodes[id_]
        if node.pose is not None and node.size is not None:
            bottom = node.pose.position[2] - node.size[2] / 2.0
            lowest[room] = min(bottom, lowest.get(room, bottom))
    return lowest


def _floor_node(id_: str, room: SceneNode, lowest: float | None) -> SceneNode:
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
