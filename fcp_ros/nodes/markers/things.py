# SPDX-License-Identifier: Apache-2.0
"""Things as boxes with their turn, doors by their state, robots and people with their heading."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.nodes.conversions.scene import pose_to_ros
from fcp_ros.nodes.markers.drawing import Drawing, caption, colour, colour_of, extents, text
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import DOORS, FLOOR

UNKNOWN_SIZE = 0.1
"""Diameter of the ball that stands for a thing of unknown size (m)."""

LABEL_HEIGHT = 0.12
"""Height of capital letters of a thing's name (m)."""

SMALL_LABEL_HEIGHT = 0.07
"""That of a thing smaller than `SMALL`."""

SMALL = 0.3
"""Things whose largest extent is less (m) get small labels, so that a shelf stays readable."""

AGENT_SIZE = (0.4, 0.4, 0.4)
"""Taken for agents of unknown size (m)."""

HEADING_LENGTH = 0.6
"""Length of the arrow that shows where an agent looks (m)."""

OPEN = (0.2, 0.75, 0.3, 0.3)
CLOSED = (0.85, 0.2, 0.15, 0.8)
NEITHER = (0.6, 0.6, 0.6, 0.4)


def draw_doors(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``doors``: green and see-through where open, red where closed, grey for neither."""
    for node in _things(graph):
        if _is_door(node):
            yield Drawing("doors", node.id, (node,), partial(_door, node))


def draw_boxes(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``boxes``: everything else, in the colour of its category."""
    for node in _things(graph):
        if not _is_door(node):
            yield Drawing("boxes", node.id, (node,), partial(_box, node))


def draw_robots(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``robots``: robots, people and animals, with an arrow ahead."""
    for node in _agents(graph):
        yield Drawing("robots", (node.id, "body"), (node,), partial(_body, node))
        yield Drawing("robots", (node.id, "heading"), (node,), partial(_heading, node))


def label_robots(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``labels/robots``."""
    for node in _agents(graph):
        yield Drawing("labels/robots", node.id, (node,), partial(_label, node))


def label_things(graph: SceneGraph) -> Iterator[Drawing]:
    """Namespace ``labels/things``."""
    for node in _things(graph):
        yield Drawing("labels/things", node.id, (node,), partial(_label, node))


def _things(graph: SceneGraph) -> Iterator[SceneNode]:
    """Objects at a known place, but for floors, which are drawn with their rooms."""
    for node in graph.nodes.values():
        if node.layer is Layer.OBJECT and node.pose is not None and node.category != FLOOR:
            yield node


def _agents(graph: SceneGraph) -> Iterator[SceneNode]:
    return (node for node in graph.in_layer(Layer.AGENT) if node.pose is not None)


def _is_door(node: SceneNode) -> bool:
    return normalise_label(node.category) in DOORS


def _door(node: SceneNode) -> Marker:
    is_open = node.attributes.get("is_open")
    look = OPEN if is_open is True else CLOSED if is_open is False else NEITHER
    return _solid(node, colour(*look))


def _box(node: SceneNode) -> Marker:
    return _solid(node, colour_of(node.category, alpha=0.6))


def _solid(node: SceneNode, paint: ColorRGBA) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.CUBE, pose=pose_to_ros(node.pose), color=paint)
    if node.size is None:
        marker.type = Marker.SPHERE
        marker.scale = extents((UNKNOWN_SIZE,) * 3)
    else:
        marker.scale = extents(node.size)
    return marker


def _body(node: SceneNode) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.CYLINDER, pose=pose_to_ros(node.pose))
    marker.color = colour_of(node.category, alpha=0.8)
    marker.scale = extents(node.size or AGENT_SIZE)
    return marker


def _heading(node: SceneNode) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.ARROW, pose=pose_to_ros(node.pose))
    marker.pose.position.z += (node.size or AGENT_SIZE)[2] / 4.0
    marker.color = colour_of(node.category)
    marker.scale = Vector3(x=HEADING_LENGTH, y=0.06, z=0.06)  # an arrow by pose: length and widths
    return marker


def _label(node: SceneNode) -> Marker:
    assert node.pose is not None
    extent = node.size or ((UNKNOWN_SIZE,) * 3 if node.layer is Layer.OBJECT else AGENT_SIZE)
    height = LABEL_HEIGHT if max(extent) >= SMALL else SMALL_LABEL_HEIGHT
    x, y, z = node.pose.position
    above = (x, y, z + extent[2] / 2.0 + height)
    return text(caption(node), above, height, colour(1.0, 1.0, 1.0))
