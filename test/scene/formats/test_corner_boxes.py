# SPDX-License-Identifier: Apache-2.0
"""Boxes from corners: any box comes back from its corners in any order, others do not."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fcp_ros.scene.formats.corner_boxes import TOLERANCE, box_of_corners

SIGNS = np.array(list(product((-0.5, 0.5), repeat=3)))
extent = st.floats(0.02, 5.0)
extents = st.tuples(extent, extent, extent)
place = st.floats(-50.0, 50.0)
angle = st.floats(-math.pi, math.pi)


def corners_of(centre: tuple[float, ...], size: tuple[float, ...], turn: Rotation) -> np.ndarray:
    return turn.apply(SIGNS * size) + centre


@given(st.tuples(place, place, place), extents, angle, st.permutations(range(8)))
def test_an_upright_box_comes_back(
    centre: tuple[float, float, float],
    size: tuple[float, float, float],
    yaw: float,
    order: list[int],
) -> None:
    corners = corners_of(centre, size, Rotation.from_euler("z", yaw))[order]
    found = box_of_corners(corners.tolist(), yaw)
    assert found is not None
    pose, extents_ = found
    assert pose.position == pytest.approx(centre, abs=1e-6)
    assert extents_ == pytest.approx(size, abs=1e-6)
    assert math.cos(pose.yaw - yaw) == pytest.approx(1.0, abs=1e-6)


@given(extents, st.tuples(angle, angle, angle), angle, st.permutations(range(8)))
def test_a_tilted_box_has_the_same_corners(
    size: tuple[float, float, float],
    angles: tuple[float, float, float],
    heading: float,
    order: list[int],
) -> None:
    corners = corners_of((0.0, 0.0, 0.0), size, Rotation.from_euler("xyz", angles))[order]
    found = box_of_corners(corners.tolist(), heading)
    assert found is not None
    pose, extents_ = found
    again = corners_of(pose.position, extents_, Rotation.from_quat(pose.orientation))
    gaps = np.linalg.norm(corners[:, None] - again, axis=2)
    assert gaps.min(axis=1).max() < 1e-6
    upright = Rotation.from_quat(pose.orientation).as_matrix()[2]
    assert upright[2] == pytest.approx(np.abs(upright).max()), "the most upright edge is z"


@given(extents, angle, st.integers(0, 7), st.tuples(extent, extent, extent))
def test_one_corner_astray_is_no_box(
    size: tuple[float, float, float],
    yaw: float,
    which: int,
    shift: tuple[float, float, float],
) -> None:
    corners = corners_of((0.0, 0.0, 0.0), size, Rotation.from_euler("z", yaw))
    corners[which] += shift
    assert np.linalg.norm(shift) > TOLERANCE
    assert box_of_corners(corners.tolist(), 0.0) is None


@pytest.mark.parametrize(
    "corners",
    [
        [],
        [[0.0, 0.0, 0.0]] * 8,
        [[0.0, 0.0, 0.0]] * 7,
        [[0.0, 0.0]] * 8,
        [[float(x), float(y), 0.0] for x, y, _ in product((0, 1), repeat=3)],
        [[float(n), 0.0, 0.0] for n in range(8)],
    ],
)
def test_flat_and_other_corners(corners: list[list[float]]) -> None:
    assert box_of_corners(corners, 0.0) is None
