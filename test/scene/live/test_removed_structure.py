# SPDX-License-Identifier: Apache-2.0
"""Rooms and robots that completion assumes: not those that a delta has removed (issue 28)."""

from __future__ import annotations

import pytest

from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.live_scene import LiveScene

KITCHEN = SceneNode("kitchen", Layer.ROOM, "kitchen", polygon=((0, 0), (4, 0), (4, 4), (0, 4)))
MUG = SceneNode("mug", Layer.OBJECT, "mug", pose=Pose.at(1, 1, 0.5))
ROBOT = SceneNode("r2", Layer.AGENT, "robot", pose=Pose.at(2, 2, 0))


def ids(scene: LiveScene, layer: Layer) -> set[str]:
    assert scene.graph is not None
    return {node.id for node in scene.graph.in_layer(layer)}


def remove(scene: LiveScene, *gone: str) -> None:
    assert scene.graph is not None
    scene.take_delta(SceneDelta(scene.graph.sequence + 1, removed=gone))


@pytest.mark.parametrize(("nodes", "robot"), [((ROBOT,), "r2"), ((), "robot_1")])
def test_a_removed_robot_is_not_assumed_again(nodes: tuple[SceneNode, ...], robot: str) -> None:
    scene = LiveScene()
    scene.take_full(SceneGraph.of([KITCHEN, MUG, *nodes]))
    assert ids(scene, Layer.AGENT) == {robot}
    remove(scene, robot)
    assert not ids(scene, Layer.AGENT)
    scene.take_full(SceneGraph.of([KITCHEN, MUG]))
    assert not ids(scene, Layer.AGENT), "a sender that has never named a robot brings none back"
    assert scene.graph is not None
    scene.take_delta(SceneDelta(scene.graph.sequence + 1, upserted=(ROBOT,)))
    assert ids(scene, Layer.AGENT) == {"r2"}
    scene.take_full(SceneGraph.of([KITCHEN, MUG]))
    assert ids(scene, Layer.AGENT) == {"robot_1"}, "given and not removed since: as at first"


def test_a_removed_room_is_not_assumed_again() -> None:
    scene = LiveScene()
    scene.take_full(SceneGraph.of([KITCHEN, MUG, ROBOT]))
    remove(scene, "kitchen")
    assert scene.graph is not None
    assert set(scene.graph.nodes) == {"mug", "r2"}
    assert not scene.graph.relations_named("in_room")
    scene.take_delta(SceneDelta(scene.graph.sequence + 1, upserted=(KITCHEN,)))
    assert dict(r.elements for r in scene.graph.relations_named("in_room"))["mug"] == "kitchen"


def test_nothing_need_be_left() -> None:
    scene = LiveScene()
    scene.take_full(SceneGraph.of([KITCHEN, MUG]))
    remove(scene, "kitchen", "mug", "robot_1")
    assert scene.graph is not None
    assert not scene.graph.nodes
    scene.take_full(SceneGraph.of([KITCHEN, MUG]))
    assert "kitchen_floor" in scene.graph.nodes
