# SPDX-License-Identifier: Apache-2.0
"""The scene_graph node: files, updates with sequence numbers, latched topics, bad input."""

from __future__ import annotations

import json
import math
import threading
import time
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.serialization import serialize_message
from scene_messages import columns
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from fcp_ros.client import FcpClient
from fcp_ros.msg import (
    SceneGraph,
    SceneGraphChange,
    SceneGraphRequest,
    SceneGraphUpdate,
    SceneRelations,
)
from fcp_ros.nodes.conversions.scene import (
    SceneUpdate,
    change_from_ros,
    delta_to_ros,
    full_update_to_ros,
    graph_from_ros,
    update_to_ros,
)
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros, relations_to_ros
from fcp_ros.nodes.scene_graph import intake as scene_intake
from fcp_ros.nodes.scene_graph.intake import SceneIntake
from fcp_ros.nodes.stack import NodeStack, StartError
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.srv import GetSceneGraph

LIMITS = SceneLimits(max_nodes=10)


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


def test_gap_is_refused_and_reported(scene, graphs, updates, diagnostics, client):
    gap = replace(move_mug(scene), sequence=scene.sequence_number + 2)
    updates.publish(delta_to_ros(gap, "map", Header().stamp))
    refused = diagnostics.wait(
        lambda m: (s := status_of(m, "/scene_graph")) and s.level == DiagnosticStatus.WARN
    )
    message = status_of(refused, "/scene_graph").message
    assert str(gap.sequence) in message
    assert "full update" in message
    assert client.scene().sequence_number == scene.sequence_number
    fits = move_mug(scene)
    updates.publish(delta_to_ros(fits, "map", Header().stamp))
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
        SceneGraphUpdate(full_update=True, nodes=columns("a", layer="attic")),
        SceneGraphUpdate(full_update=True, nodes=columns("a", "a")),
        SceneGraphUpdate(sequence_number=-3),
        SceneGraphUpdate(header=Header(frame_id="moon"), source="rover", sequence_number=1),
    ],
    ids=["empty", "layer", "twice", "number", "frame"],
)
def test_bad_updates_change_nothing(update, scene, updates, stack, client, until):
    before = refusals(stack)
    updates.publish(update)
    until(lambda: refusals(stack) > before, "the refusal")
    assert client.scene() == scene


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


# --- files --------------------------------------------------------------------------------------

FILES = {
    "empty.json": "",
    "no_nodes.json": '{"format": "fcp_ros/scene", "version": 1, "nodes": []}',
    "broken.json": '{"format": "fcp_ros/scene", ',
    "unknown.json": '{"what": "is this"}',
    "binary.json": "\x00\x01\x02",
}


TELEVISION = {
    "format": "fcp_ros/scene",
    "version": 1,
    "nodes": [
        {"id": "den", "layer": "room", "category": "room"},
        {"id": "shelf_1", "layer": "object", "category": "CountertopLx", "parents": ["den"]},
        {"id": "tv_1", "layer": "object", "category": "Television", "parents": ["den"]},
    ],
    "relations": [["on", "tv_1", "shelf_1"]],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenes")
    (folder / "television.json").write_text(json.dumps(TELEVISION))
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


def test_what_the_domain_reads_otherwise_is_said(stack_options, folder):
    options = stack_options(
        folder,
        {"scene_graph": {"scene_folders": [str(folder)]}},
        nodes=("scene_graph",),
        namespace="reading",
        scene="",
    )
    with NodeStack(options) as stack, FcpClient(namespace="reading") as client:
        stack.wait_active()
        notes = client.load_scene("television.json").notes
        assert any("types do not fit: on(tv_1, shelf_1)" in note for note in notes)


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


# --- changes, sources, requests -----------------------------------------------------------------


@pytest.fixture
def changes(probe, stack):
    inbox = probe.listen(SceneGraphChange, "scene_changes")
    inbox.wait_for_publisher()
    yield inbox
    inbox.close()


@pytest.fixture
def requests(probe, stack):
    inbox = probe.listen(SceneGraphRequest, "scene_graph_request")
    inbox.wait_for_publisher()
    yield inbox
    inbox.close()


def seen(stack, key):
    return stack.nodes["scene_graph"].diagnose().values[key]


def at_the_counter(scene, source: str, number: int, *, full: bool = False) -> SceneGraphUpdate:
    """An update of a named source that says what `move_mug` says."""
    update = delta_to_ros(move_mug(scene), "map", Header().stamp)
    update.source, update.sequence_number, update.full_update = source, number, full
    if full:
        moved = apply_delta(graph_from_ros(scene), move_mug(scene))
        whole = full_update_to_ros(moved, Header().stamp)
        update.nodes, update.relations = whole.nodes, whole.relations
        update.removed_relations = SceneRelations()
    return update


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
        assert change.previous == present.sequence == change.sequence - 1
        assert set(change.changed) == {"mug_1", "counter_1", "table_1"}
        delta = SceneDelta(change.sequence, change.nodes, (), change.relations, change.dropped)
        present = apply_delta(present, delta)
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


def test_a_full_update_is_not_worked_in_when_a_newer_one_waits(until):
    """The intake alone: its receiver holds the first update until all others have come."""
    taken, go_on = [], threading.Event()

    def take(update):
        taken.append((update.source, update.sequence, update.is_full))
        go_on.wait(10.0)

    def data(source, number, full):
        update = SceneUpdate(Time(), "map", full, number, source)
        return serialize_message(update_to_ros(update))

    intake = SceneIntake(LIMITS, take, lambda sentence: taken.append(sentence), print)
    intake.put(data("a", 1, True))
    until(lambda: taken, "the first")
    for source, number, full in (
        ("a", 2, True),
        ("a", 3, False),
        ("", 7, False),
        ("b", 1, True),
        ("a", 4, True),
        ("a", 5, False),
    ):
        intake.put(data(source, number, full))
    assert intake.values()["superseded_updates"] == 2
    assert intake.values()["waiting_updates"] == 4
    intake.put(b"\x00\x01\x00\x00garbage")
    go_on.set()
    until(lambda: len(taken) == 6, "the others")
    expected = [("", 7, False), ("b", 1, True), ("a", 4, True), ("a", 5, False)]
    assert taken[1:5] == expected
    assert "damaged" in taken[5]
    intake.close()


def test_what_waits_is_bounded(until, monkeypatch):
    monkeypatch.setattr(scene_intake, "MOST_WAITING", 3)
    taken, go_on = [], threading.Event()
    lost = []
    intake = SceneIntake(
        LIMITS,
        lambda update: (taken.append(update.sequence), go_on.wait(10.0)),
        str,
        lambda source, sentence: lost.append((source, sentence)),
    )
    empty = [update_to_ros(SceneUpdate(Time(), "", False, n, "a")) for n in range(9)]
    data = [serialize_message(message) for message in empty]
    intake.put(data[0])
    until(lambda: taken, "the first")
    for one in data[1:]:
        intake.put(one)
    assert intake.values() == {
        "waiting_updates": 3,
        "superseded_updates": 0,
        "dropped_updates": 5,
    }
    go_on.set()
    until(lambda: taken == [0, 1, 2, 3], "those that fitted")
    ((source, sentence),) = lost
    assert source == "a"
    assert sentence.startswith("5 updates were lost")
    intake.close()


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


BAD_NODES = {
    "not a number": {"pose": Pose((math.nan, 0.0, 0.0))},
    "the position holds a number beyond": {"pose": Pose((1e9, 0.0, 0.0))},
    "unit quaternion": {"pose": Pose((0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0))},
    "'nowhere' is not in the graph": {"parents": ("nowhere",)},
    "lead back to itself": {"parents": ("bad",)},
    "category is empty": {"category": ""},
}


def test_a_full_update_of_things_that_hold_each_other_is_refused(
    scene, updates, stack, client, until
):
    before = refusals(stack)
    nodes = nodes_to_ros([SceneNode(id_, Layer.OBJECT, "box") for id_ in "ab"])
    circle = relations_to_ros(
        [SceneRelation("on", ("a", "b")), SceneRelation("inside", ("b", "a"))]
    )
    updates.publish(SceneGraphUpdate(full_update=True, nodes=nodes, relations=circle))
    until(lambda: refusals(stack) == before + 1, "the refusal")
    message = stack.nodes["scene_graph"].diagnose().message
    assert "a: it lies on or in itself (a > b > a)" in message
    assert client.scene() == scene


@pytest.mark.parametrize("words", BAD_NODES)
@pytest.mark.parametrize("full", [True, False])
def test_bad_nodes_are_refused_with_a_sentence(words, full, scene, updates, stack, client, until):
    before = refusals(stack)
    node = replace(SceneNode("bad", Layer.OBJECT, "mug"), **BAD_NODES[words])
    nodes = nodes_to_ros([node])
    source = f"{words} {full}"
    updates.publish(
        SceneGraphUpdate(source=source, full_update=full, sequence_number=1, nodes=nodes)
    )
    until(lambda: refusals(stack) == before + 1, "the refusal")
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


def test_a_delta_for_whatever_graph_there_is(scene, changes, updates, client, until):
    """Number 0 without a source: between the updates of a fast sender no other number fits."""
    for number in range(1, 11):
        updates.publish(SceneGraphUpdate(sequence_number=scene.sequence_number + number))
    updates.publish(delta_to_ros(replace(move_mug(scene), sequence=0), "map", Header().stamp))
    changes.wait(lambda m: m.sequence_number == scene.sequence_number + 11)
    held = graph_from_ros(client.scene())
    assert held.relation("on", "mug_1", "counter_1")
    assert not held.relation("on", "mug_1", "table_1")
