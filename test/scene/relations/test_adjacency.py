# SPDX-License-Identifier: Apache-2.0
"""Adjacent rooms and things near each other, beside slow and obvious forms."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from slow_relations import Box, as_node, crowds, slow_distance, slow_near

from fcp_ros.scene import Layer, Pose, RelationOptions, SceneNode
from fcp_ros.scene.relations.nearness import add_reverse, find_nearest, measure_box_distance
from fcp_ros.scene.relations.passages import SLANT, find_adjacent_rooms, measure_length_beside
from fcp_ros.scene.shapes.boxes import build_boxes

Corner = tuple[float, float]
OPTIONS = RelationOptions(also=frozenset({"adjacent"}))
STEP = 0.01


def room(id_: str, *corners: Corner, level: float = 0.0) -> SceneNode:
    pose = Pose.at(0, 0, level + 1.25)
    return SceneNode(id_, Layer.ROOM, "room", pose=pose, polygon=corners, height=2.5)


def rectangle(id_: str, x0: float, y0: float, x1: float, y1: float, level: float = 0.0):
    return room(id_, (x0, y0), (x1, y0), (x1, y1), (x0, y1), level=level)


def adjacent(*rooms: SceneNode) -> dict[tuple[str, ...], float]:
    return {
        relation.elements: relation.confidence for relation in find_adjacent_rooms(rooms, OPTIONS)
    }


def slow_length(one: list[Corner], other: list[Corner], wall: float) -> float:
    """In steps of a centimetre along each edge: is the other edge beside it there?"""
    total = 0.0
    for p, q in zip(one, one[1:] + one[:1], strict=True):
        length = math.dist(p, q)
        ux, uy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
        for r, s in zip(other, other[1:] + other[:1], strict=True):
            t0, t1 = ((c[0] - p[0]) * ux + (c[1] - p[1]) * uy for c in (r, s))
            d0, d1 = ((c[1] - p[1]) * ux - (c[0] - p[0]) * uy for c in (r, s))
            if t0 == t1 or abs(math.atan((d1 - d0) / (t1 - t0))) > SLANT:
                continue
            steps = round(length / STEP)
            for step in range(steps):
                t = (step + 0.5) * length / steps
                if min(t0, t1) <= t <= max(t0, t1):
                    aside = d0 + (d1 - d0) * (t - t0) / (t1 - t0)
                    total += length / steps if abs(aside) <= wall else 0.0
    return total


@st.composite
def quadrangles(draw: st.DrawFn) -> list[Corner]:
    x, y = draw(st.integers(-3, 3)), draw(st.integers(-3, 3))
    angle = draw(st.sampled_from([0.0, 0.1, 0.4, 0.9]))
    width, depth = draw(st.sampled_from([1.0, 2.3])), draw(st.sampled_from([1.0, 3.1]))
    cos, sin = math.cos(angle), math.sin(angle)
    return [
        (x + cos * i * width - sin * j * depth, y + sin * i * width + cos * j * depth)
        for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]


@given(quadrangles(), quadrangles())
@settings(max_examples=60, deadline=None)
def test_the_length_is_that_of_small_steps(one: list[Corner], other: list[Corner]) -> None:
    fast = measure_length_beside(np.array(one), np.array(other), 0.5)
    assert fast == pytest.approx(slow_length(one, other, 0.5), abs=16 * STEP)


def test_a_wall_between_and_none() -> None:
    a, b = rectangle("a", 0, 0, 4, 3), rectangle("b", 4.4, 0, 8, 3)
    assert adjacent(a, b) == {("a", "b"): 1.0, ("b", "a"): 1.0}
    assert adjacent(a, rectangle("b", 4.6, 0, 8, 3)) == {}


def test_a_short_stretch_is_less_certain() -> None:
    a, b = rectangle("a", 0, 0, 4, 3), rectangle("b", 4.2, 2.25, 8, 5)
    assert adjacent(a, b)["a", "b"] == pytest.approx(0.75)
    assert adjacent(a, rectangle("b", 4.2, 2.6, 8, 5)) == {}


def test_rooms_at_a_corner_or_above_each_other_are_not_adjacent() -> None:
    a = rectangle("a", 0, 0, 4, 3)
    assert adjacent(a, rectangle("corner", 4.1, 3.1, 8, 6)) == {}
    assert adjacent(a, rectangle("above", 4.1, 0, 8, 3, level=2.8)) == {}


# --- Which boxes are near each other, beside a form that measures every pair side by side


def near(boxes: list[Box], options: RelationOptions) -> dict[tuple[str, str], float]:
    found = find_nearest(build_boxes(map(as_node, boxes)), options)
    found = add_reverse(found, len(boxes), options.near_most)
    ids = [box.id for box in boxes]
    pairs = zip(found.item.tolist(), found.other.tolist(), found.confidence.tolist(), strict=True)
    return {(ids[a], ids[b]): sure for a, b, sure in pairs}


@given(crowds())
@settings(max_examples=200, deadline=None)
def test_the_distance_of_boxes(boxes: list[Box]) -> None:
    arrays = build_boxes(map(as_node, boxes))
    a, b = np.meshgrid(np.arange(len(boxes)), np.arange(len(boxes)))
    a, b = a.ravel(), b.ravel()
    away = measure_box_distance(arrays, a, b)
    assert np.array_equal(away, measure_box_distance(arrays, b, a)), "to the last bit"
    slow = [slow_distance(boxes[i], boxes[j]) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    assert away == pytest.approx(slow, abs=1e-8)


@given(crowds(), st.sampled_from([0.1, 0.3, 1.0]), st.sampled_from([1, 3, 16]))
@settings(max_examples=200, deadline=None)
def test_the_same_as_over_all_pairs(boxes: list[Box], reach: float, most: int) -> None:
    # Both round to a micrometre: only what lies in the middle between two may go either way.
    distances = (slow_distance(a, b) for a, b in combinations(boxes, 2))
    assume(all(abs(away * 1e6 % 1.0 - 0.5) > 0.02 for away in distances))
    found = near(boxes, RelationOptions(near=reach, near_most=most))
    slow = slow_near(boxes, reach, most)
    assert found.keys() == slow.keys()
    assert all(sure == pytest.approx(slow[key], abs=1e-6) for key, sure in found.items())


def test_the_lesser_ids_of_equal_distances_count_however_they_are_added_up() -> None:
    # 0.1 + 0.3 + half - half - 0.1 is 0.3 but for rounding, which is the limit, too.
    low = Box("low", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), 0.0)
    above = [
        Box(f"b{i}", (0.0, 0.0, 0.1 + gap + half), (0.1, 0.1, half), 0.0)
        for i, (gap, half) in enumerate([(0.3, 0.11), (0.3, 0.07), (0.3, 0.13), (0.3, 0.29)])
    ]
    for most in (1, 2, 3):
        found = near([low, *above], RelationOptions(near=0.3, near_most=most))
        assert {b for a, b in found if a == "low"} == {f"b{i}" for i in range(most)}


def test_touching_is_certain_and_the_limit_is_not() -> None:
    boxes = [
        Box("a", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), 0.0),
        Box("b", (0.2, 0.0, 0.0), (0.1, 0.1, 0.1), 0.0),
        Box("c", (0.0, 0.44, 0.0), (0.1, 0.1, 0.1), 0.0),
    ]
    found = near(boxes, RelationOptions(near=0.3))
    assert found["a", "b"] == found["b", "a"] == pytest.approx(1.0)
    assert found["a", "c"] == pytest.approx(0.6)


def test_a_crowd_has_a_bounded_number_of_neighbours() -> None:
    boxes = [Box(f"b{i:04}", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), 0.0) for i in range(1_500)]
    found = near(boxes, RelationOptions(near=0.3, near_most=4))
    assert len(found) <= 2 * 4 * len(boxes)
    assert ("b1499", "b0000") in found
    assert ("b1499", "b1498") not in found


def test_big_and_small_things() -> None:
    wall = Box("wall", (0.0, 0.0, 1.0), (50.0, 0.1, 1.0), 0.6)
    beside = [
        Box(f"b{i}", (i * 0.8253, i * 0.5646 + 0.3, 0.1), (0.05, 0.05, 0.05), 0.0)
        for i in range(-30, 31)
    ]
    found = near([wall, *beside], RelationOptions(near=0.3))
    assert {b for a, b in found if a == "wall"} == {b.id for b in beside}
