# SPDX-License-Identifier: Apache-2.0
"""Support by ray casting on real meshes, against arithmetic on the boxes they are made of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene.shapes.surfaces import RayOptions, Surface, find_supports_by_rays

open3d = pytest.importorskip("open3d", reason="Open3D, an optional extra, is not installed")

Box = tuple[tuple[float, float, float], tuple[float, float, float]]


def boxes(*parts: Box) -> Surface:
    """A mesh of boxes given by least and greatest corner."""
    points, triangles = [], []
    for low, high in parts:
        size = np.subtract(high, low)
        mesh = open3d.geometry.TriangleMesh.create_box(*size).translate(low)
        triangles.append(np.asarray(mesh.triangles) + 8 * len(points))
        points.append(np.asarray(mesh.vertices))
    return Surface(np.concatenate(points), np.concatenate(triangles).astype(np.int64))


FLOOR = boxes(((0, 0, -0.02), (5, 5, 0)))


def test_a_mug_on_a_table_with_legs_on_the_floor() -> None:
    legs = [((x, y, 0), (x + 0.05, y + 0.05, 0.7)) for x in (1.0, 1.95) for y in (1.0, 1.75)]
    table = boxes(((1, 1, 0.7), (2, 1.8, 0.75)), *legs)
    mug = boxes(((1.4, 1.4, 0.752), (1.48, 1.48, 0.85)))
    found = find_supports_by_rays([FLOOR, table, mug])
    assert [(s.item, s.support, s.share, s.covered) for s in found] == [(1, 0, 1, 0), (2, 1, 1, 0)]
    assert found[1].gap == pytest.approx(0.002, abs=1e-4)


def test_a_cushion_in_an_armchair_is_on_its_seat() -> None:
    """In the box of the armchair, yet nothing of it is above."""
    seat, back = ((0, 0, 0), (0.8, 0.8, 0.4)), ((0, 0.7, 0.4), (0.8, 0.8, 1.0))
    arms = [((x, 0, 0.4), (x + 0.1, 0.7, 0.7)) for x in (0.0, 0.7)]
    cushion = boxes(((0.2, 0.1, 0.4), (0.6, 0.5, 0.5)))
    (found,) = find_supports_by_rays([boxes(seat, back, *arms), cushion])
    assert (found.item, found.support, found.covered) == (1, 0, 0.0)


def test_milk_in_a_fridge_is_covered() -> None:
    low, top = ((0, 0, 0), (0.7, 0.7, 0.1)), ((0, 0, 1.7), (0.7, 0.7, 1.8))
    milk = boxes(((0.3, 0.3, 0.1), (0.4, 0.4, 0.35)))
    (found,) = find_supports_by_rays([boxes(low, top), milk])
    assert (found.item, found.share, found.covered) == (1, 1.0, 1.0)


def test_what_floats_and_what_only_touches_a_side_rests_on_nothing() -> None:
    shelf = boxes(((0, 0, 1.0), (1, 1, 1.05)))
    lamp = boxes(((0.4, 0.4, 1.5), (0.6, 0.6, 1.7)))
    beside = boxes(((1.0, 0.0, 0.5), (1.5, 1.0, 1.05)))
    assert find_supports_by_rays([shelf, lamp, beside]) == ()
    assert find_supports_by_rays([shelf]) == ()
    cloud = Surface(np.zeros((3, 3)), np.zeros((0, 3), dtype=np.int64))
    assert find_supports_by_rays([shelf, cloud]) == ()


def test_far_from_the_origin() -> None:
    away = np.array([1e6, -1e6, 100.0])
    mug = boxes(((1.4, 1.4, 0.0), (1.48, 1.48, 0.1)))
    moved = [Surface(surface.points + away, surface.triangles) for surface in (FLOOR, mug)]
    (found,) = find_supports_by_rays(moved)
    assert (found.item, found.support, found.share) == (1, 0, 1.0)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(2, 5), st.integers(2, 5)),
        min_size=1,
        max_size=6,
    )
)
def test_towers_stand_as_arithmetic_says(tower: list[tuple[int, int, int, int]]) -> None:
    """Boxes of 10 cm height, one above the other: each rests on the one below where they overlap
    by enough, else on nothing; overlaps are counted in columns of the grid (the twin).
    """
    options = RayOptions(columns=10, tolerance=0.01, least_share=0.25)
    parts = [
        ((x / 10, y / 10, level / 10), ((x + w) / 10, (y + d) / 10, (level + 1) / 10))
        for level, (x, y, w, d) in enumerate(tower)
    ]
    expected = {}
    steps = (np.arange(10) + 0.5) / 10
    for level in range(1, len(tower)):
        (low, high), (below_low, below_high) = parts[level], parts[level - 1]
        inside = [
            (low[axis] + steps * (high[axis] - low[axis]) > below_low[axis] - 1e-9)
            & (low[axis] + steps * (high[axis] - low[axis]) < below_high[axis] + 1e-9)
            for axis in (0, 1)
        ]
        share = float(np.outer(*inside).mean())
        if share >= 0.25:
            expected[level] = (level - 1, pytest.approx(share, abs=1e-6))
    found = find_supports_by_rays([boxes(part) for part in parts], options)
    assert {s.item: (s.support, s.share) for s in found} == expected
