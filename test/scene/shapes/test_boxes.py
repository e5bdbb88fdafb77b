# SPDX-License-Identifier: Apache-2.0
"""Boxes as arrays: yaw, tilt, bounds."""

import math

import numpy as np
import pytest

from fcp_ros.scene import Layer, Pose, SceneNode
from fcp_ros.scene.graph.roles import HoldingRole, find_holding_role, is_often_mounted
from fcp_ros.scene.shapes.boxes import build_boxes


def node(pose: Pose | None, size: tuple[float, float, float] | None) -> SceneNode:
    return SceneNode("a", Layer.OBJECT, "thing", pose=pose, size=size)


@pytest.mark.parametrize("yaw", [0.0, 0.5, -2.4, math.pi])
def test_yaw(yaw: float) -> None:
    boxes = build_boxes([node(Pose.at(1, 2, 3, yaw), (2.0, 1.0, 0.5))])
    first = np.array([0])
    assert boxes.cos[0] == pytest.approx(math.cos(yaw))
    assert boxes.sin[0] == pytest.approx(math.sin(yaw))
    assert (boxes.bottom(first)[0], boxes.top(first)[0]) == (2.75, 3.25)
    assert (boxes.footprint(first)[0], boxes.volume(first)[0]) == (2.0, 1.0)


def test_a_tilted_box_counts_as_the_upright_box_around_it() -> None:
    lying = Pose((0, 0, 0), (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)))
    boxes = build_boxes(
        [node(lying, (0.1, 0.1, 0.4)), node(Pose.at(0, 0, 0, 0.5), (0.1, 0.1, 0.4))]
    )
    assert np.allclose(boxes.half[0], (0.05, 0.2, 0.05))
    assert np.allclose(boxes.half[1], (0.05, 0.05, 0.2))


def test_upside_down_and_on_its_side() -> None:
    turned = [Pose((0, 0, 0), turn) for turn in ((1.0, 0, 0, 0), (0.5, 0.5, 0.5, 0.5))]
    boxes = build_boxes([node(pose, (1.0, 2.0, 3.0)) for pose in turned])
    assert np.allclose(boxes.half, [(0.5, 1.0, 1.5), (1.5, 0.5, 1.0)])


def test_bounds_hold_the_corners_far_away_too() -> None:
    for x in (0.0, 1e6, -1e12):
        boxes = build_boxes([node(Pose.at(x, 0, 0, math.pi / 4), (2.0, 2.0, 1.0))])
        low, high = boxes.bounds()
        assert low[0, 0] <= x - math.sqrt(2)
        assert high[0, 0] >= x + math.sqrt(2)


def test_nodes_without_a_box_take_no_part() -> None:
    assert build_boxes([node(None, None), node(Pose.at(0, 0, 0), None)]).ids == ()
    assert build_boxes([]).bounds()[0].shape == (0, 2)


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("Dining_Table_2", HoldingRole.LEGS),
        ("desks", HoldingRole.LEGS),
        ("cabinet", HoldingRole.PLAIN),
        ("office chair", HoldingRole.SEAT),
        ("BookShelf", HoldingRole.SHELF),
        ("towel rail", HoldingRole.MOUNT),
        ("ceiling lamp", HoldingRole.BUILT_IN),
        ("lamp", HoldingRole.PLAIN),
    ],
)
def test_labels_decide_how_a_box_holds_things(label: str, role: HoldingRole) -> None:
    assert find_holding_role(label) is role


def test_what_is_often_mounted() -> None:
    assert is_often_mounted("Wall_Decor_Photo_3V")
    assert is_often_mounted("window")
    assert not is_often_mounted("sofa")
