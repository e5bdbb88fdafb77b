# SPDX-License-Identifier: Apache-2.0
"""A box from its eight corners, in whatever order they come."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from fcp_ros.scene.graph.elements import Pose, Quaternion, Vector

TOLERANCE = 0.005
"""How far (m) a corner may be from where the box that three others make has one."""

_FLAT = 1e-3


def box_of_corners(
    corners: Sequence[Sequence[float]], heading: float
) -> tuple[Pose, Vector] | None:
    """Pose of the centre, and full extents (m), of the box that has these corners.

    Its z axis is the edge that is most upright; its x axis the one of the others that is closest
    to a heading.

    Args:
        corners: Eight of x, y, z (m), in any order.
        heading: Angle of the x axis about z (rad), as far as the corners leave a choice.

    Returns:
        None where they are not the corners of a box, or it is thinner than a millimetre.
    """
    if len(corners) != 8 or any(len(corner) != 3 for corner in corners):
        return None
    points = [_vector(corner) for corner in corners]
    edges = _edges([_minus(point, points[0]) for point in points[1:]])
    if edges is None or not _same_points(points, _corners(points[0], edges)):
        return None
    level = sorted(edges, key=lambda edge: abs(edge[2]) / math.hypot(*edge))
    up = level.pop()
    forward = (math.cos(heading), math.sin(heading), 0.0)
    level.sort(key=lambda edge: abs(_dot(edge, forward)) / math.hypot(*edge))
    second, first = level
    x = _unit(first, math.copysign(1.0, _dot(first, forward)))
    z = _unit(up, math.copysign(1.0, up[2]))
    size = (math.hypot(*first), math.hypot(*second), math.hypot(*up))
    middle = [sum(point[axis] for point in points) / 8.0 for axis in range(3)]
    return Pose(_vector(middle), _quaternion(x, _cross(z, x), z)), size


def _edges(spokes: Sequence[Vector]) -> tuple[Vector, Vector, Vector] | None:
    """Which three of the seven ways from one corner to the others are edges of the box.

    The two shortest are; the third is the one at right angles to both.
    """
    a, b, *others = sorted(spokes, key=lambda spoke: math.hypot(*spoke))
    if math.hypot(*a) < _FLAT:
        return None
    one, two = _unit(a), _unit(b)

    def slant(spoke: Vector) -> float:
        way = _unit(spoke)
        return abs(_dot(way, one)) + abs(_dot(way, two))

    return a, b, min(others, key=slant)


def _corners(start: Vector, edges: tuple[Vector, Vector, Vector]) -> list[Vector]:
    found = []
    for steps in product((0, 1), repeat=3):
        shifts = [
            sum(n * edge[axis] for n, edge in zip(steps, edges, strict=True)) for axis in range(3)
        ]
        found.append(_vector([a + b for a, b in zip(start, shifts, strict=True)]))
    return found


def _same_points(one: Sequence[Vector], two: Sequence[Vector]) -> bool:
    """Whether each point has one of the others near it, both ways."""
    return all(
        any(math.dist(a, b) <= TOLERANCE for b in others)
        for points, others in ((one, two), (two, one))
        for a in points
    )


def _quaternion(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """The rotation with these axes, by the largest of its four parts: that is well off zero."""
    squares = (
        1.0 + x[0] - y[1] - z[2],
        1.0 - x[0] + y[1] - z[2],
        1.0 - x[0] - y[1] + z[2],
        1.0 + x[0] + y[1] + z[2],
    )
    largest = max(range(4), key=squares.__getitem__)
    a, b, c, d = (
        (squares[0], x[1] + y[0], x[2] + z[0], y[2] - z[1]),
        (x[1] + y[0], squares[1], y[2] + z[1], z[0] - x[2]),
        (x[2] + z[0], y[2] + z[1], squares[2], x[1] - y[0]),
        (y[2] - z[1], z[0] - x[2], x[1] - y[0], squares[3]),
    )[largest]
    length = math.hypot(a, b, c, d)
    return a / length, b / length, c / length, d / length


def _vector(values: Sequence[float]) -> Vector:
    x, y, z = values
    return x, y, z


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Vector, sign: float = 1.0) -> Vector:
    scale = sign / math.hypot(*a)
    return a[0] * scale, a[1] * scale, a[2] * scale
