# SPDX-License-Identifier: Apache-2.0
"""Frames by hand and against matrices; boxes from their corners in any order."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fcp_ros.scene.formats.ai2thor import UNITY, to_unity_quaternion
from fcp_ros.scene.formats.geometry import (
    CORNER_TOLERANCE,
    Y_UP,
    SourceFrame,
    fit_box_to_corners,
)

FRAMES = [
    SourceFrame(axes, signs, unit)  # type: ignore[arg-type]
    for axes in permutations(range(3))
    for signs in product((1, -1), repeat=3)
    for unit in (1.0, 0.01)
]
numbers = st.floats(-100.0, 100.0)
vectors = st.tuples(numbers, numbers, numbers)
degrees = st.floats(-720.0, 720.0)


def matrix(frame: SourceFrame) -> np.ndarray:
    """The same conversion the slow way: a signed permutation matrix, without the unit."""
    found = np.zeros((3, 3))
    for row in range(3):
        found[row, frame.axes[row]] = frame.signs[row]
    return found


def test_unity_by_hand() -> None:
    """A box 1 m right of, 2 m above and 3 m before the origin; 0.1 wide, 0.2 high, 0.3 deep."""
    assert UNITY.to_point((1.0, 2.0, 3.0)) == (3.0, -1.0, 2.0)
    assert UNITY.to_extents((0.1, 0.2, 0.3)) == (0.3, 0.1, 0.2)
    assert UNITY.is_left_handed
    half = math.radians(40.0) / 2
    x, y, z, w = UNITY.to_orientation(to_unity_quaternion(0.0, 40.0, 0.0))
    assert (x, y, z, w) == pytest.approx((0.0, 0.0, -math.sin(half), math.cos(half)))


def test_y_up_by_hand() -> None:
    """2 m up, and 3 m towards the viewer, who stands at our -y; a left turn stays one."""
    assert Y_UP.to_point((1.0, 2.0, 3.0)) == (1.0, -3.0, 2.0)
    assert Y_UP.to_extents((0.1, 0.2, 0.3)) == (0.1, 0.3, 0.2)
    assert not Y_UP.is_left_handed
    assert Y_UP.to_orientation((0.0, 0.6, 0.0, 0.8)) == (0.0, 0.0, 0.6, 0.8)


def test_handedness_is_that_of_the_matrix() -> None:
    for frame in FRAMES:
        assert frame.is_left_handed is bool(np.linalg.det(matrix(frame)) < 0), frame


@given(st.sampled_from(FRAMES), vectors, st.tuples(degrees, degrees, degrees), vectors)
def test_a_turned_box_is_the_same_box(
    frame: SourceFrame,
    centre: tuple[float, float, float],
    angles: tuple[float, float, float],
    extents: tuple[float, float, float],
) -> None:
    """Convert pose and extents, or convert the corners: the corners are the same."""
    turn = Rotation.from_euler("xyz", angles, degrees=True)
    size = np.abs(extents)
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    theirs = turn.apply(signs * size) + centre
    expected = theirs @ matrix(frame).T * frame.unit
    ours = Rotation.from_quat(frame.to_orientation(tuple(turn.as_quat())))
    found = ours.apply(signs * frame.to_extents(tuple(size))) + frame.to_point(centre)
    expected, found = expected[np.lexsort(expected.T.round(6))], found[np.lexsort(found.T.round(6))]
    for corner in expected:
        assert np.min(np.linalg.norm(found - corner, axis=1)) < 1e-6


@given(degrees, degrees, degrees)
def test_unity_turns_about_z_then_x_then_y(x: float, y: float, z: float) -> None:
    expected = Rotation.from_euler("zxy", (z, x, y), degrees=True)
    found = Rotation.from_quat(to_unity_quaternion(x, y, z))
    assert found.as_matrix() == pytest.approx(expected.as_matrix(), abs=1e-9)


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
    found = fit_box_to_corners(corners.tolist(), yaw)
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
    found = fit_box_to_corners(corners.tolist(), heading)
    assert found is not None
    pose, extents_ = found
    again = corners_of(pose.position, extents_, Rotation.from_quat(pose.orientation))
    gaps = np.linalg.norm(corners[:, None] - again, axis=2)
    assert gaps.min(axis=1).max() < 1e-6
    upright = Rotation.from_quat(pose.orientation).as_matrix()[2]
    assert upright[2] == pytest.approx(np.abs(upright).max()), "the most upright edge is z"


@given(extents, angle, st.integers(0, 7), st.tuples(extent, extent, extent))
def test_one_corner_astray_is_no_box(
    size: tuple[float, float, float], yaw: float, which: int, shift: tuple[float, float, float]
) -> None:
    corners = corners_of((0.0, 0.0, 0.0), size, Rotation.from_euler("z", yaw))
    corners[which] += shift
    assert np.linalg.norm(shift) > CORNER_TOLERANCE
    assert fit_box_to_corners(corners.tolist(), 0.0) is None


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
    assert fit_box_to_corners(corners, 0.0) is None
