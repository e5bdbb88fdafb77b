# SPDX-License-Identifier: Apache-2.0
"""The last live graph survives a crash, whole and within bounds, or is said to be old."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.serialization import serialize_message

from fcp_ros.msg import SceneGraphUpdate, SceneStatus
from fcp_ros.nodes.conversions.scene import PublishedGraph, SceneUpdate, change_to_ros
from fcp_ros.nodes.scene_graph.last_graph import LEAST_BYTES, LastGraph
from fcp_ros.nodes.scene_graph.publisher import ReadyChange
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

MOST = 10_000_000


def make_change(names: list[str], sequence: int, *, is_full: bool) -> ReadyChange:
    """A graph of things; as a change, the last of them is new."""
    nodes = [SceneNode(name, Layer.OBJECT, "mug") for name in names]
    graph = SceneGraph.of(nodes, sequence=sequence)
    change = SceneUpdate(
        stamp=Time(sec=sequence),
        frame_id=graph.frame_id,
        is_full=is_full,
        delta=SceneDelta(sequence, tuple(nodes if is_full else nodes[-1:])),
        previous=0 if is_full else sequence - 1,
    )
    data = serialize_message(change_to_ros(change))
    return ReadyChange(PublishedGraph(change.stamp, graph), data)


def crash(last: LastGraph) -> None:
    """Leave the file as a process does that was killed: nobody ends it, and its keeper is gone."""
    last._database.execute("UPDATE keeper SET pid = 0, start = 0")
    last._database.close()
    last._database = None


def fill(last: LastGraph, count: int) -> list[str]:
    names: list[str] = []
    for number in range(1, count + 1):
        names.append(f"mug_{number}")
        last.note(make_change(names, number, is_full=number == 1), number == 1)
    return names


@pytest.mark.parametrize("count", [1, 2, 50])
def test_a_crash_leaves_the_last_graph(tmp_path, count):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", MOST)
    assert last.take_remains(60.0) is None
    names = fill(last, count)
    crash(last)
    again = LastGraph(path, "house", MOST)
    remains = again.take_remains(60.0)
    assert list(remains.graph.graph.nodes) == names
    assert remains.graph.graph.sequence == count
    crash(again)  # before it had a graph of its own
    assert LastGraph(path, "house", MOST).take_remains(60.0).graph is not None


def test_an_orderly_end_leaves_nothing(tmp_path):
    last = LastGraph(tmp_path / "scene.sqlite", "house", MOST)
    fill(last, 3)
    last.end()
    assert not list(tmp_path.iterdir())
    assert LastGraph(tmp_path / "scene.sqlite", "house", MOST).take_remains(60.0) is None


def test_another_scene_and_an_old_crash_are_an_ordinary_start(tmp_path):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", MOST)
    fill(last, 3)
    crash(last)
    for suffix in ("", "-wal"):
        if (file := Path(f"{path}{suffix}")).exists():
            os.utime(file, (1.0, 1.0))
    again = LastGraph(path, "house", MOST)
    assert again.take_remains(60.0) is None
    crash(again)
    assert LastGraph(path, "office", MOST).take_remains(60.0) is None


def test_a_large_graph_is_said_to_be_old(tmp_path):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", 500)
    fill(last, 20)
    last.note(make_change([f"mug_{i}" for i in range(200)], 21, is_full=True), True)
    assert "not kept" in last.problem
    crash(last)
    assert LastGraph(path, "house", 500).take_remains(60.0).graph is None


def test_a_damaged_file_is_said_to_be_old(tmp_path):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", MOST)
    fill(last, 3)
    last._database.execute("UPDATE messages SET data = x'00010000ff'")
    crash(last)
    assert LastGraph(path, "house", MOST).take_remains(60.0).graph is None


def test_the_file_of_a_living_node_is_left_alone(tmp_path):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", MOST)
    fill(last, 2)
    other = LastGraph(path, "house", MOST)
    assert other.take_remains(60.0) is None
    assert "another node" in other.problem
    other.end()
    assert path.exists()
    fill(last, 3)


def test_the_file_does_not_grow_with_the_number_of_changes(tmp_path):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", MOST)
    change = make_change(["mug_1"], 1, is_full=True)
    last.note(change, True)
    padded = replace(change, data=change.data + bytes(LEAST_BYTES // 8))
    for _ in range(100):  # twelve times as much as may be kept
        last.note(padded, False)
    ((count,),) = last._database.execute("SELECT count(*) FROM messages").fetchall()
    assert count <= 9
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert size < 40 * LEAST_BYTES


def test_a_disk_that_fails_stops_nobody(tmp_path):
    path = tmp_path / "scene.sqlite"
    last = LastGraph(path, "house", MOST)
    fill(last, 2)
    other = sqlite3.connect(path)
    other.execute("DROP TABLE messages")
    other.commit()
    last.note(make_change(["mug_1"], 3, is_full=True), True)
    assert "would not survive" in last.problem
    unusable = LastGraph(Path("/proc/none/scene.sqlite"), "house", MOST)
    assert "would not survive" in unusable.problem
    unusable.note(make_change(["mug_1"], 1, is_full=True), True)
    unusable.end()


WRITER = """
import sys
from test_last_graph import MOST, LastGraph, make_change
from pathlib import Path
last = LastGraph(Path(sys.argv[1]), "house", MOST)
names = []
for number in range(1, 100_000):
    names = [*names, f"mug_{number}"][-50:]
    last.note(make_change(names, number, is_full=number % 50 == 1), number % 50 == 1)
    print(number, flush=True)  # from now on others have seen it
"""


@pytest.mark.parametrize("after", [3, 151])
def test_what_others_have_seen_survives_kill_9(tmp_path, after):
    path = tmp_path / "scene.sqlite"
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(Path(__file__).parent), *sys.path))},
    )
    seen = 0
    for line in child.stdout:
        seen = int(line)
        if seen >= after:
            child.kill()
            break
    seen = max([seen, *(int(line) for line in child.stdout if line.endswith("\n"))])
    child.wait(30.0)
    remains = LastGraph(path, "house", MOST).take_remains(600.0)
    assert remains.graph.graph.sequence >= seen


def test_a_start_from_the_file_after_a_crash_is_old_until_an_update(
    stack_options, tmp_path, probe, until
):
    file = tmp_path / "scene-old_scene.sqlite"
    last = LastGraph(file, "twin_house_furnished", 10)
    fill(last, 1)
    crash(last)
    options = stack_options(tmp_path, nodes=("scene_graph",), namespace="old_scene")
    with NodeStack(options) as stack:
        stack.wait_active()
        inbox = probe.listen(SceneStatus, "/old_scene/scene_status", latched=True)
        assert "crash" in inbox.wait(lambda one: one.state == SceneStatus.OLD).message
        diagnosis = stack.nodes["scene_graph"].diagnose()
        assert diagnosis.level == DiagnosticStatus.ERROR
        update = SceneGraphUpdate(sequence_number=0)
        update.removed_nodes = ["vase_1"]
        probe.publisher(SceneGraphUpdate, "/old_scene/scene_graph_update").publish(update)
        inbox.wait(lambda one: one.state == SceneStatus.LIVE)
        assert stack.nodes["scene_graph"].diagnose().level == DiagnosticStatus.OK
        inbox.close()
