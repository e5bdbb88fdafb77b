# SPDX-License-Identifier: Apache-2.0
"""Reading and writing of large files, for ``scene.py``: Spark-DSG, canonical JSON, USD.

The files are synthetic, written by the writers that are measured: offices in a row, each with a
grid of places and with things on the floor. Where the shared data is there, the real apartment of
Spark-DSG is read, too. Times are the shortest of several, and beside each is the time that the
processor worked for it, which other programs change less; memory is the peak of a process of its
own that reads one file.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmark.tables import Verdict, best_seconds, in_milliseconds
from fcp_ros.scene import (
    Layer,
    Pose,
    SceneGraph,
    SceneNode,
    SceneRelation,
    load_scene,
    read_scene,
    save_scene,
)

APARTMENT = Path("/tmp/shared/bench/scenes/spark_dsg")
ROOM_SIZE = 6.0

_READ_AND_WEIGH = """
import resource, sys, time
from fcp_ros.scene import read_scene
begin, worked = time.perf_counter(), time.process_time()
graph = read_scene(sys.argv[1])
print(time.perf_counter() - begin, time.process_time() - worked)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(graph.nodes))
"""


def measure(quick: bool) -> list[Verdict]:
    """Measure this part; a quick run has a tenth of the nodes."""
    share = 10 if quick else 1
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_spark(Path(folder), 6_000 // share),
            *_canonical(Path(folder), 100_000 // share),
            *_usd(Path(folder), 1_000 // share),
            *_apartment(),
        ]


def offices(count: int, places: bool) -> SceneGraph:
    """Make a scene of ``count`` nodes; with ``places``, a third of them are places."""
    chance = random.Random(0)
    rooms = max(1, count // 300)
    nodes = [_room(number) for number in range(rooms)]
    relations = [
        SceneRelation("connected", (f"R{number}", f"R{number + 1}")) for number in range(rooms - 1)
    ]
    for number in range(count - rooms):
        room = number % rooms
        x = room * ROOM_SIZE + chance.uniform(0.3, ROOM_SIZE - 0.7)
        y = chance.uniform(0.3, ROOM_SIZE - 0.7)
        if places and number % 3 == 0:
            pose = Pose.at(x, y, 0.5)
            nodes.append(SceneNode(f"p{number}", Layer.PLACE, "place", pose, parents=(f"R{room}",)))
        else:
            nodes.append(_thing(number, Pose.at(x, y, 0.2, chance.uniform(-3.0, 3.0)), f"R{room}"))
    return SceneGraph.of(nodes, relations)


def _room(number: int) -> SceneNode:
    left, right = number * ROOM_SIZE, (number + 1) * ROOM_SIZE - 0.4
    outline = ((left, 0.0), (right, 0.0), (right, ROOM_SIZE), (left, ROOM_SIZE))
    return SceneNode(f"R{number}", Layer.ROOM, "office", polygon=outline, height=2.5)


def _thing(number: int, pose: Pose, room: str) -> SceneNode:
    label = ("chair", "desk", "mug", "book", "shelf", "lamp")[number % 6]
    size = (0.3, 0.2, 0.4)
    return SceneNode(f"{label}_{number}", Layer.OBJECT, label, pose, size, parents=(room,))


def _spark(folder: Path, count: int) -> list[Verdict]:
    graph = offices(count, places=True)
    found = []
    for name, path in (("JSON", folder / "dsg.json"), ("binary", folder / "dsg.sparkdsg")):
        writer = "spark_dsg_json" if name == "JSON" else "spark_dsg_binary"
        writing = best_seconds(lambda p=path, w=writer: save_scene(graph, p, w), 1)
        megabytes = path.stat().st_size / 1e6
        assert len(read_scene(path).nodes) == count
        what = f"Spark-DSG {name}, {count:,} nodes, {megabytes:.1f} MB"
        found += [
            Verdict(f"{what}: read", _time_runs(lambda p=path: read_scene(p), 9), "< 150 ms"),
            Verdict("... read and completed", _time_runs(lambda p=path: load_scene(p), 5)),
            Verdict("... written", in_milliseconds(writing)),
        ]
    return found


def _canonical(folder: Path, count: int) -> list[Verdict]:
    path = folder / "scene.json"
    save_scene(offices(count, places=False), path)
    runs = [_measure_reading(path) for _ in range(3)]
    assert {run[3] for run in runs} == {count}
    megabytes = path.stat().st_size / 1e6
    return [
        Verdict(
            f"canonical JSON, {count:,} nodes, {megabytes:.1f} MB: read",
            _format(min(run[0] for run in runs), min(run[1] for run in runs)),
            "< 3 s",
        ),
        Verdict(
            "... peak memory of the process",
            f"{max(run[2] for run in runs) / 1e9:.2f} GB",
            "< 1.5 GB",
        ),
    ]


def _measure_reading(path: Path) -> tuple[float, float, int, int]:
    """Read a file in a process of its own: seconds, CPU seconds, peak bytes, nodes."""
    command = [sys.executable, "-c", _READ_AND_WEIGH, str(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    seconds, worked, kibibytes, nodes = output.stdout.split()
    return float(seconds), float(worked), int(kibibytes) * 1024, int(nodes)


def _time_runs(action: Callable[[], object], repetitions: int) -> str:
    """Return the shortest of several runs, and the least CPU time of one."""
    worked = []

    def run() -> None:
        begin = time.process_time()
        action()
        worked.append(time.process_time() - begin)

    seconds = best_seconds(run, repetitions)
    return _format(seconds, min(worked))


def _format(seconds: float, worked: float) -> str:
    return f"{in_milliseconds(seconds)} ({in_milliseconds(worked)} of work)"


def _usd(folder: Path, count: int) -> list[Verdict]:
    found = []
    # Each thing is two prims: itself and its cube.
    graph = offices(count // 2, places=False)
    for path in (folder / "scene.usda", folder / "scene.usdc"):
        save_scene(graph, path)
        assert len(read_scene(path).nodes) == count // 2
        seconds = best_seconds(lambda p=path: read_scene(p), 5)
        what = f"USD {path.suffix}, {count:,} prims: read, with the start of its process"
        found.append(Verdict(what, in_milliseconds(seconds)))
    return found


def _apartment() -> list[Verdict]:
    found = []
    for path in sorted(APARTMENT.glob("apartment*")):
        megabytes = path.stat().st_size / 1e6
        what = f"{path.name}, {megabytes:.1f} MB: read and completed"
        found.append(Verdict(what, _time_runs(lambda p=path: load_scene(p), 5)))
    return found
