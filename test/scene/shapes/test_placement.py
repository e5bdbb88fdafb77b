# SPDX-License-Identifier: Apache-2.0
"""Free spots: on top, inside, on the floor; without overlap as long as there is space."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneNode
from fcp_ros.scene.shapes.placement import (
    UNKNOWN_SIZE,
    find_spot_inside,
    find_spot_on,
    find_spot_on_floor,
)
from fcp_ros.scene.shapes.polygons import bounds, contains, footprint_of

Size = tuple[float, float, float]


def thing(id_: str, pose: Pose | None, size: Size | None) -> SceneNode:
    return SceneNode(id_, Layer.OBJECT, "thing", pose=pose, size=size)


def overlap(a: SceneNode, b: SceneNode) -> bool:
    ax0, ay0, ax1, ay1 = bounds(footprint_of(a))
    bx0, by0, bx1, by1 = bounds(footprint_of(b))
    return min(ax1, bx1) - max(ax0, bx0) > 1e-9 and min(ay1, by1) - max(ay0, by0) > 1e-9


@given(st.floats(-3, 3), st.lists(st.sampled_from([0.08, 0.1, 0.15, 0.2]), min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_items_stand_side_by_side_on_a_turned_table(yaw: float, widths: list[float]) -> None:
    table = thing("table", Pose.at(3, 4, 0.375, yaw=yaw), (2.0, 1.2, 0.75))
    standing: list[SceneNode] = []
    for index, width in enumerate(widths):
        item = thing(f"i{index}", None, (width, width, 0.1))
        pose = find_spot_on(item, table, standing)
        assert pose is not None
        placed = thing(item.id, pose, item.size)
        assert math.isclose(pose.position[2], 0.8)
        assert contains(footprint_of(table), np.array([pose.position[:2]])).all()
        assert not any(overlap(placed, other) for other in standing)
        standing.append(placed)


def test_the_first_spot_is_the_middle_and_the_choice_is_the_same_each_time() -> None:
    table = thing("table", Pose.at(0, 0, 0.5), (1, 1, 1))
    item = thing("item", None, (0.1, 0.1, 0.2))
    first = find_spot_on(item, table, [])
    assert first is not None
    assert first.position == (0, 0, 1.1)
    there = thing("there", first, item.size)
    assert find_spot_on(item, table, [there]) == find_spot_on(item, table, [there]) != first


def test_without_space_the_least_overlap_is_taken() -> None:
    stool = thing("stool", Pose.at(0, 0, 0.25), (0.3, 0.3, 0.5))
    item = thing("item", None, (0.25, 0.25, 0.1))
    pose = find_spot_on(item, stool, [thing("there", Pose.at(0, 0, 0.55), (0.25, 0.25, 0.1))])
    assert pose is not None
    assert abs(pose.position[0]) <= 0.15


def test_inside_stands_on_the_bottom_within_the_box() -> None:
    fridge = thing("fridge", Pose.at(1, 1, 0.9), (0.7, 0.7, 1.8))
    pose = find_spot_inside(thing("milk", None, (0.1, 0.1, 0.25)), fridge, [])
    assert pose is not None
    assert 0.0 < pose.position[2] - 0.125 < 0.1
    huge = find_spot_inside(thing("wardrobe", None, (1, 1, 3.0)), fridge, [])
    assert huge is not None
    assert huge.position[:2] == (1.0, 1.0)


def test_on_the_floor_clear_of_the_furniture() -> None:
    corners = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
    floor = SceneNode(
        "f", Layer.OBJECT, "floor", Pose.at(2, 1.5, -0.01), (4, 3, 0.02), polygon=corners
    )
    table = thing("table", Pose.at(2, 1.5, 0.4), (1.5, 1.0, 0.8))
    pose = find_spot_on_floor(thing("robot", None, (0.5, 0.5, 1.0)), floor, [table])
    assert pose is not None
    assert math.isclose(pose.position[2], 0.5)
    assert not overlap(thing("robot", pose, (0.5, 0.5, 1.0)), table)


def test_unknown_boxes() -> None:
    item = thing("item", None, None)
    assert find_spot_on(item, thing("s", None, None), []) is None
    assert find_spot_inside(item, thing("s", Pose.at(0, 0, 0), None), []) is None
    assert find_spot_on_floor(item, thing("s", None, None), []) is None
    table = thing("table", Pose.at(0, 0, 0.5), (1, 1, 1))
    pose = find_spot_on(item, table, [thing("other", Pose.at(0, 0, 1), None)])
    assert pose is not None
    assert max(abs(pose.position[0]), abs(pose.position[1])) >= UNKNOWN_SIZE[0]
    assert pose.position[2] == 1.0


def test_a_huge_floor_takes_no_time() -> None:
    corners = ((0.0, 0.0), (9000.0, 0.0), (9000.0, 10.0), (0.0, 10.0))
    floor = SceneNode("f", Layer.OBJECT, "floor", Pose.at(0, 0, 0), (9000, 10, 0), polygon=corners)
    assert find_spot_on_floor(thing("item", None, None), floor, []) is not None
