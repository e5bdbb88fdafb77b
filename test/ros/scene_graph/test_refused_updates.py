# SPDX-License-Identifier: Apache-2.0
"""Updates that the scene_graph node refuses: the scene stays, and a sentence says why."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from rclpy.serialization import serialize_message
from scene_messages import columns
from scene_updates import move_mug, refusals
from std_msgs.msg import Header

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import delta_to_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode

BAD_UPDATES = (
    SceneGraphUpdate(full_update=True),
    SceneGraphUpdate(full_update=True, nodes=columns("a", layer="attic")),
    SceneGraphUpdate(full_update=True, nodes=columns("a", "a")),
    SceneGraphUpdate(sequence_number=-3),
    SceneGraphUpdate(header=Header(frame_id="moon"), source="rover", sequence_number=1),
)


def test_bad_updates_change_nothing(scene, updates, stack, client, until):
    for update in BAD_UPDATES:
        before = refusals(stack)
        updates.publish(update)
        until(lambda before=before: refusals(stack) > before, f"the refusal of {update}")
        assert client.scene() == scene


BAD_NODES = {
    "not a number": {"pose": Pose((math.nan, 0.0, 0.0))},
    "the position holds a number beyond": {"pose": Pose((1e9, 0.0, 0.0))},
    "unit quaternion": {"pose": Pose((0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0))},
    "'nowhere' is not in the graph": {"parents": ("nowhere",)},
    "lead back to itself": {"parents": ("bad",)},
    "category is empty": {"category": ""},
    "it has 1,001 attributes, more than 1,000": {
        "attributes": {f"a{number}": True for number in range(1_001)}
    },
    "its id, category and attributes have 65,546": {"attributes": {"note": "x" * 65_536}},
}


@pytest.mark.parametrize("full", [True, False])
def test_bad_nodes_are_refused_with_a_sentence(full, scene, updates, stack, client, until):
    for words, change in BAD_NODES.items():
        before = refusals(stack)
        nodes = nodes_to_ros([replace(SceneNode("bad", Layer.OBJECT, "mug"), **change)])
        source = f"{words} {full}"
        updates.publish(
            SceneGraphUpdate(source=source, full_update=full, sequence_number=1, nodes=nodes)
        )
        until(lambda before=before: refusals(stack) == before + 1, f"the refusal: {words}")
        wanted = "not finite" if words == "not a number" else words
        assert wanted in stack.nodes["scene_graph"].diagnose().message
        assert client.scene() == scene


def test_garbage_is_refused(scene, updates, stack, client, until):
    before = refusals(stack)
    good = serialize_message(delta_to_ros(move_mug(scene), "map", Header().stamp))
    lying = good[:40] + b"\xff" * 8 + good[48:]
    bad = [b"\x00\x01\x00\x00", good[: len(good) // 2], lying, b"\x00\x09" + good[2:]]
    for data in bad:
        updates.publish(data)
    until(lambda: refusals(stack) == before + len(bad), "the refusals")
    assert client.scene() == scene
    updates.publish(good)
    until(lambda: client.scene().sequence_number == scene.sequence_number + 1, "the good update")


def test_too_many_nodes(stack_options, tmp_path, probe, until):
    options = stack_options(
        tmp_path, {"scene_graph": {"max_nodes": 3}}, nodes=("scene_graph",), namespace="small"
    )
    options = replace(options, scene="")
    with NodeStack(options) as stack:
        stack.wait_active()
        publisher = probe.publisher(SceneGraphUpdate, "small/scene_graph_update")
        names = [f"n{i}" for i in range(4)]
        nodes = columns(*names, layer="object", category="mug")
        publisher.publish(SceneGraphUpdate(full_update=True, nodes=nodes))
        until(lambda: refusals(stack) == 1, "the refusal")
        message = stack.nodes["scene_graph"].diagnose().message
        assert "4 nodes, more than the limit of 3" in message
        # One at a time neither.
        first, last = (columns(*some, layer="object") for some in (names[:3], names[3:]))
        publisher.publish(SceneGraphUpdate(full_update=True, nodes=first))
        publisher.publish(SceneGraphUpdate(sequence_number=2, nodes=last))
        until(lambda: refusals(stack) == 2, "the refusal of one more")
        assert "more than the limit of 3" in stack.nodes["scene_graph"].diagnose().message
