# SPDX-License-Identifier: Apache-2.0
"""Points in rectangles, beside a comparison of every point with every rectangle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fcp_ros.scene.shapes.boxes import find_points_in_rectangles

number = st.integers(-6, 6).map(lambda step: step * 0.5) | st.sampled_from([1e6, -1e9, 1e300, 1e-9])
point = st.tuples(number, number)
side = st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e6])


def pairs(
    points: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    at_once: int,
    few: int,
) -> list[tuple[int, int]]:
    found = []
    for a, b in find_points_in_rectangles(points, low, high, at_once, few):
        assert len(a) <= max(few, at_once + len(points))
        found += list(zip(a.tolist(), b.tolist(), strict=True))
    return sorted(found)


@given(
    st.lists(point, max_size=12),
    st.lists(st.tuples(point, side, side), max_size=8),
    st.sampled_from([1, 5, 1_000]),
    st.sampled_from([0, 1_000]),
)
@settings(max_examples=300, deadline=None)
def test_the_same_as_every_point_with_every_rectangle(
    points: list[tuple[float, float]],
    rectangles: list[tuple[tuple[float, float], float, float]],
    at_once: int,
    few: int,
) -> None:
    places = np.array(points).reshape(-1, 2)
    low = np.array([corner for corner, _, _ in rectangles]).reshape(-1, 2)
    high = low + np.array([(w, h) for _, w, h in rectangles]).reshape(-1, 2)
    slow = [
        (i, j)
        for i, (x, y) in enumerate(places.tolist())
        for j in range(len(rectangles))
        if low[j, 0] <= x <= high[j, 0] and low[j, 1] <= y <= high[j, 1]
    ]
    assert pairs(places, low, high, at_once, few) == slow


@pytest.mark.parametrize("count", [3_000])
def test_everything_in_one_place_comes_in_batches(count: int) -> None:
    points = np.zeros((count, 2))
    low, high = np.full((count, 2), -1.0), np.full((count, 2), 1.0)
    largest = total = 0
    for a, _ in find_points_in_rectangles(points, low, high, 100_000):
        largest, total = max(largest, len(a)), total + len(a)
    assert total == count * count
    assert largest <= 100_000
