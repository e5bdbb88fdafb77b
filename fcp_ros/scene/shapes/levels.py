# SPDX-License-Identifier: Apache-2.0
"""Heights of rooms and boxes, and the centres of rooms."""

from __future__ import annotations

import math

from fcp_ros.scene.graph.elements import Layer, SceneNode, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR
from fcp_ros.scene.shapes.polygons import centroid, footprint_of


def find_floor_levels(graph: SceneGraph) -> dict[str, float]:
    """Find the height of the floor (m) of each room.

    The room's own pose and height come first, then the top of its floor node, then the height of
    its pose; rooms without any of these are left out.
    """
    tops = {
        relation.elements[1]: top(graph.nodes[relation.elements[0]])
        for relation in graph.relations_named("in_room")
        if graph.nodes[relation.elements[0]].category == FLOOR and len(relation.elements) == 2
    }
    levels = {}
    for room in graph.in_layer(Layer.ROOM):
        known = underside(room) if room.height is not None else None
        for level in (known, tops.get(room.id), underside(room)):
            if level is not None:
                levels[room.id] = level
                break
    return levels


def underside(node: SceneNode) -> float | None:
    """Return the height of a box's underside, or of a room's floor (m); None without a pose.

    Where the extent is unknown, it is the height of the pose.
    """
    return None if node.pose is None else node.pose.position[2] - _extent(node) / 2.0


def top(node: SceneNode) -> float | None:
    """Return the height of a box's top, or of a room's ceiling (m); as `underside`."""
    return None if node.pose is None else node.pose.position[2] + _extent(node) / 2.0


def _extent(node: SceneNode) -> float:
    if node.height is not None:
        return node.height
    return node.size[2] if node.size is not None else 0.0


def centre_of_room(room: SceneNode) -> Vector | None:
    """Return the centre of a room (m): of its footprint, at its pose's height or half its own."""
    footprint = footprint_of(room)
    level = room.pose.position[2] if room.pose else (room.height or 0.0) / 2.0
    if footprint:
        return (*centroid(footprint), level)
    return room.pose.position if room.pose else None


def own_floor_level(room: SceneNode) -> float | None:
    """Return the height (m) of a room's floor where the room itself states it."""
    height = room.height or (room.size[2] if room.size else None)
    if room.pose is not None and height is not None:
        return room.pose.position[2] - height / 2.0
    return 0.0 if room.pose is None and room.polygon else None


def storey_of_room(room: SceneNode) -> tuple[float, float]:
    """Return the heights (m) of floor and ceiling; infinite where they are not known."""
    level = own_floor_level(room)
    if level is None or room.height is None:
        return -math.inf, math.inf
    return level, level + room.height
