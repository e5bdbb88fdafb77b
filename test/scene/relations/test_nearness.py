# SPDX-License-Identifier: Apache-2.0
"""Which boxes are near each other, beside a form that measures every pair side by side."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from slow_relations import Box, as_node, crowds, slow_distance, slow_near

from fcp_ros.scene import RelationOptions
from fcp_ros.scene.relations.nearness import add_reverse, find_nearest, measure_box_distance
from fcp_ros.scene.shapes.boxes import build_boxes


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
