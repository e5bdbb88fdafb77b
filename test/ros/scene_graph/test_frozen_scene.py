# SPDX-License-Identifier: Apache-2.0
"""One message freezes nothing: the scene goes on, can be loaded again, and the node be reset."""

from __future__ import annotations

import json
from itertools import product

import pytest
from lifecycle_msgs.msg import Transition
from scene_messages import columns
from scene_updates import refusals

from fcp_ros.client import FcpClient
from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.scene.graph.elements import Layer

HOUSE = {
    "format": "fcp_ros/scene",
    "version": 1,
    "nodes": [
        {"id": "den", "layer": "room", "category": "room"},
        {"id": "table_1", "layer": "object", "category": "table", "parents": ["den"]},
        {"id": "mug_1", "layer": "object", "category": "mug", "parents": ["den"]},
    ],
    "relations": [["on", "mug_1", "table_1"]],
}


@pytest.fixture
def node(stack_options, tmp_path, probe):
    """Starts a scene_graph node of its own: (stack, client, publisher of updates)."""
    (tmp_path / "house.json").write_text(json.dumps(HOUSE))
    started = []

    def start(**parameters):
        space = f"frozen_{len(started)}_{tmp_path.name}"
        options = stack_options(
            tmp_path,
            {"scene_graph": {"scene_folders": [str(tmp_path)], **parameters}},
            nodes=("scene_graph",),
            namespace=space,
            scene="",
        )
        stack = NodeStack(options)
        stack.start()
        client = FcpClient(namespace=space)
        started.append((stack, client))
        stack.wait_active()
        return stack, client, probe.publisher(SceneGraphUpdate, f"{space}/scene_graph_update")

    yield start
    for stack, client in started:
        client.close()
        stack.stop()


def test_a_number_at_the_end_of_all_numbers(node, until, probe):
    stack, client, updates = node()
    for count, (source, number) in enumerate(
        product(("", "camera"), (2**63 - 1, -(2**63))), refusals(stack) + 1
    ):
        last = SceneGraphUpdate(full_update=True, sequence_number=number, source=source)
        last.nodes = columns("a")
        last.header.stamp.sec = 2**31 - 1
        updates.publish(last)
        until(lambda count=count: refusals(stack) == count, "the refusal")
        assert "is no sequence number" in stack.nodes["scene_graph"].diagnose().message
        good = SceneGraphUpdate(full_update=True, sequence_number=count, source=source)
        good.nodes = columns(f"b{count}")
        updates.publish(good)
        until(lambda id_=f"b{count}": (s := client.scene()) and id_ in s.nodes.ids, "the next one")
        assert client.load_scene("house.json").success
        assert "mug_1" in client.scene().nodes.ids
    name = stack.nodes["scene_graph"].get_fully_qualified_name()
    for transition in ("DEACTIVATE", "CLEANUP", "CONFIGURE", "ACTIVATE"):
        assert probe.change_state(name, getattr(Transition, f"TRANSITION_{transition}"))
    assert client.load_scene("house.json").success


def test_a_fault_of_ours_costs_one_update(node, until, monkeypatch):
    """An exception that nobody expected, half-way through a change."""
    stack, client, updates = node()
    assert client.load_scene("house.json").success
    with monkeypatch.context() as patch:
        patch.setattr("fcp_ros.scene.live_scene.describe_change", lambda *_: [][0], raising=True)
        updates.publish(SceneGraphUpdate(nodes=columns("a")))
        until(lambda: refusals(stack) == 1, "the refusal")
    assert "IndexError" in stack.nodes["scene_graph"].diagnose().message
    updates.publish(SceneGraphUpdate(nodes=columns("a")))
    until(lambda: refusals(stack) == 2, "another refusal: the scene is not to be trusted")
    assert "Send a full update" in stack.nodes["scene_graph"].diagnose().message
    updates.publish(SceneGraphUpdate(full_update=True, nodes=columns("b")))
    until(lambda: "b" in client.scene().nodes.ids, "the full update")
    updates.publish(SceneGraphUpdate(nodes=columns("c")))
    until(lambda: "c" in client.scene().nodes.ids, "the next delta")


def test_a_loaded_scene_has_no_robot_of_its_own(node, until):
    """The one that is assumed goes as soon as a sender names the real one."""
    _, client, updates = node()
    assert client.load_scene("house.json").success
    assert "robot_1" in client.scene().nodes.ids
    updates.publish(SceneGraphUpdate(nodes=columns("r2", layer="agent", category="robot")))
    until(lambda: "r2" in client.scene().nodes.ids, "the robot")
    agents = graph_from_ros(client.scene()).in_layer(Layer.AGENT)
    assert [agent.id for agent in agents] == ["r2"]


def test_a_scene_is_left_as_it_is_given(node):
    _, client, _ = node(complete_relations=False)
    assert client.load_scene("house.json").success
    graph = graph_from_ros(client.scene())
    assert set(graph.nodes) == {"den", "table_1", "mug_1"}
    assert [str(relation) for relation in graph.relations] == ["on(mug_1, table_1)"]


def test_a_loaded_scene_is_derived_once(node, monkeypatch):
    from fcp_ros.scene.relations import maintainer

    calls = []
    complete = maintainer.complete_scene

    def count(*arguments):
        calls.append(arguments)
        return complete(*arguments)

    _, client, _ = node()
    monkeypatch.setattr(maintainer, "complete_scene", count)
    monkeypatch.setattr("fcp_ros.scene.relations.complete.complete_scene", count)
    assert client.load_scene("house.json").success
    assert len(calls) == 1
