# SPDX-License-Identifier: Apache-2.0
"""Shapes of a pyrobosim world: footprints as boxes and outlines, hallways as doors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fcp_ros.scene.formats.pyrobosim.model import Footprint, HallwayEntry
from fcp_ros.scene.graph.elements import Pose, Vector
from fcp_ros.scene.graph.transforms import multiply
from fcp_ros.scene.shapes.polygons import Corner, Polygon, bounds, centroid

if TYPE_CHECKING:
    from shapely.geometry import LineString

_CIRCLE_CORNERS = 32


@dataclass(frozen=True)
class Shape:
    """A footprint at its place.

    Attributes:
        pose: Centre of the box where its height is known, else the same at its underside.
        size: Extents of the box (m); None where the height or the footprint is unknown.
        outline: Corners (m) of the footprint; empty where it is unknown.
        is_box: Whether pose and size say all that the outline says.
    """

    pose: Pose
    size: Vector | None
    outline: Polygon
    is_box: bool


def shape_of(footprint: Footprint | None, base: Pose) -> Shape:
    """A footprint of a thing whose underside is at ``base``; only the yaw turns it."""
    own = own_outline(footprint)
    if footprint is None or not own:
        return Shape(base, None, (), False)
    x0, y0, x1, y1 = bounds(own)
    placed = _offset(footprint)
    (middle,) = at_pose(at_pose((((x0 + x1) / 2.0, (y0 + y1) / 2.0),), placed), base)
    outline = at_pose(at_pose(own, placed), base)
    low = base.position[2]
    yaw = base.yaw + placed.yaw
    height = footprint.height
    if not height:
        return Shape(Pose.at(*middle, low, yaw), None, outline, False)
    return Shape(
        Pose.at(*middle, low + height / 2.0, yaw),
        (x1 - x0, y1 - y0, height),
        outline,
        footprint.type == "box",
    )


def own_outline(footprint: Footprint | None) -> Polygon:
    """Corners in the thing's own axes, before the offset; empty for meshes and ``parent``."""
    if footprint is None:
        return ()
    if footprint.dims is not None and footprint.type == "box":
        x, y = footprint.dims[0] / 2.0, footprint.dims[1] / 2.0
        return (-x, -y), (x, -y), (x, y), (-x, y)
    if footprint.radius is not None and footprint.type == "circle":
        turns = (2.0 * math.pi * corner / _CIRCLE_CORNERS for corner in range(_CIRCLE_CORNERS))
        radius = footprint.radius
        return tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
    if footprint.coords is not None and footprint.type == "polygon":
        return tuple((float(x), float(y)) for x, y in footprint.coords)
    return ()


def outline_of(footprint: Footprint, base: Pose | None) -> Polygon:
    """Corners (m) of a footprint that is moved by its offset and then to a pose."""
    placed = at_pose(own_outline(footprint), _offset(footprint))
    return placed if base is None else at_pose(placed, base)


def _offset(footprint: Footprint) -> Pose:
    """x, y, z, yaw, as far as they are given; a third number is z, as in all lists of pyrobosim."""
    x, y, _, yaw = (*(footprint.offset or ()), 0.0, 0.0, 0.0, 0.0)[:4]
    return Pose.at(x, y, 0.0, yaw)


def at_pose(points: Sequence[Corner], pose: Pose) -> Polygon:
    """Points turned by a pose's yaw and moved to its place."""
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    left, up = pose.position[:2]
    return tuple((left + cos * x - sin * y, up + sin * x + cos * y) for x, y in points)


def relative_to(pose: Pose, entity: Pose) -> Pose:
    """A pose relative to an entity, as pyrobosim means it.

    The entity's turn turns the thing, but not the way to it: that is along the world's axes.
    """

    x, y, z = (a + b for a, b in zip(pose.position, entity.position, strict=True))
    return Pose((x, y, z), multiply(pose.orientation, entity.orientation))


def hallway_line(hallway: HallwayEntry, start: Polygon, end: Polygon) -> tuple[Corner, ...]:
    """The middle line of a hallway: between the rooms' centres, at an angle, or as it is given."""
    if hallway.conn_method == "points":
        return tuple((float(x), float(y)) for x, y in hallway.conn_points)
    (x0, y0), (x1, y1) = centroid(start), centroid(end)
    angle, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
    if hallway.conn_method == "angle":
        length *= math.cos(angle - hallway.conn_angle)
        angle = hallway.conn_angle
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = x0 - hallway.offset * sin, y0 + hallway.offset * cos
    return (x, y), (x + length * cos, y + length * sin)


def door_of(line: Sequence[Corner], width: float, start: Polygon, end: Polygon) -> Shape:
    """What of a hallway is between its rooms: the door stands in the middle of it.

    Its height is not known, so the pose is at the floor; x points along the hallway.
    """
    from shapely.geometry import LineString
    from shapely.geometry import Polygon as Ring

    rooms = Ring(start).buffer(0.0).union(Ring(end).buffer(0.0))
    between = _longest(LineString(line).difference(rooms)) or LineString(line)
    middle = between.interpolate(0.5, normalized=True)
    ahead = between.interpolate(0.51, normalized=True)
    yaw = math.atan2(ahead.y - middle.y, ahead.x - middle.x)
    passage = between.buffer(width / 2.0, cap_style="flat", join_style="mitre")
    outline = tuple((float(x), float(y)) for x, y in passage.exterior.coords[:-1])
    return Shape(Pose.at(middle.x, middle.y, 0.0, yaw), None, outline, False)


def _longest(shape: object) -> LineString | None:
    """The longest line of a shape; None where it has none of a length."""
    lines = [line for line in getattr(shape, "geoms", [shape]) if getattr(line, "length", 0) > 1e-6]
    return max(lines, key=lambda line: line.length, default=None)
