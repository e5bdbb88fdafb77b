# SPDX-License-Identifier: Apache-2.0
"""A scene graph as markers for RViz: room outlines, boxes, labels."""

from __future__ import annotations

import colorsys
import zlib

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from fcp_ros.nodes.conversions.scene import pose_to_message
from fcp_ros.scene.graph.graph import Layer, SceneGraph, SceneNode

LABEL_HEIGHT = 0.12
"""Height of capital letters (m)."""
LINE_WIDTH = 0.03
"""Width of room outlines (m)."""
UNKNOWN_SIZE = 0.1
"""Diameter of the ball that stands for a thing of unknown size (m)."""


def graph_to_markers(graph: SceneGraph, stamp: Time) -> MarkerArray:
    """All markers of a graph; the first one clears what was shown before.

    Namespaces: ``rooms``, ``boxes``, ``labels``. Nodes without a pose are not shown.
    """
    array = MarkerArray(markers=[Marker(action=Marker.DELETEALL)])
    for number, node in enumerate(graph.nodes.values()):
        array.markers.extend(_markers_of(node, number))
    for marker in array.markers:
        marker.header.frame_id = graph.frame_id
        marker.header.stamp = stamp
    return array


def _markers_of(node: SceneNode, number: int) -> list[Marker]:
    shown = []
    if node.layer is Layer.ROOM and node.polygon:
        shown.append(_outline(node, number))
    elif node.layer in (Layer.OBJECT, Layer.AGENT) and node.pose is not None:
        shown.append(_box(node, number))
    if node.pose is not None and node.layer is not Layer.PLACE:
        shown.append(_label(node, number))
    return shown


def _outline(node: SceneNode, number: int) -> Marker:
    height = 0.0
    if node.pose is not None and node.height is not None:
        height = node.pose.position[2] - node.height / 2.0
    corners = [*node.polygon, node.polygon[0]]
    marker = Marker(ns="rooms", id=number, type=Marker.LINE_STRIP, color=_colour(node.id))
    marker.scale.x = LINE_WIDTH
    marker.points = [Point(x=float(x), y=float(y), z=height) for x, y in corners]
    return marker


def _box(node: SceneNode, number: int) -> Marker:
    assert node.pose is not None
    marker = Marker(ns="boxes", id=number, color=_colour(node.category, alpha=0.6))
    marker.pose = pose_to_message(node.pose)
    if node.size is None:
        marker.type = Marker.SPHERE
        marker.scale = Vector3(x=UNKNOWN_SIZE, y=UNKNOWN_SIZE, z=UNKNOWN_SIZE)
    else:
        marker.type = Marker.CUBE
        # RViz refuses a marker without extent, which flat things have.
        x, y, z = (max(float(extent), 1e-3) for extent in node.size)
        marker.scale = Vector3(x=x, y=y, z=z)
    return marker


def _label(node: SceneNode, number: int) -> Marker:
    assert node.pose is not None
    marker = Marker(ns="labels", id=number, type=Marker.TEXT_VIEW_FACING, text=node.id)
    marker.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
    marker.scale.z = LABEL_HEIGHT
    marker.pose = pose_to_message(node.pose)
    above = 0.0 if node.size is None else node.size[2] / 2.0
    marker.pose.position.z += above + LABEL_HEIGHT
    return marker


def _colour(word: str, alpha: float = 1.0) -> ColorRGBA:
    """One colour for one word, the same in every process (Python's own hash is not)."""
    hue = (zlib.crc32(word.encode()) % 360) / 360.0
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.55, 0.9)
    return ColorRGBA(r=red, g=green, b=blue, a=alpha)
