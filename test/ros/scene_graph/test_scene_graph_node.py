# SPDX-License-Identifier: Apache-2.0
"""The scene_graph node: updates become changes and graphs, on latched topics."""

from __future__ import annotations

import time

from scene_updates import at_the_counter, move_mug
from std_msgs.msg import Header

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import change_from_ros, delta_to_ros, graph_from_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation


def test_delta_is_applied(scene, graphs, updates, stack, client, until):
    delta = move_mug(scene)
    updates.publish(delta_to_ros(delta, "map", Header(frame_id="map").stamp))
    graph = graphs.wait(lambda m: m.sequence_number == delta.sequence)
    assert graph_from_ros(graph).nodes == graph_from_ros(scene).nodes
    assert graph_from_ros(graph) == apply_delta(graph_from_ros(scene), delta)
    planner = stack.nodes["task_planner"]
    until(
        lambda: planner.diagnose().values["scene_sequence_number"] == delta.sequence,
        "the planner's scene",
    )
    held = client.plan("on(mug_1, counter_1)", alpha=0.0)
    assert not held.plan.steps, "the goal holds already in the new scene"


def test_full_update_replaces_and_is_completed(scene, graphs, updates):
    hall = SceneNode("hall", Layer.ROOM, "hall")
    nodes = nodes_to_ros([hall, SceneNode("mug_9", Layer.OBJECT, "mug", parents=("hall",))])
    updates.publish(SceneGraphUpdate(full_update=True, nodes=nodes))
    graph = graphs.wait(lambda m: {"hall", "mug_9"} <= set(m.nodes.ids))
    assert graph.sequence_number == scene.sequence_number + 1
    assert "hall_floor" in graph.nodes.ids, "relations are completed"
    assert graph.header.stamp.sec > 0, "an update without a time is stamped when it comes"
    ahead = SceneGraphUpdate(
        full_update=True, sequence_number=scene.sequence_number + 50, nodes=nodes
    )
    updates.publish(ahead)
    graphs.wait(lambda m: m.sequence_number == scene.sequence_number + 50)


def test_each_update_is_a_change_and_they_make_the_graph(scene, graphs, changes, updates):
    present = graph_from_ros(scene)
    for number in range(1, 21):
        place, other = ("counter_1", "table_1") if number % 2 else ("table_1", "counter_1")
        delta = SceneDelta(
            sequence=scene.sequence_number + number,
            added=(SceneRelation("on", ("mug_1", place)),),
            dropped=(SceneRelation("on", ("mug_1", other)),),
        )
        updates.publish(delta_to_ros(delta, "map", Header().stamp))
    last = scene.sequence_number + 20
    changes.wait(lambda m: m.sequence_number == last)
    for message in changes.messages:
        if message.sequence_number <= scene.sequence_number:
            continue
        change = change_from_ros(message)
        assert change.previous == present.sequence == change.delta.sequence - 1
        assert set(change.changed) == {"mug_1", "counter_1", "table_1"}
        present = apply_delta(present, change.delta)
    whole = graphs.wait(lambda m: m.sequence_number == last)
    assert graph_from_ros(whole).nodes == present.nodes
    assert set(graph_from_ros(whole).relations) == set(present.relations)


def test_whole_graphs_come_once_in_a_period(scene, graphs, changes, updates, stack):
    period = stack.nodes["scene_graph"].parameters.number("graph_period")
    graphs.wait(lambda m: m.sequence_number == scene.sequence_number)
    began = time.monotonic()
    for number in range(1, 61):
        updates.publish(SceneGraphUpdate(sequence_number=scene.sequence_number + number))
        time.sleep(0.01)
    last = scene.sequence_number + 60
    changes.wait(lambda m: m.sequence_number == last)
    graphs.wait(lambda m: m.sequence_number == last)
    spent = time.monotonic() - began
    wholes = [m for m in graphs.messages if m.sequence_number > scene.sequence_number]
    assert len(wholes) <= spent / period + 2
    news = [m for m in changes.messages if m.sequence_number > scene.sequence_number]
    assert [m.sequence_number for m in news] == list(range(scene.sequence_number + 1, last + 1))


def test_what_a_full_update_repeats_is_not_sent_again(scene, changes, updates):
    updates.publish(at_the_counter(scene, "again", 1, full=True))
    first = changes.wait(lambda m: m.sequence_number == scene.sequence_number + 1)
    assert first.full_update, "another source"
    # Only now: while the first one waits, the second one would replace it.
    updates.publish(at_the_counter(scene, "again", 2, full=True))
    second = changes.wait(lambda m: m.sequence_number == scene.sequence_number + 2)
    assert not second.full_update
    assert not second.nodes.ids
    assert not second.relations.names
    assert not second.changed_elements
