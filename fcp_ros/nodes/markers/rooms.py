# SPDX-License-Identifier: Apache-2.0
"""Rooms: their outline and floor area, and their name above."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from visualization_msgs.msg import Marker

from fcp_ros.nodes.markers.drawing import Drawing, caption, colour, colour_of, extents, point, text
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.levels import find_floor_levels
from fcp_ros.scene.shapes.polygons import inner_point, triangulate

LINE_WIDTH = 0.04
"""Width of outlines (m)."""

LABEL_HEIGHT = 0.25
"""Height of capital letters of a room's name (m)."""

UNKNOWN_HEIGHT = 2.4
"""Taken for the height of rooms of unknown height (m)."""

_CLEAR = 0.2
"""How far above a room its name hovers (m)."""


def draw_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespaces ``rooms`` (outlines) and ``floors`` (areas) of rooms with a polygon."""
    for node, level in _outlined(graph):
        yield Drawing("rooms", node.id, (node, level), partial(_outline, node, level))
        yield Drawing("floors", node.id, (node, level), partial(_area, node, level))


def label_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``labels/rooms``."""
    for node, level in _outlined(graph):
        yield Drawing("labels/rooms", node.id, (node, level), partial(_name, node, level))


def _outlined(graph: SceneGraph) -> Iterator[tuple[SceneNode, float]]:
    """Rooms with a polygon, and the level of their floor."""
    levels = find_floor_levels(graph)
    return ((n, levels.get(n.id, 0.0)) for n in graph.in_layer(Layer.ROOM) if n.polygon)


def _outline(node: SceneNode, level: float) -> Marker:
    marker = Marker(type=Marker.LINE_STRIP, color=colour_of(node.id))
    marker.scale.x = LINE_WIDTH
    above = level + LINE_WIDTH / 2.0
    marker.points = [point((x, y, above)) for x, y in (*node.polygon, node.polygon[0])]
    return marker


def _area(node: SceneNode, level: float) -> Marker:
    marker = Marker(type=Marker.TRIANGLE_LIST, color=colour_of(node.id, alpha=0.2))
    marker.scale = extents((1.0, 1.0, 1.0))
    corners = (corner for triangle in triangulate(node.polygon) for corner in triangle)
    marker.points = [point((x, y, level)) for x, y in corners]
    return marker


def _name(node: SceneNode, level: float) -> Marker:
    x, y = inner_point(node.polygon)
    above = level + (node.height or UNKNOWN_HEIGHT) + _CLEAR
    return text(caption(node), (x, y, above), LABEL_HEIGHT, colour(1.0, 1.0, 1.0))
