# SPDX-License-Identifier: Apache-2.0
"""Polygons cut into triangles: nothing is lost, nothing sticks out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene.shapes.polygons import area, contains, triangulate

U_SHAPE = ((0, 0), (6, 0), (6, 6), (5, 6), (5, 1), (1, 1), (1, 6), (0, 6))


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


def test_bays_and_corners_on_a_line() -> None:
    polygon = (*U_SHAPE[:1], (3, 0), *U_SHAPE[1:], (0, 3))
    assert sum(map(area, triangulate(polygon))) == pytest.approx(16.0)


@pytest.mark.parametrize(
    "polygon", [((0, 0), (1, 1), (2, 2)), ((0, 0), (2, 2), (2, 0), (0, 2)), ((1, 1),) * 4]
)
def test_what_has_no_inside_ends_all_the_same(polygon: tuple) -> None:
    assert sum(map(area, triangulate(polygon))) <= 4.0
