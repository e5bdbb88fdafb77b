# SPDX-License-Identifier: Apache-2.0
"""The scene_graph node: files, updates with sequence numbers, latched topics, bad input."""

from __future__ import annotations

from dataclasses import replace

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from fcp_ros.client import FcpClient
from fcp_ros.msg import SceneGraph, SceneGraphUpdate, SceneNode
from fcp_ros.nodes.conversions.scene import delta_to_message, graph_from_message
from fcp_ros.nodes.stack import NodeStack, StartError
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.graph import SceneRelation
from fcp_ros.srv import GetSceneGraph


@pytest.fixture(scope="module")
def updates(probe, stack):
    return probe.publisher(SceneGraphUpdate, "scene_graph_update")


@pytest.fixture
def graphs(probe, stack):
    inbox = probe.listen(SceneGraph, "scene_graph", latched=True)
    yield inbox
    inbox.close()


@pytest.fixture
def diagnostics(probe, stack):
    inbox = probe.listen(DiagnosticArray, "/diagnostics")
    yield inbox
    inbox.close()


def status_of(message, node):
    return next((status for status in message.status if status.name == node), None)


def move_mug(scene) -> SceneDelta:
    """The mug goes from the table to the counter."""
    return SceneDelta(
        sequence=scene.sequence_number + 1,
        added=(SceneRelation("on", ("mug_1", "counter_1")),),
        dropped=(SceneRelation("on", ("mug_1", "table_1")),),
    )


# --- state --------------------------------------------------------------------------------------


def test_late_joiners_get_graph_and_markers(probe, scene, graphs):
    graph = graphs.wait(lambda m: m.sequence_number == scene.sequence_number)
    assert graph.nodes == scene.nodes
    markers = probe.listen(MarkerArray, "scene_markers", latched=True)
    array = markers.wait(lambda m: len(m.markers) > 1)
    assert array.markers[0].action == array.markers[0].DELETEALL
    assert {"rooms", "boxes"} <= {marker.ns for marker in array.markers}
    assert "mug_1" in {marker.text for marker in array.markers}
    assert {marker.header.frame_id for marker in array.markers} == {"map"}
    markers.close()


def test_delta_is_applied(scene, graphs, updates, stack, client, until):
    delta = move_mug(scene)
    updates.publish(delta_to_message(delta, "map", Header(frame_id="map").stamp))
    graph = graphs.wait(lambda m: m.sequence_number == delta.sequence)
    assert graph_from_message(graph).nodes == graph_from_message(scene).nodes
    assert graph_from_message(graph) == apply_delta(graph_from_message(scene), delta)
    planner = stack.nodes["planner"]
    until(
        lambda: planner.diagnose().values["scene_sequence_number"] == delta.sequence,
        "the planner's scene",
    )
    held = client.plan("on(mug_1, counter_1)", alpha=0.0)
    assert not held.plan.steps, "the goal holds already in the new scene"


def test_gap_is_refused_and_reported(scene, graphs, updates, diagnostics, client):
    gap = replace(move_mug(scene), sequence=scene.sequence_number + 2)
    updates.publish(delta_to_message(gap, "map", Header().stamp))
    refused = diagnostics.wait(
        lambda m: (s := status_of(m, "/scene_graph")) and s.level == DiagnosticStatus.WARN
    )
    message = status_of(refused, "/scene_graph").message
    assert str(gap.sequence) in message
    assert "full update" in message
    assert client.scene().sequence_number == scene.sequence_number
    fits = move_mug(scene)
    updates.publish(delta_to_message(fits, "map", Header().stamp))
    graphs.wait(lambda m: m.sequence_number == fits.sequence)
    diagnostics.messages.clear()
    diagnostics.wait(
        lambda m: (s := status_of(m, "/scene_graph")) and s.level == DiagnosticStatus.OK
    )


def refusals(stack) -> int:
    return stack.nodes["scene_graph"].diagnose().values["refused_updates"]


@pytest.mark.parametrize(
    "update",
    [
        SceneGraphUpdate(full_update=True),
        SceneGraphUpdate(full_update=True, nodes=[SceneNode(id="a", layer="attic", category="x")]),
        SceneGraphUpdate(
            full_update=True, nodes=[SceneNode(id="a", layer="room", category="x")] * 2
        ),
        SceneGraphUpdate(sequence_number=-3),
        SceneGraphUpdate(header=Header(frame_id="moon"), sequence_number=1),
    ],
    ids=["empty", "layer", "twice", "number", "frame"],
)
def test_bad_updates_change_nothing(update, scene, updates, stack, client, until):
    before = refusals(stack)
    updates.publish(update)
    until(lambda: refusals(stack) > before, "the refusal")
    assert client.scene() == scene


def test_full_update_replaces_and_is_completed(scene, graphs, updates):
    nodes = [SceneNode(id="hall", layer="room", category="hall")]
    nodes.append(SceneNode(id="mug_9", layer="object", category="mug", parents=["hall"]))
    updates.publish(SceneGraphUpdate(full_update=True, nodes=nodes))
    graph = graphs.wait(lambda m: {"hall", "mug_9"} <= {node.id for node in m.nodes})
    assert graph.sequence_number == scene.sequence_number + 1
    assert "hall_floor" in {node.id for node in graph.nodes}, "relations are completed"
    assert graph.header.stamp.sec > 0, "an update without a time is stamped when it comes"
    ahead = SceneGraphUpdate(
        full_update=True, sequence_number=scene.sequence_number + 50, nodes=nodes
    )
    updates.publish(ahead)
    graphs.wait(lambda m: m.sequence_number == scene.sequence_number + 50)


# --- files --------------------------------------------------------------------------------------

FILES = {
    "empty.json": "",
    "no_nodes.json": '{"format": "fcp_ros/scene", "version": 1, "nodes": []}',
    "broken.json": '{"format": "fcp_ros/scene", ',
    "unknown.json": '{"what": "is this"}',
    "binary.json": "\x00\x01\x02",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenes")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "outside.json").symlink_to("/etc/hostname")
    return folder


@pytest.fixture(scope="module")
def files(stack_options, folder):
    """A scene_graph node that has no scene, and may read from one folder."""
    options = stack_options(
        folder,
        {"scene_graph": {"scene_folders": [str(folder)]}},
        nodes=("scene_graph",),
        namespace="files",
        scene="",
    )
    with NodeStack(options) as stack, FcpClient(namespace="files") as client:
        stack.wait_active()
        yield client


@pytest.mark.parametrize("name", [*FILES, "missing.json", "outside.json", "/etc/passwd", ""])
def test_unusable_files_are_refused(files, name):
    response = files.load_scene(name)
    assert not response.success
    assert response.message
    assert "Traceback" not in response.message
    assert files.scene() is None


def test_no_scene_yet(files, probe):
    response = probe.ask(GetSceneGraph, "files/get_scene_graph")
    assert not response.success
    assert "load_scene" in response.message


def test_scene_parameter_that_does_not_exist(stack_options, tmp_path):
    options = stack_options(
        tmp_path, nodes=("scene_graph",), namespace="wrong", scene="/no/such/scene.json"
    )
    with NodeStack(options) as stack:
        with pytest.raises(StartError, match=r"scene_graph did not start.*/no/such/scene\.json"):
            stack.wait_active()
        node = stack.nodes["scene_graph"]
        assert node.diagnose().values["nodes"] == 0
        assert "/no/such/scene.json" in node.refusal().sentence
