# SPDX-License-Identifier: Apache-2.0
"""Plane geometry of single polygons: tuples of (x, y) corners in metres."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.polygon import orient

from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR

Corner = tuple[float, float]
Polygon = tuple[Corner, ...]
Triangle = tuple[Corner, Corner, Corner]

_TOUCH = 1e-3  # Distance (m) up to which edges that cross only touch


def box_corners(pose: Pose, size: Vector) -> Polygon:
    """Return the corners of a box's footprint, anticlockwise, from its own (-x, -y) corner."""
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    x, y, _ = pose.position
    corners = []
    for across, along in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        dx, dy = across * size[0] / 2.0, along * size[1] / 2.0
        corners.append((x + cos * dx - sin * dy, y + sin * dx + cos * dy))
    return tuple(corners)


def footprint_of(node: SceneNode) -> Polygon:
    """Return a node's polygon, or that of its box; empty where neither is known."""
    if node.polygon:
        return node.polygon
    if node.pose is not None and node.size is not None:
        return box_corners(node.pose, node.size)
    return ()


def convex_hull(points: Iterable[Corner]) -> Polygon:
    """Compute the convex hull, anticlockwise from its least corner; empty for points on a line."""
    hull = shapely.convex_hull(shapely.MultiPoint(list(points)))
    if not isinstance(hull, shapely.Polygon) or hull.is_empty:
        return ()
    corners = [(float(x), float(y)) for x, y in orient(hull).exterior.coords[:-1]]
    first = corners.index(min(corners))
    return (*corners[first:], *corners[:first])


def area(polygon: Polygon) -> float:
    """Compute the area (m2) of a polygon in either direction (even-odd rule, as ``contains``)."""
    return float(shapely.area(_find_inside(polygon)))


def _find_inside(polygon: Polygon) -> shapely.Geometry:
    """Find the area within an outline; none for what later checks refuse."""
    if len(polygon) < 3 or not math.isfinite(sum(map(sum, polygon))):
        return shapely.Polygon()
    outline = shapely.Polygon(polygon)
    return outline if outline.is_valid else shapely.make_valid(outline)


def centroid(polygon: Polygon) -> Corner:
    """Compute the centre of ``area``; the mean corner where that is nil."""
    inside = _find_inside(polygon)
    if shapely.area(inside) < 1e-12:
        return (
            sum(x for x, _ in polygon) / len(polygon),
            sum(y for _, y in polygon) / len(polygon),
        )
    centre = shapely.centroid(inside)
    return float(centre.x), float(centre.y)


def inner_point(polygon: Polygon) -> Corner:
    """Find a point inside a polygon: the centroid, but in rooms shaped like an L or a U."""
    x, y = centroid(polygon)
    inside = _find_inside(polygon)
    if inside.is_empty or shapely.contains_xy(inside, x, y):
        return x, y
    point = shapely.point_on_surface(inside)
    return float(point.x), float(point.y)


def bounds(polygon: Iterable[Corner]) -> tuple[float, float, float, float]:
    """Return least x, least y, greatest x and greatest y."""
    corners = tuple(polygon)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def contains(polygon: Polygon, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Test which points (n, 2) lie in a polygon (even-odd rule), (n,); an edge counts as out."""
    inside: NDArray[np.bool_] = shapely.contains_xy(
        shapely.Polygon(polygon), points[:, 0], points[:, 1]
    )
    return inside


def find_crossing(polygon: Polygon) -> tuple[int, int] | None:
    """Find two edges of a polygon that cross each other, numbered by their first corners.

    Edges that touch, or stick out by less than `_TOUCH`, don't cross: neither does the cut to a
    hole, there and back. Edges are compared in the order of x, with those that overlap there.
    """
    starts = np.asarray(polygon, dtype=np.float64)
    ends = np.roll(starts, -1, axis=0)
    left = np.minimum(starts[:, 0], ends[:, 0])
    order = np.argsort(left)
    starts, ends, left = starts[order], ends[order], left[order]
    until = np.searchsorted(left, np.maximum(starts[:, 0], ends[:, 0]))
    for first, stop in enumerate(until.tolist()):
        a, b = starts[first], ends[first]
        c, d = starts[first + 1 : stop], ends[first + 1 : stop]
        beyond = _are_apart(_sides(a, b, c), _sides(a, b, d))
        beyond &= _are_apart(_sides(c, d, a), _sides(c, d, b))
        if beyond.any():
            one, other = order[first], order[first + 1 + int(np.argmax(beyond))]
            return int(min(one, other)), int(max(one, other))
    return None


def _sides(
    a: NDArray[np.float64], b: NDArray[np.float64], points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the distance (m) of points from the lines a to b, positive on their left."""
    along, away = b - a, points - a
    length = np.maximum(np.hypot(along[..., 0], along[..., 1]), 1e-12)
    sides: NDArray[np.float64] = (
        along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]
    ) / length
    return sides


def _are_apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Test which pairs of signed distances lie clearly on different sides."""
    apart: NDArray[np.bool_] = (one * other < 0.0) & (
        np.minimum(np.abs(one), np.abs(other)) > _TOUCH
    )
    return apart


def triangulate(polygon: Polygon) -> tuple[Triangle, ...]:
    """Cut a polygon into anticlockwise triangles; its inside is that of ``area``."""
    inside = _find_inside(polygon)
    found = shapely.get_parts(shapely.constrained_delaunay_triangles(inside))
    corners = shapely.get_coordinates([orient(triangle) for triangle in found]).tolist()
    return tuple(
        ((ax, ay), (bx, by), (cx, cy))
        for (ax, ay), (bx, by), (cx, cy) in zip(*(corners[i::4] for i in range(3)), strict=True)
    )


# --- heights of rooms and boxes, and the centres of rooms ---


def find_floor_levels(graph: SceneGraph) -> dict[str, float]:
    """Find the height of the floor (m) of each room, as far as something tells it.

    The room's own pose and height come first, then the top of its floor node, then its pose.
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
