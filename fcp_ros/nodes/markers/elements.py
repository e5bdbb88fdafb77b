# SPDX-License-Identifier: Apache-2.0
"""Elements of the scene as markers: rooms, things as oriented boxes, doors, robots and people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.nodes.conversions.common import pose_to_ros
from fcp_ros.nodes.markers.drawing import Drawing, caption, colour, colour_of, extents, point, text
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import DOORS, FLOOR
from fcp_ros.scene.shapes.polygons import find_floor_levels, inner_point, triangulate

LINE_WIDTH = 0.04
"""Width of outlines (m)."""

ROOM_LABEL_HEIGHT = 0.25
"""Height of capital letters of a room's name (m)."""

UNKNOWN_HEIGHT = 2.4
"""Assumed height of rooms of unknown height (m)."""

_CLEAR = 0.2
"""Distance of a name above its room (m)."""


def draw_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespaces ``rooms`` (outlines) and ``floors`` (areas) of rooms with a polygon."""
    for node, level in _find_outlines(graph):
        yield Drawing("rooms", node.id, (node, level), partial(_make_outline, node, level))
        yield Drawing("floors", node.id, (node, level), partial(_make_area, node, level))


def label_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``labels/rooms``."""
    for node, level in _find_outlines(graph):
        yield Drawing("labels/rooms", node.id, (node, level), partial(_make_name, node, level))


def _find_outlines(graph: SceneGraph) -> Iterator[tuple[SceneNode, float]]:
    """Find rooms with a polygon, and the level of their floor."""
    levels = find_floor_levels(graph)
    return ((n, levels.get(n.id, 0.0)) for n in graph.in_layer(Layer.ROOM) if n.polygon)


def _make_outline(node: SceneNode, level: float) -> Marker:
    marker = Marker(type=Marker.LINE_STRIP, color=colour_of(node.id))
    marker.scale.x = LINE_WIDTH
    above = level + LINE_WIDTH / 2.0
    marker.points = [point((x, y, above)) for x, y in (*node.polygon, node.polygon[0])]
    return marker


def _make_area(node: SceneNode, level: float) -> Marker:
    marker = Marker(type=Marker.TRIANGLE_LIST, color=colour_of(node.id, alpha=0.2))
    marker.scale = extents((1.0, 1.0, 1.0))
    corners = (corner for triangle in triangulate(node.polygon) for corner in triangle)
    marker.points = [point((x, y, level)) for x, y in corners]
    return marker


def _make_name(node: SceneNode, level: float) -> Marker:
    x, y = inner_point(node.polygon)
    above = level + (node.height or UNKNOWN_HEIGHT) + _CLEAR
    return text(caption(node), (x, y, above), ROOM_LABEL_HEIGHT, colour(1.0, 1.0, 1.0))


UNKNOWN_SIZE = 0.1
"""Diameter of the ball that stands for a thing of unknown size (m)."""

LABEL_HEIGHT = 0.12
"""Height of capital letters of a thing's name (m)."""

SMALL_LABEL_HEIGHT = 0.07
"""That of a thing smaller than `SMALL`."""

SMALL = 0.3
"""Things whose largest extent is less (m) get small labels, so that a shelf stays readable."""

AGENT_SIZE = (0.4, 0.4, 0.4)
"""Assumed size of agents of unknown size (m)."""

HEADING_LENGTH = 0.6
"""Length of the arrow along an agent's heading (m)."""

OPEN = (0.2, 0.75, 0.3, 0.3)
CLOSED = (0.85, 0.2, 0.15, 0.8)
NEITHER = (0.6, 0.6, 0.6, 0.4)


def draw_doors(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``doors``: open ones green, closed ones red, others grey."""
    for node in _find_things(graph):
        if _is_door(node):
            yield Drawing("doors", node.id, (node,), partial(_make_door, node))


def draw_boxes(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``boxes``: everything else, in the colour of its category."""
    for node in _find_things(graph):
        if not _is_door(node):
            yield Drawing("boxes", node.id, (node,), partial(_make_box, node))


def draw_robots(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``robots``: robots, people and animals, with an arrow ahead."""
    for node in _find_agents(graph):
        yield Drawing("robots", (node.id, "body"), (node,), partial(_make_body, node))
        yield Drawing("robots", (node.id, "heading"), (node,), partial(_make_heading, node))


def label_robots(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``labels/robots``."""
    for node in _find_agents(graph):
        yield Drawing("labels/robots", node.id, (node,), partial(_make_label, node))


def label_things(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``labels/things``."""
    for node in _find_things(graph):
        yield Drawing("labels/things", node.id, (node,), partial(_make_label, node))


def _find_things(graph: SceneGraph) -> Iterator[SceneNode]:
    """Find objects with known poses; floors are drawn with their rooms."""
    for node in graph.nodes.values():
        if node.layer is Layer.OBJECT and node.pose is not None and node.category != FLOOR:
            yield node


def _find_agents(graph: SceneGraph) -> Iterator[SceneNode]:
    return (node for node in graph.in_layer(Layer.AGENT) if node.pose is not None)


def _is_door(node: SceneNode) -> bool:
    return normalise_label(node.category) in DOORS


def _make_door(node: SceneNode) -> Marker:
    is_open = node.attributes.get("is_open")
    look = OPEN if is_open is True else CLOSED if is_open is False else NEITHER
    return _make_solid(node, colour(*look))


def _make_box(node: SceneNode) -> Marker:
    return _make_solid(node, colour_of(node.category, alpha=0.6))


def _make_solid(node: SceneNode, paint: ColorRGBA) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.CUBE, pose=pose_to_ros(node.pose), color=paint)
    if node.size is None:
        marker.type = Marker.SPHERE
        marker.scale = extents((UNKNOWN_SIZE,) * 3)
    else:
        marker.scale = extents(node.size)
    return marker


def _make_body(node: SceneNode) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.CYLINDER, pose=pose_to_ros(node.pose))
    marker.color = colour_of(node.category, alpha=0.8)
    marker.scale = extents(node.size or AGENT_SIZE)
    return marker


def _make_heading(node: SceneNode) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.ARROW, pose=pose_to_ros(node.pose))
    marker.pose.position.z += (node.size or AGENT_SIZE)[2] / 4.0
    marker.color = colour_of(node.category)
    marker.scale = Vector3(x=HEADING_LENGTH, y=0.06, z=0.06)  # an arrow by pose: length and widths
    return marker


def _make_label(node: SceneNode) -> Marker:
    assert node.pose is not None
    extent = node.size or ((UNKNOWN_SIZE,) * 3 if node.layer is Layer.OBJECT else AGENT_SIZE)
    height = LABEL_HEIGHT if max(extent) >= SMALL else SMALL_LABEL_HEIGHT
    x, y, z = node.pose.position
    above = (x, y, z + extent[2] / 2.0 + height)
    return text(caption(node), above, height, colour(1.0, 1.0, 1.0))
