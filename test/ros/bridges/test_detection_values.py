# SPDX-License-Identifier: Apache-2.0
"""Detections as plain values: classes, boxes, poses in other frames, and what is wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fcp_ros.nodes.scene_graph.sightings import Detection, Hypothesis, make_sighting, parse_classes
from fcp_ros.scene import Pose
from fcp_ros.scene.graph.transforms import IDENTITY, Transform, from_euler

NOWHERE = Pose((0.0, 0.0, 0.0))
MUG = Detection(
    "17",
    (Hypothesis("cup", 0.3, Pose.at(9, 9, 9)), Hypothesis("3", 0.8, Pose.at(1.0, 2.0, 3.0))),
    Pose.at(1.0, 0.0, 0.5, yaw=0.3),
    (0.1, 0.2, 0.3),
)


def test_the_best_hypothesis_through_the_table():
    seen = make_sighting(MUG, parse_classes(["3:mug", " 4 : wine glass "]), IDENTITY)
    assert (seen.track, seen.category, seen.score) == ("17", "mug", 0.8)
    assert (seen.pose.position, seen.size) == (MUG.centre.position, MUG.size)
    assert seen.pose.yaw == pytest.approx(0.3)
    assert make_sighting(MUG, {}, IDENTITY).category == "3"


def test_a_pose_in_a_camera():
    """An optical frame (z ahead, x right, y down) that looks along x from 1.2 m above the floor."""
    optical = Transform((0.0, 0.0, 1.2), from_euler(-math.pi / 2, 0.0, -math.pi / 2))
    seen = make_sighting(replace(MUG, centre=Pose((0.5, 0.2, 2.0))), {}, optical)
    assert seen.pose.position == pytest.approx((2.0, -0.5, 1.0))


def test_without_a_box_the_hypothesis_says_where():
    bare = replace(MUG, centre=NOWHERE, size=(0.0, 0.0, 0.0))
    seen = make_sighting(bare, {}, IDENTITY)
    assert seen.pose.position == (1.0, 2.0, 3.0)
    assert seen.size is None
    at_origin = replace(MUG, centre=NOWHERE)
    assert make_sighting(at_origin, {}, IDENTITY).pose.position == (0, 0, 0), "a box there is a box"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hypotheses": ()}, "no hypothesis"),
        ({"hypotheses": (Hypothesis("mug", math.nan, NOWHERE),)}, "score nan"),
        ({"hypotheses": (Hypothesis("mug", 75.0, NOWHERE),)}, r"score 75.0 .* outside \[0, 1\]"),
        ({"hypotheses": (Hypothesis(" ", 0.9, NOWHERE),)}, "no class"),
        ({"size": (0.1, -0.1, 0.1)}, "extent < 0"),
        ({"size": (0.1, math.inf, 0.1)}, "not finite"),
        ({"centre": Pose((math.nan, 0.0, 0.0))}, "not finite"),
        ({"centre": Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))}, "unit quaternion"),
    ],
)
def test_what_nothing_can_be_made_of(change, reason):
    with pytest.raises(ValueError, match=reason):
        make_sighting(replace(MUG, **change), {}, IDENTITY)


@pytest.mark.parametrize("texts", [["mug"], [":mug"], ["3:"], ["3:mug", "3:cup"]])
def test_wrong_classes(texts):
    with pytest.raises(ValueError, match=r"3:mug|twice"):
        parse_classes(texts)
