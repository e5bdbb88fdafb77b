# SPDX-License-Identifier: Apache-2.0
"""What rests on what and what is inside what, beside a slow form that looks at every pair."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneNode
from fcp_ros.scene.shapes.boxes import (
    CORE,
    EDGE,
    Boxes,
    boxes_of,
    containers_around,
    supports_below,
)


def box(
    x: float, y: float, z: float, size: tuple[float, float, float], yaw: float = 0.0
) -> SceneNode:
    return SceneNode("", Layer.OBJECT, "thing", pose=Pose.at(x, y, z, yaw=yaw), size=size)


def into_frame(boxes: Boxes, b: int, x: float, y: float) -> tuple[float, float]:
    dx, dy = x - boxes.centre[b, 0], y - boxes.centre[b, 1]
    cos, sin = math.cos(boxes.yaw[b]), math.sin(boxes.yaw[b])
    return cos * dx + sin * dy, cos * dy - sin * dx


def slow_supports(boxes: Boxes, tolerance: float) -> dict[int, int]:
    found = {}
    for a in range(len(boxes.ids)):
        ranks = []
        for b in range(len(boxes.ids)):
            across, along = into_frame(boxes, b, boxes.centre[a, 0], boxes.centre[a, 1])
            gap = abs(boxes.bottom[a] - boxes.top[b])
            if (
                a != b
                and abs(across) <= boxes.half[b, 0] + EDGE
                and abs(along) <= boxes.half[b, 1] + EDGE
                and boxes.centre[a, 2] > boxes.centre[b, 2]
                and gap <= tolerance
            ):
                ranks.append((gap, boxes.half[b, 0] * boxes.half[b, 1], b))
        if ranks:
            found[a] = min(ranks)[2]
    return found


def slow_containers(boxes: Boxes) -> dict[int, int]:
    """By the corners of the core: a convex box holds another if it holds its corners."""
    found = {}
    for a in range(len(boxes.ids)):
        ranks = []
        for b in range(len(boxes.ids)):
            if a == b or not boxes.volume[b] > boxes.volume[a]:
                continue
            core = boxes.half[a] * CORE
            cos, sin = math.cos(boxes.yaw[a]), math.sin(boxes.yaw[a])
            held = abs(boxes.centre[a, 2] - boxes.centre[b, 2]) + core[2] <= boxes.half[b, 2] + EDGE
            for i in (-1, 1):
                for j in (-1, 1):
                    x = boxes.centre[a, 0] + cos * i * core[0] - sin * j * core[1]
                    y = boxes.centre[a, 1] + sin * i * core[0] + cos * j * core[1]
                    across, along = into_frame(boxes, b, x, y)
                    held &= abs(across) <= boxes.half[b, 0] + EDGE
                    held &= abs(along) <= boxes.half[b, 1] + EDGE
            if held:
                ranks.append((boxes.volume[b], b))
        if ranks:
            found[a] = min(ranks)[1]
    return found


# Coarse numbers make touching, nesting and ties common; odd offsets keep corners off the edges.
place = st.integers(-4, 4).map(lambda step: step * 0.25)
extent = st.sampled_from([0.11, 0.26, 0.53, 1.07, 2.13])
turn = st.sampled_from([0.0, 0.31, 0.9, 1.7, -2.4])


@st.composite
def crowds(draw: st.DrawFn) -> Boxes:
    nodes = []
    for _ in range(draw(st.integers(0, 12))):
        size = draw(st.tuples(extent, extent, extent))
        z = draw(place) + size[2] / 2.0 if draw(st.booleans()) else draw(place)
        nodes.append(box(draw(place), draw(place), z, size, draw(turn)))
    return boxes_of(nodes)


@given(crowds())
@settings(max_examples=150, deadline=None)
def test_resting_is_the_same_as_over_all_pairs(boxes: Boxes) -> None:
    assert supports_below(boxes, 0.05) == slow_supports(boxes, 0.05)


@given(crowds())
@settings(max_examples=150, deadline=None)
def test_inside_is_the_same_as_over_all_pairs(boxes: Boxes) -> None:
    assert containers_around(boxes) == slow_containers(boxes)


@given(crowds())
@settings(max_examples=50, deadline=None)
def test_nothing_rests_on_itself_however_far_down(boxes: Boxes) -> None:
    below = supports_below(boxes, 0.3)
    for start in below:
        height = boxes.centre[start, 2]
        current = start
        while current in below:
            current = below[current]
            assert boxes.centre[current, 2] < height
            height = boxes.centre[current, 2]


def test_more_boxes_than_one_chunk() -> None:
    tables = [box(3.0 * i, 0, 0.5, (1, 1, 1)) for i in range(600)]
    mugs = [box(3.0 * i + 0.2, 0.1, 1.05, (0.1, 0.1, 0.1)) for i in range(600)]
    assert supports_below(boxes_of([*tables, *mugs])) == {600 + i: i for i in range(600)}


def test_yaw_decides_what_is_above_a_long_table() -> None:
    mug = box(0.6, 0.6, 1.05, (0.1, 0.1, 0.1))
    size = (2.0, 0.4, 1.0)
    assert supports_below(boxes_of([mug, box(0, 0, 0.5, size, yaw=math.pi / 4)])) == {0: 1}
    assert supports_below(boxes_of([mug, box(0, 0, 0.5, size)])) == {}


@pytest.mark.parametrize(
    ("gap", "rests"), [(0.0, True), (0.049, True), (-0.049, True), (0.06, False)]
)
def test_the_tolerance(gap: float, rests: bool) -> None:
    boxes = boxes_of([box(0, 0, 1.05 + gap, (0.1, 0.1, 0.1)), box(0, 0, 0.5, (1, 1, 1))])
    assert bool(supports_below(boxes, 0.05)) is rests


def test_the_nearest_top_wins() -> None:
    table = box(0, 0, 0.5, (1, 1, 1))
    tray = box(0, 0, 1.01, (0.4, 0.4, 0.02))
    mug = box(0, 0, 1.07, (0.1, 0.1, 0.1))
    assert supports_below(boxes_of([table, tray, mug])) == {1: 0, 2: 1}


def test_the_innermost_container_wins() -> None:
    fridge = box(0, 0, 1, (1, 1, 2))
    drawer = box(0, 0, 0.3, (0.8, 0.8, 0.4))
    milk = box(0, 0, 0.3, (0.1, 0.1, 0.3))
    assert containers_around(boxes_of([fridge, drawer, milk])) == {1: 0, 2: 1}


def test_a_tilted_box_counts_as_the_upright_box_around_it() -> None:
    lying = SceneNode(
        "a",
        Layer.OBJECT,
        "bottle",
        pose=Pose((0, 0, 0), (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4))),
        size=(0.1, 0.1, 0.4),
    )
    boxes = boxes_of([lying, box(0, 0, 0, (0.1, 0.1, 0.4), yaw=0.5)])
    assert np.allclose(boxes.half[0], (0.05, 0.2, 0.05))
    assert np.allclose(boxes.half[1], (0.05, 0.05, 0.2))


def test_nodes_without_a_box_take_no_part() -> None:
    assert boxes_of([SceneNode("a", Layer.OBJECT, "thing")]).ids == ()
    assert supports_below(boxes_of([])) == {}
