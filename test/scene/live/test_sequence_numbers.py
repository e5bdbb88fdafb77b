# SPDX-License-Identifier: Apache-2.0
"""Sequence numbers: in order, late, twice, after a gap, from a source that was started again."""

from __future__ import annotations

import pytest

from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.live_scene import LiveScene
from fcp_ros.scene.sequence_numbers import (
    GREATEST_NUMBER,
    LATEST,
    MOST_BEHIND,
    SequenceNumbers,
    UpdateOrder,
)


def test_a_source_counts_its_updates() -> None:
    numbers = SequenceNumbers()
    assert numbers.check_delta("camera", 7, None, 3).order is UpdateOrder.GAP
    assert numbers.check_delta("camera", 1, None, 3).order is UpdateOrder.NEXT
    assert numbers.check_full("camera", 7, None).order is UpdateOrder.NEXT
    numbers.record("camera", 7, None)
    assert numbers.check_delta("camera", 8, None, 3).order is UpdateOrder.NEXT
    assert numbers.check_delta("camera", 9, None, 3).order is UpdateOrder.GAP
    assert numbers.check_delta("camera", 7, None, 3).order is UpdateOrder.LATE
    assert numbers.check_delta("camera", 2, None, 3).order is UpdateOrder.LATE
    assert numbers.check_full("camera", 30, None).order is UpdateOrder.NEXT


def test_after_a_gap_only_a_full_update_helps() -> None:
    numbers = SequenceNumbers()
    numbers.record("camera", 7, None)
    numbers.record_loss("camera")
    assert numbers.check_delta("camera", 8, None, 0).order is UpdateOrder.GAP
    numbers.record("camera", 11, None)
    assert numbers.check_delta("camera", 12, None, 0).order is UpdateOrder.NEXT


def test_a_number_that_falls_back() -> None:
    numbers = SequenceNumbers()
    numbers.record("camera", 7, 100.0)
    assert numbers.check_full("camera", 1, None).order is UpdateOrder.RESTARTED
    assert numbers.check_full("camera", 1, 101.0).order is UpdateOrder.RESTARTED
    assert numbers.check_full("camera", 6, 99.0).order is UpdateOrder.LATE
    assert numbers.check_full("camera", 7, 100.0).order is UpdateOrder.LATE  # the same one again
    assert numbers.check_delta("camera", 6, 99.0, 0).order is UpdateOrder.LATE
    assert (
        numbers.check_delta("camera", 1, 101.0, 0).order is UpdateOrder.GAP
    )  # its full one was missed
    assert numbers.check_delta("camera", 8, 101.0, 0).order is UpdateOrder.NEXT


@pytest.mark.parametrize("number", [2**63 - 1, GREATEST_NUMBER + 1, -1, -(2**63)])
@pytest.mark.parametrize("source", ["", "camera"])
def test_a_number_that_nothing_could_follow_is_none(number: int, source: str) -> None:
    numbers = SequenceNumbers()
    with pytest.raises(SceneError, match="is no sequence number"):
        numbers.check_full(source, number, None)
    with pytest.raises(SceneError, match="is no sequence number"):
        numbers.check_delta(source, number, None, 3)


def test_a_time_far_ahead_does_not_shut_its_source_out() -> None:
    numbers = SequenceNumbers()
    numbers.record("camera", 7, 4e9)
    assert numbers.check_full("camera", 8, 100.0).order is UpdateOrder.NEXT
    assert numbers.check_full("camera", 1, 100.0).order is UpdateOrder.RESTARTED
    assert numbers.check_delta("camera", 6, 100.0, 0).order is UpdateOrder.GAP
    assert numbers.check_full("camera", 6, 4e9 - LATEST).order is UpdateOrder.LATE
    assert numbers.check_full("camera", 1, 4e9 - LATEST).order is UpdateOrder.RESTARTED


def test_a_source_without_a_clock_that_counts_anew() -> None:
    numbers = SequenceNumbers()
    numbers.record("door sensor", 7, None)
    assert numbers.check_delta("door sensor", 1, None, 0).order is UpdateOrder.GAP
    assert numbers.check_delta("door sensor", 2, None, 0).order is UpdateOrder.LATE
    numbers.record("door sensor", 9 + MOST_BEHIND, None)
    assert numbers.check_delta("door sensor", 8, None, 0).order is UpdateOrder.GAP
    assert numbers.check_delta("door sensor", 9, None, 0).order is UpdateOrder.LATE


def test_without_a_source_the_graph_counts() -> None:
    numbers = SequenceNumbers()
    assert numbers.check_full("", 0, None).order is UpdateOrder.NEXT
    assert numbers.check_delta("", 4, None, 3).order is UpdateOrder.NEXT
    assert numbers.check_delta("", 3, None, 3).order is UpdateOrder.LATE
    assert numbers.check_delta("", 5, None, 3).order is UpdateOrder.GAP


def test_sources_are_forgotten_beyond_a_bound() -> None:
    numbers = SequenceNumbers(most_sources=2)
    for name in ("a", "b", "a", "c"):
        numbers.record(name, 1, None)
    orders = [numbers.check_delta(name, 2, None, 0).order for name in "abc"]
    assert orders == [UpdateOrder.NEXT, UpdateOrder.GAP, UpdateOrder.NEXT]


# --- Rooms and robots that completion assumes: not those that a delta has removed (issue 28)


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
