# SPDX-License-Identifier: Apache-2.0
"""Conversions of frames: by numbers worked out by hand, and against matrices and scipy."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fcp_ros.scene.formats.frames import REP_103, UNITY, Y_UP, SourceFrame, unity_euler

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
    assert UNITY.point((1.0, 2.0, 3.0)) == (3.0, -1.0, 2.0)
    assert UNITY.extents((0.1, 0.2, 0.3)) == (0.3, 0.1, 0.2)
    assert UNITY.is_left_handed
    half = math.radians(40.0) / 2
    x, y, z, w = UNITY.orientation(unity_euler(0.0, 40.0, 0.0))
    assert (x, y, z, w) == pytest.approx((0.0, 0.0, -math.sin(half), math.cos(half)))


def test_y_up_by_hand() -> None:
    """2 m up, and 3 m towards the viewer, who stands at our -y; a left turn stays one."""
    assert Y_UP.point((1.0, 2.0, 3.0)) == (1.0, -3.0, 2.0)
    assert Y_UP.extents((0.1, 0.2, 0.3)) == (0.1, 0.3, 0.2)
    assert not Y_UP.is_left_handed
    assert Y_UP.orientation((0.0, 0.6, 0.0, 0.8)) == (0.0, 0.0, 0.6, 0.8)


def test_our_own_frame_stays() -> None:
    assert REP_103.point((1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)
    assert REP_103.orientation((0.1, 0.2, 0.3, 0.9)) == (0.1, 0.2, 0.3, 0.9)
    assert not REP_103.is_left_handed


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_handedness_is_that_of_the_matrix(frame: SourceFrame) -> None:
    assert frame.is_left_handed is bool(np.linalg.det(matrix(frame)) < 0)


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
    ours = Rotation.from_quat(frame.orientation(tuple(turn.as_quat())))
    found = ours.apply(signs * frame.extents(tuple(size))) + frame.point(centre)
    expected, found = expected[np.lexsort(expected.T.round(6))], found[np.lexsort(found.T.round(6))]
    for corner in expected:
        assert np.min(np.linalg.norm(found - corner, axis=1)) < 1e-6


@given(degrees, degrees, degrees)
def test_unity_turns_about_z_then_x_then_y(x: float, y: float, z: float) -> None:
    expected = Rotation.from_euler("zxy", (z, x, y), degrees=True)
    found = Rotation.from_quat(unity_euler(x, y, z))
    assert found.as_matrix() == pytest.approx(expected.as_matrix(), abs=1e-9)
