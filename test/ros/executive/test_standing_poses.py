# SPDX-License-Identifier: Apache-2.0
"""Where a robot stands in a place: by attributes, by free space, and otherwise not at all."""

from __future__ import annotations

import pytest

from fcp_ros.nodes.executors.nav2_executor import StandingPose, find_standing_pose
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

ROOM = SceneNode("hall_1", Layer.ROOM, "hall", pose=Pose.at(5.0, 5.0, 0.0))
PLACES = tuple(
    SceneNode(id_, Layer.PLACE, "place", pose=pose, parents=parents)
    for id_, pose, parents in (
        ("p_far", Pose.at(5.0, 8.0, 0.0), ("hall_1",)),
        ("p_near", Pose.at(5.0, 6.0, 0.0, yaw=1.0), ("hall_1",)),
        ("p_elsewhere", Pose.at(5.0, 5.0, 0.0), ()),
        ("p_unknown", None, ("hall_1",)),
    )
)
TABLE = SceneNode("table_1", Layer.OBJECT, "table", Pose.at(5.0, 5.0, 0.4), (1.0, 1.0, 0.8))


def graph_of(*nodes):
    return SceneGraph({node.id: node for node in nodes}, frame_id="house")


def test_a_room_has_the_pose_of_its_place_nearest_to_the_middle():
    found = find_standing_pose(graph_of(ROOM, *PLACES), "hall_1")
    assert found == StandingPose("house", 5.0, 6.0, pytest.approx(1.0))


def test_a_place_is_its_own_pose():
    assert find_standing_pose(graph_of(ROOM, *PLACES), "p_far").y == 8.0


def test_attributes_come_first():
    node = SceneNode(
        "p", Layer.PLACE, "place", Pose.at(1, 1, 0), attributes={"stand_x": 2, "stand_y": 0}
    )
    assert find_standing_pose(graph_of(node), "p") == StandingPose("house", 2.0, 0.0, 0.0)


@pytest.mark.parametrize("id_", ["hall_1", "table_1", "p_unknown", "attic_1"])
def test_what_is_unknown_is_refused(id_):
    with pytest.raises(SceneError, match=id_):
        find_standing_pose(graph_of(ROOM, TABLE, PLACES[2], PLACES[3]), id_)


@pytest.mark.parametrize(
    "attributes",
    [{"stand_x": 1.0}, {"stand_x": "1", "stand_y": 1.0}, {"stand_x": True, "stand_y": 1.0}],
)
def test_half_a_pose_is_none(attributes):
    room = SceneNode("hall_1", Layer.ROOM, "hall", attributes=attributes)
    with pytest.raises(SceneError, match="stand_"):
        find_standing_pose(graph_of(room), "hall_1")
