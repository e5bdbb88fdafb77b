# SPDX-License-Identifier: Apache-2.0
"""Drawings: markers to make, what their looks depend on, and the shapes they share."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from geometry_msgs.msg import Point, Vector3
from geometry_msgs.msg import Pose as PoseMessage
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.scene.graph.elements import SceneNode, Vector

THIN = 1e-3
"""Least extent (m) of a marker: RViz refuses one without extent, which flat things have."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A marker to make.

    Attributes:
        namespace: The marker's ``ns``, which people switch on and off.
        key: The thing it stands for, unique in the namespace and the same as long as that exists.
        made_of: All that its looks depend on; while that is equal, it is not sent again.
        make: Makes it, without ``ns``, ``id`` and ``header``.
    """

    namespace: str
    key: Hashable
    made_of: tuple[object, ...]
    make: Callable[[], Marker]


def colour(red: float, green: float, blue: float, alpha: float = 1.0) -> ColorRGBA:
    """Make a colour from numbers in [0, 1]."""
    return ColorRGBA(r=red, g=green, b=blue, a=alpha)


def colour_of(word: str, alpha: float = 1.0) -> ColorRGBA:
    """Derive a colour from a word, the same in every process (unlike Python's hash)."""
    hue = (zlib.crc32(word.encode()) % 360) / 360.0
    return colour(*colorsys.hsv_to_rgb(hue, 0.5, 0.9), alpha)


def point(position: Vector) -> Point:
    """Make a message from a position."""
    x, y, z = position
    return Point(x=float(x), y=float(y), z=float(z))


def extents(size: Vector) -> Vector3:
    """Make the scale of a marker that shows extents (m)."""
    x, y, z = (max(float(extent), THIN) for extent in size)
    return Vector3(x=x, y=y, z=z)


def caption(node: SceneNode) -> str:
    """Name a node by its id, and by its category if the id does not contain that."""
    category = normalise_label(node.category)
    says_it = category in normalise_label(node.id) or not is_named(node.category)
    return node.id if says_it else f"{node.id} {category}"


def text(words: str, at: Vector, height: float, paint: ColorRGBA) -> Marker:
    """Make a text that faces the viewer; `height` is that of a capital letter (m)."""
    marker = Marker(type=Marker.TEXT_VIEW_FACING, text=words, color=paint)
    marker.pose = PoseMessage(position=point(at))
    marker.scale.z = height
    return marker


def arrow(start: Vector, end: Vector, width: float, paint: ColorRGBA) -> Marker:
    """Make an arrow between two points; `width` is that of its shaft (m)."""
    marker = Marker(type=Marker.ARROW, color=paint, points=[point(start), point(end)])
    marker.scale = Vector3(x=width, y=2.5 * width, z=4.0 * width)
    return marker
