# SPDX-License-Identifier: Apache-2.0
"""The upright box of least footprint, against one that tries all turns."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene.shapes.boxes import fit_upright_box
from fcp_ros.scene.shapes.polygons import box_corners

COORDINATE = st.floats(-5.0, 5.0).map(lambda number: round(number, 3))
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE, COORDINATE), min_size=1, max_size=20)


def least_footprint(points: np.ndarray) -> float:
    """Area (m2) of the smallest rectangle by trying a turn every twentieth of a degree."""
    turns = np.radians(np.arange(0.0, 90.0, 0.05))[:, None]
    x = np.cos(turns) * points[:, 0] + np.sin(turns) * points[:, 1]
    y = np.cos(turns) * points[:, 1] - np.sin(turns) * points[:, 0]
    return float((np.ptp(x, axis=1) * np.ptp(y, axis=1)).min())


@given(POINTS)
def test_nothing_sticks_out_and_no_turn_is_better(points: list[tuple[float, float, float]]) -> None:
    cloud = np.array(points)
    pose, size = fit_upright_box(cloud)
    assert -math.pi / 4 - 1e-9 < pose.yaw <= math.pi / 4 + 1e-9
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    offset = cloud - pose.position
    across = cos * offset[:, 0] + sin * offset[:, 1]
    along = cos * offset[:, 1] - sin * offset[:, 0]
    for distance, extent in zip((across, along, offset[:, 2]), size, strict=True):
        assert np.abs(distance).max() <= extent / 2 + 1e-6
    assert size[0] * size[1] <= least_footprint(cloud) + 1e-6


@pytest.mark.parametrize("degrees", [0.0, 10.0, 30.0, -40.0, 44.0])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_a_turned_box_is_found_again(degrees: float, far: float) -> None:
    from fcp_ros.scene import Pose

    turned = Pose.at(far + 1.0, 2.0, 0.4, yaw=math.radians(degrees))
    corners = box_corners(turned, (1.4, 0.8, 0.75))
    points = np.array([(x, y, z) for x, y in corners for z in (0.025, 0.775)])
    pose, size = fit_upright_box(points)
    assert math.degrees(pose.yaw) == pytest.approx(degrees, abs=0.1)
    assert pose.position == pytest.approx(turned.position, abs=1e-6)
    assert size == pytest.approx((1.4, 0.8, 0.75), abs=1e-6)


def test_strays_are_left_outside() -> None:
    points = np.random.default_rng(0).uniform((-1, -2, 0), (1, 2, 1), (2000, 3))
    points[:4] = [(9, 9, 9), (-9, 9, 5), (9, -9, -9), (-9, -9, 0)]
    assert max(fit_upright_box(points)[1]) > 15.0
    pose, size = fit_upright_box(points, 0.005)
    assert size == pytest.approx((2.0, 4.0, 1.0), abs=0.2)
    assert pose.position == pytest.approx((0.0, 0.0, 0.5), abs=0.1)


@pytest.mark.parametrize(
    ("points", "size"),
    [
        ([(1, 2, 3)], (0, 0, 0)),
        ([(1, 2, 3), (1, 2, 3)], (0, 0, 0)),
        ([(0, 0, 0), (0, 0, 2)], (0, 0, 2)),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], (2, 0, 0)),
    ],
)
def test_flat_things(points: list[tuple[int, int, int]], size: tuple[int, int, int]) -> None:
    assert fit_upright_box(np.array(points, dtype=float))[1] == pytest.approx(size)
