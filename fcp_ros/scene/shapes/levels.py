# SPDX-License-Identifier: Apache-2.0
"""How high the floors of rooms are."""

from __future__ import annotations

from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

FLOOR = "floor"
"""Category of the node that a room stands on."""


def floor_levels(graph: SceneGraph) -> dict[str, float]:
    """Height of the floor (m) by room.

    As the room's own pose and height say, else the top of its floor node, else the height of its
    pose; rooms of which nothing is known are left out.
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
    """Height of a box's underside, or of a room's floor (m); None without a pose.

    Where the extent is unknown it is the height of the pose.
    """
    return None if node.pose is None else node.pose.position[2] - _extent(node) / 2.0


def top(node: SceneNode) -> float | None:
    """Height of a box's top, or of a room's ceiling (m); as `underside`."""
    return None if node.pose is None else node.pose.position[2] + _extent(node) / 2.0


def _extent(node: SceneNode) -> float:
    if node.height is not None:
        return node.height
    return node.size[2] if node.size is not None else 0.0
