# SPDX-License-Identifier: Apache-2.0
"""Numbers of updates: each source counts its own; gaps, late ones, and sources started again."""

from __future__ import annotations

from dataclasses import replace

from scene_messages import columns
from scene_updates import at_the_counter, move_mug, refusals, seen
from std_msgs.msg import Header

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import delta_to_ros, graph_from_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros
from fcp_ros.scene.graph.elements import Layer


def test_sources_count_their_own_updates(scene, changes, updates, stack, until):
    """Two writers never take a number from each other."""
    updates.publish(at_the_counter(scene, "camera", 700, full=True))
    for number in (701, 702):
        nodes = columns("cup", layer="object", category=f"mug_{number}")
        updates.publish(SceneGraphUpdate(source="camera", sequence_number=number, nodes=nodes))
    door = SceneGraphUpdate(source="door sensor", sequence_number=1)
    door.nodes = nodes_to_ros(graph_from_ros(scene).in_layer(Layer.OBJECT)[:1])
    updates.publish(door)
    changes.wait(lambda m: m.sequence_number == scene.sequence_number + 4)
    assert seen(stack, "update_sources").endswith("camera, door sensor")


def test_late_and_repeated_updates_are_counted_only(scene, updates, stack, client, until):
    before, refused = seen(stack, "late_updates"), refusals(stack)
    updates.publish(at_the_counter(scene, "twin", 5, full=True))
    updates.publish(SceneGraphUpdate(source="twin", sequence_number=5))
    updates.publish(SceneGraphUpdate(source="twin", sequence_number=4))
    updates.publish(delta_to_ros(move_mug(scene), "map", Header().stamp))  # somebody was faster
    until(lambda: seen(stack, "late_updates") == before + 3, "three late updates")
    assert refusals(stack) == refused
    assert client.scene().sequence_number == scene.sequence_number + 1


def test_a_gap_is_asked_about_until_a_full_update_comes(scene, requests, updates, stack, until):
    updates.publish(at_the_counter(scene, "lossy", 1, full=True))
    for number in range(3, 40):
        updates.publish(SceneGraphUpdate(source="lossy", sequence_number=number))
    request = requests.wait(lambda m: m.source == "lossy")
    assert request.last_sequence_number == 1
    assert "number 3 came after number 1" in request.reason
    assert request.header.stamp.sec > 0
    until(lambda: len(requests.messages) >= 2, "the request once more")
    period = stack.nodes["scene_graph"].parameters.number("request_period")
    assert period >= 1.0
    assert len(requests.messages) <= 3, "however many updates were refused"
    assert seen(stack, "full_updates_awaited") == 1
    updates.publish(at_the_counter(scene, "lossy", 41, full=True))
    until(lambda: seen(stack, "full_updates_awaited") == 0, "the full update")


def test_a_source_that_is_started_again(scene, requests, changes, updates):
    first = at_the_counter(scene, "restarted", 900, full=True)
    first.header.stamp.sec = 1000
    updates.publish(first)
    delta = SceneGraphUpdate(source="restarted", sequence_number=1)
    delta.header.stamp.sec = 1001
    updates.publish(delta)
    assert "the source restarted" in requests.wait(lambda m: m.source == "restarted").reason
    again = at_the_counter(scene, "restarted", 2, full=True)
    again.header.stamp.sec = 1002
    updates.publish(again)
    delta.sequence_number, delta.header.stamp.sec = 3, 1003
    updates.publish(delta)
    changes.wait(lambda m: m.sequence_number == scene.sequence_number + 3)


def test_a_delta_for_whatever_graph_there_is(scene, changes, updates, client, until):
    """Number 0 without a source: between the updates of a fast sender no other number fits."""
    for number in range(1, 11):
        updates.publish(SceneGraphUpdate(sequence_number=scene.sequence_number + number))
    updates.publish(delta_to_ros(replace(move_mug(scene), sequence=0), "map", Header().stamp))
    changes.wait(lambda m: m.sequence_number == scene.sequence_number + 11)
    held = graph_from_ros(client.scene())
    assert held.relation("on", "mug_1", "counter_1")
    assert not held.relation("on", "mug_1", "table_1")
