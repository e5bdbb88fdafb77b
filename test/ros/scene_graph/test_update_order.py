# SPDX-License-Identifier: Apache-2.0
"""Numbers of updates: each source counts its own; gaps, late ones, and sources started again."""

from __future__ import annotations

from dataclasses import replace

from scene_updates import at_the_counter, move_mug, seen
from std_msgs.msg import Header

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import delta_to_ros, graph_from_ros


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


def test_a_delta_for_whatever_graph_there_is(scene, changes, updates, client, until):
    """Number 0 without a source: between the updates of a fast sender no other number fits."""
    for number in range(1, 11):
        updates.publish(SceneGraphUpdate(sequence_number=scene.sequence_number + number))
    updates.publish(delta_to_ros(replace(move_mug(scene), sequence=0), "map", Header().stamp))
    changes.wait(lambda m: m.sequence_number == scene.sequence_number + 11)
    held = graph_from_ros(client.scene())
    assert held.relation("on", "mug_1", "counter_1")
    assert not held.relation("on", "mug_1", "table_1")
