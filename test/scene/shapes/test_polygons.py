# SPDX-License-Identifier: Apache-2.0
"""Plane geometry, beside slow and obvious forms of the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import Pose
from fcp_ros.scene.shapes.polygons import (
    Polygon,
    area,
    bounds,
    box_corners,
    centroid,
    contains,
    convex_hull,
    find_crossing,
    inner_point,
    triangulate,
)

SQUARE = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
U_SHAPE = ((0, 0), (6, 0), (6, 6), (5, 6), (5, 1), (1, 1), (1, 6), (0, 6))
coordinate = st.floats(-10, 10).map(lambda value: round(value, 2))
points = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=20)


def slowly_contains(polygon: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    """Count the edges to the right of a point."""
    inside = False
    for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


def is_on_edge(polygon: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    """All edges are parallel to an axis."""
    return any(
        min(x0, x1) <= x <= max(x0, x1) and min(y0, y1) <= y <= max(y0, y1)
        for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    )


@given(points, st.sampled_from([SQUARE, U_SHAPE]))
def test_containment_is_the_same_as_by_edges(
    found: list[tuple[float, float]], polygon: tuple[tuple[float, float], ...]
) -> None:
    found = [point for point in found if not is_on_edge(polygon, *point)]
    slow = [slowly_contains(polygon, x, y) for x, y in found]
    assert contains(polygon, np.array(found).reshape(-1, 2)).tolist() == slow


@given(points)
def test_a_hull_is_convex_and_holds_its_points(found: list[tuple[float, float]]) -> None:
    hull = convex_hull(found)
    if not hull:
        return
    assert set(hull) <= set(found)
    for point in found:
        assert shapely.distance(shapely.Polygon(hull), shapely.Point(point)) < 1e-6
    for a, b, c in zip(hull, hull[1:] + hull[:1], hull[2:] + hull[:2], strict=True):
        assert (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > 0


def test_points_on_a_line_have_no_hull() -> None:
    assert convex_hull([(0, 0), (1, 1), (2, 2)]) == ()
    assert convex_hull([]) == ()


def test_box_corners_turn_with_the_box() -> None:
    corners = box_corners(Pose.at(1, 1, 0, yaw=math.pi / 2), (4.0, 2.0, 1.0))
    assert np.allclose(corners, [(2, -1), (2, 3), (0, 3), (0, -1)])


def test_area_and_centroid() -> None:
    assert area(SQUARE) == 4.0
    assert area(tuple(reversed(SQUARE))) == 4.0
    assert centroid(tuple((x + 1e6, y) for x, y in SQUARE)) == (1e6 + 1.0, 1.0)
    assert centroid(((0.0, 0.0), (1.0, 1.0), (2.0, 2.0))) == (1.0, 1.0)


@pytest.mark.parametrize("polygon", [SQUARE, U_SHAPE])
def test_the_inner_point_is_inside(polygon: tuple[tuple[float, float], ...]) -> None:
    assert contains(polygon, np.array([inner_point(polygon)])).all()


@pytest.mark.parametrize(
    ("polygon", "edges"),
    [
        (SQUARE, None),
        (U_SHAPE, None),
        (((0, 0), (4, 3), (4, 0), (0, 3)), (0, 2)),
        (((0, 0), (4, 0), (4, 3), (2, -1), (0, 3)), (0, 3)),
        # A pinch, a cut to a hole and back, and corners on one line touch only.
        (((0, 0), (2, 1), (4, 0), (4, 2), (2, 1), (0, 2)), None),
        (((0, 0), (6, 0), (6, 6), (0, 6), (0, 0), (2, 2), (2, 4), (4, 4), (4, 2), (2, 2)), None),
        (((0, 0), (1, 0), (2, 0)), None),
    ],
)
def test_edges_that_cross(
    polygon: tuple[tuple[float, float], ...], edges: tuple[int, int] | None
) -> None:
    assert find_crossing(polygon) == edges
    moved = tuple((x + 5e5, y - 9e6) for x, y in polygon)
    assert find_crossing(moved) == edges


corners = st.tuples(st.integers(-5, 5), st.integers(-5, 5)).map(
    lambda corner: (float(corner[0]), float(corner[1]))
)


@given(st.lists(corners, min_size=3, max_size=9))
def test_crossings_are_those_of_all_pairs(polygon: list[tuple[float, float]]) -> None:
    edges = list(zip(polygon, polygon[1:] + polygon[:1], strict=True))

    def side(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    crossing = {
        (i, j)
        for i, (a, b) in enumerate(edges)
        for j, (c, d) in enumerate(edges)
        if i < j and side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
    }
    found = find_crossing(tuple(polygon))
    assert found in crossing if crossing else found is None


BOW = ((0.0, 0.0), (4.0, 2.0), (4.0, 0.0), (0.0, 2.0))
"""A bow tie of two triangles with 2 m2 each; its signed areas cancel out."""

STAR = tuple((math.cos(1.6 * math.pi * n), math.sin(1.6 * math.pi * n)) for n in range(5))


@pytest.mark.parametrize("moved", [0.0, 1e6])
@pytest.mark.parametrize("polygon", [BOW, STAR, (*BOW[:3], (0.001, 2.0))])
def test_what_is_gone_around_twice_is_outside(polygon: Polygon, moved: float) -> None:
    """Beside counting the points of a grid that are inside."""
    polygon = tuple((x + moved, y - moved) for x, y in polygon)
    x0, y0, x1, y1 = bounds(polygon)
    x, y = np.meshgrid(
        *((low + (np.arange(400) + 0.5) * (high - low) / 400) for low, high in ((x0, x1), (y0, y1)))
    )
    points = np.column_stack((x.ravel(), y.ravel()))
    within = points[contains(polygon, points)]
    expected = len(within) / len(points) * (x1 - x0) * (y1 - y0)
    assert area(polygon) == pytest.approx(expected, rel=0.02)
    assert centroid(polygon) == pytest.approx(within.mean(axis=0), abs=0.02)


def test_outlines_that_go_around_a_corner_are_measured_exactly() -> None:
    corner = ((0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0))
    assert area(corner) == 5.0
    assert area(corner[::-1]) == 5.0


# --- Polygons cut into triangles: nothing is lost, nothing sticks out


@st.composite
def stars(draw: st.DrawFn) -> tuple[tuple[float, float], ...]:
    """Simple polygons with bays: corners about a point, in order of their angle."""
    count = draw(st.integers(3, 12))
    radii = draw(st.lists(st.floats(0.5, 10.0), min_size=count, max_size=count))
    corners = tuple(
        (r * math.cos(2 * math.pi * i / count), r * math.sin(2 * math.pi * i / count))
        for i, r in enumerate(radii)
    )
    return corners if draw(st.booleans()) else corners[::-1]


@given(stars())
def test_the_triangles_fill_the_polygon(polygon: tuple[tuple[float, float], ...]) -> None:
    triangles = triangulate(polygon)
    assert len(triangles) <= len(polygon) - 2
    assert sum(area(triangle) for triangle in triangles) == pytest.approx(area(polygon))
    middles = np.array([np.mean(triangle, axis=0) for triangle in triangles])
    assert contains(polygon, middles).all()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.booleans())
def test_corners_in_a_row(heights: list[int], backwards: bool) -> None:
    """Walls of columns side by side: many corners lie on the edge of others."""
    tops = [(x, y) for i, y in enumerate(heights) for x, y in ((i, y), (i + 1, y))]
    bottom = [(x, 0) for x in range(len(heights), -1, -1)]
    polygon = tuple(dict.fromkeys((float(x), float(y)) for x, y in (*tops, *bottom)))
    found = triangulate(polygon[::-1] if backwards else polygon)
    assert sum(map(area, found)) == pytest.approx(sum(heights))


@pytest.mark.parametrize(
    "polygon", [((0, 0), (1, 1), (2, 2)), ((0, 0), (2, 2), (2, 0), (0, 2)), ((1, 1),) * 4]
)
def test_what_has_no_inside_ends_all_the_same(polygon: tuple) -> None:
    assert sum(map(area, triangulate(polygon))) <= 4.0
