# SPDX-License-Identifier: Apache-2.0
"""Rooms: their outline and floor area, and their name above."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from visualization_msgs.msg import Marker

from fcp_ros.nodes.markers.drawing import Drawing, colour, colour_of, extents, point, text
from fcp_ros.scene.graph.graph import Layer, SceneGraph, SceneNode
from fcp_ros.scene.shapes.footprint import inner_point
from fcp_ros.scene.shapes.route import underside
from fcp_ros.scene.shapes.triangles import triangles_of

LINE_WIDTH = 0.04
"""Width of outlines (m)."""

LABEL_HEIGHT = 0.25
"""Height of capital letters of a room's name (m)."""

_CLEAR = 0.2
"""How far above a room its name hovers (m)."""


def draw_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespaces ``rooms`` (outlines) and ``floors`` (areas) of rooms with a polygon."""
    for node in _outlined(graph):
        yield Drawing("rooms", node.id, (node,), partial(_outline, node))
        yield Drawing("floors", node.id, (node,), partial(_area, node))


def label_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``labels/rooms``."""
    for node in _outlined(graph):
        yield Drawing("labels/rooms", node.id, (node,), partial(_name, node))


def _outlined(graph: SceneGraph) -> list[SceneNode]:
    return [node for node in graph.in_layer(Layer.ROOM) if node.polygon]


def _level(node: SceneNode) -> float:
    bottom = underside(node)
    return 0.0 if bottom is None else bottom


def _outline(node: SceneNode) -> Marker:
    marker = Marker(type=Marker.LINE_STRIP, color=colour_of(node.id))
    marker.scale.x = LINE_WIDTH
    level = _level(node) + LINE_WIDTH / 2.0
    marker.points = [point((x, y, level)) for x, y in (*node.polygon, node.polygon[0])]
    return marker


def _area(node: SceneNode) -> Marker:
    marker = Marker(type=Marker.TRIANGLE_LIST, color=colour_of(node.id, alpha=0.2))
    marker.scale = extents((1.0, 1.0, 1.0))
    level = _level(node)
    corners = (corner for triangle in triangles_of(node.polygon) for corner in triangle)
    marker.points = [point((x, y, level)) for x, y in corners]
    return marker


def _name(node: SceneNode) -> Marker:
    x, y = inner_point(node.polygon)
    top = _level(node) + (node.height or 0.0) + _CLEAR
    return text(node.id, (x, y, top), LABEL_HEIGHT, colour(1.0, 1.0, 1.0))
