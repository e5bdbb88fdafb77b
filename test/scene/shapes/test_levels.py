# SPDX-License-Identifier: Apache-2.0
"""How high floors are: what the room says, else its floor node, else its pose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.shapes.polygons import find_floor_levels
from fcp_ros.scene.shapes.route import trace_routes

ROOM = SceneNode("hall", Layer.ROOM, "hall", pose=Pose.at(0.0, 0.0, 4.2), height=2.4)
FLOOR = SceneNode(
    "hall_floor", Layer.OBJECT, "floor", pose=Pose.at(0.0, 0.0, 2.9), size=(4.0, 4.0, 0.02)
)
LAMP = SceneNode("lamp", Layer.OBJECT, "lamp", pose=Pose.at(1.0, 1.0, 5.0), size=(0.2, 0.2, 0.2))
IN_ROOM = [SceneRelation("in_room", (thing, "hall")) for thing in ("hall_floor", "lamp")]


def house(room: SceneNode) -> SceneGraph:
    return SceneGraph.of([room, FLOOR, LAMP], IN_ROOM)


def test_the_room_s_own_height_counts_first() -> None:
    assert find_floor_levels(house(ROOM)) == {"hall": pytest.approx(3.0)}


def test_else_the_floor_s_top_and_else_the_pose() -> None:
    low = replace(ROOM, height=None)
    assert find_floor_levels(house(low)) == {"hall": pytest.approx(2.91)}
    assert find_floor_levels(SceneGraph.of([low])) == {"hall": 4.2}
    assert find_floor_levels(SceneGraph.of([replace(ROOM, pose=None)])) == {}


def test_a_route_is_on_the_floor_of_the_storey() -> None:
    ((stop,),) = trace_routes(house(replace(ROOM, height=None)), [["lamp"]])
    assert stop.level == pytest.approx(2.91), "not as high as the lamp hangs"
    assert stop.top == pytest.approx(5.1)
