# SPDX-License-Identifier: Apache-2.0
"""Transforms and frame trees, beside scipy's rotations and 4 x 4 matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fcp_ros.scene import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.transforms import (
    IDENTITY,
    FrameLink,
    FrameTree,
    Transform,
    from_euler,
    measure_turn,
    move_node,
    require_unit,
)

angle = st.floats(-math.pi, math.pi)
metre = st.floats(-100.0, 100.0)
points = st.tuples(metre, metre, metre)
transforms = st.builds(Transform, points, st.builds(from_euler, angle, st.floats(-1.5, 1.5), angle))


def matrix(transform: Transform) -> np.ndarray:
    """The slow and obvious form."""
    result = np.eye(4)
    result[:3, :3] = Rotation.from_quat(transform.rotation).as_matrix()
    result[:3, 3] = transform.translation
    return result


def assert_close(transform: Transform, expected: np.ndarray) -> None:
    np.testing.assert_allclose(
        matrix(transform), expected, atol=1e-9 * max(1.0, abs(expected).max())
    )


@given(angle, angle, angle)
def test_euler_angles_are_about_fixed_axes(roll: float, pitch: float, yaw: float) -> None:
    expected = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    found = Rotation.from_quat(from_euler(roll, pitch, yaw)).as_matrix()
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(transforms, transforms)
def test_composition_and_inverse(a: Transform, b: Transform) -> None:
    assert_close(a @ b, matrix(a) @ matrix(b))
    assert_close(a.inverse(), np.linalg.inv(matrix(a)))


@given(transforms, points, transforms)
def test_points_and_poses(transform: Transform, point: tuple, other: Transform) -> None:
    np.testing.assert_allclose(
        transform.transform_point(point), (matrix(transform) @ [*point, 1.0])[:3], atol=1e-8
    )
    pose = transform.transform_pose(Pose(other.translation, other.rotation))
    assert_close(Transform(pose.position, pose.orientation), matrix(transform) @ matrix(other))


@given(st.lists(transforms, min_size=1, max_size=6), st.data())
def test_ways_through_a_tree(steps: list[Transform], data: st.DataObject) -> None:
    """Each frame's parent is any earlier frame; every pair is compared with the matrices."""
    links, world = [], {"f0": np.eye(4)}
    for number, step in enumerate(steps, start=1):
        parent = f"f{data.draw(st.integers(0, number - 1))}"
        links.append(FrameLink(parent, f"f{number}", step))
        world[f"f{number}"] = world[parent] @ matrix(step)
    tree = FrameTree(reversed(links))
    assert set(tree.frames) == set(world)
    for source in world:
        for target in world:
            found = tree.between(source, target)
            assert found is not None
            assert_close(found, np.linalg.inv(world[target]) @ world[source])


def test_no_way() -> None:
    tree = FrameTree([FrameLink("map", "odom", IDENTITY), FrameLink("camera", "lens", IDENTITY)])
    assert tree.between("map", "lens") is None
    assert tree.between("mars", "map") is None
    assert tree.between("mars", "mars") == IDENTITY


@pytest.mark.parametrize(
    "links", [[("map", "map")], [("a", "b"), ("b", "a")], [("a", "b"), ("b", "c"), ("c", "a")]]
)
def test_circles_are_refused(links: list[tuple[str, str]]) -> None:
    with pytest.raises(ValueError, match="cycle"):
        FrameTree(FrameLink(parent, child, IDENTITY) for parent, child in links)


def test_two_parents_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'camera' has two parents, 'base' and 'head'"):
        FrameTree([FrameLink("base", "camera", IDENTITY), FrameLink("head", "camera", IDENTITY)])


@pytest.mark.parametrize("rotation", [(0, 0, 0, 0), (0, 0, 0, 2), (math.nan, 0, 0, 1)])
def test_no_unit_quaternion(rotation: tuple) -> None:
    with pytest.raises(ValueError, match=r"rotation of the camera.*unit quaternion"):
        require_unit(rotation, "the camera")


def test_a_rounded_quaternion_becomes_exact() -> None:
    assert math.hypot(*require_unit((0.0, 0.0, 0.707, 0.707), "it")) == pytest.approx(
        1.0, abs=1e-12
    )


ROOM = SceneNode(
    "hall",
    Layer.ROOM,
    "hall",
    pose=Pose.at(1.0, 0.5, 1.2),
    height=2.4,
    polygon=((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)),
)


def test_a_room_turns_with_its_outline() -> None:
    quarter = Transform((10.0, 0.0, 3.0), from_euler(0.0, 0.0, math.pi / 2))
    moved = move_node(ROOM, quarter)
    np.testing.assert_allclose(moved.polygon, [(10, 0), (10, 2), (9, 2), (9, 0)], atol=1e-12)
    np.testing.assert_allclose(moved.pose.position, (9.5, 1.0, 4.2))
    assert moved.height == 2.4
    assert moved.pose.yaw == pytest.approx(math.pi / 2)


@pytest.mark.parametrize("roll", [0.1, math.pi])
def test_a_tilted_outline_is_refused(roll: float) -> None:
    with pytest.raises(SceneError, match=r"hall.*level"):
        move_node(ROOM, Transform(rotation=from_euler(roll, 0.0, 0.0)))


def test_what_has_no_place_has_none_elsewhere() -> None:
    mug = SceneNode("mug", Layer.OBJECT, "mug", attributes={"is_dirty": True})
    assert move_node(mug, Transform((1.0, 2.0, 3.0))) is mug


@given(st.floats(-3.1, 3.1), st.floats(-3.1, 3.1), st.booleans())
def test_turns(first: float, second: float, negate: bool) -> None:
    a, b = Pose.at(0, 0, 0, first).orientation, Pose.at(0, 0, 0, second).orientation
    if negate:
        b = (-b[0], -b[1], -b[2], -b[3])  # the same rotation
    apart = abs(first - second) % (2 * math.pi)
    assert measure_turn(a, b) == pytest.approx(min(apart, 2 * math.pi - apart), abs=1e-10)
