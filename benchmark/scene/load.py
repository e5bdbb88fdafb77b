# SPDX-License-Identifier: Apache-2.0
"""Reading of large files: Spark-DSG and canonical JSON.

The files are synthetic, furnished rooms. Times are the
shortest of several, and beside each is the time that the processor worked for it, which other
programs change less; memory is the peak of a process of its own that reads one file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmark.scene.scenes import furnished
from benchmark.tables import Verdict, best_seconds, in_milliseconds, limit
from fcp_ros.scene import Layer, SceneGraph, load_scene, read_scene, save_scene

READ_MS, LARGE_SECONDS, LARGE_GB = 150.0, 3.0, 1.5
"""Wanted of Spark-DSG files of 6,000 nodes, and of canonical JSON of 100,000."""

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
        ]


def _spark(folder: Path, count: int) -> list[Verdict]:
    graph = furnished(count)
    written, found = _make_spark(graph), []
    for name, path in (("JSON", folder / "dsg.json"), ("binary", folder / "dsg.sparkdsg")):
        written.save(str(path), False)
        megabytes = path.stat().st_size / 1e6
        count = len(read_scene(path).nodes)
        what = f"Spark-DSG {name}, {count:,} nodes, {megabytes:.1f} MB"
        completed = _time_runs(lambda p=path: load_scene(p), 5)
        found += [
            _judge(f"{what}: read", _time_runs(lambda p=path: read_scene(p), 9), READ_MS / 1e3),
            Verdict("... read and completed", _format(*completed)),
        ]
    return found


def _make_spark(graph: SceneGraph) -> Any:
    """Make a Spark-DSG of a scene's nodes, with boxes and parents."""
    import numpy as np
    import spark_dsg as dsg

    kinds = {
        Layer.OBJECT: (2, "O", dsg.ObjectNodeAttributes),
        Layer.PLACE: (3, "p", dsg.PlaceNodeAttributes),
        Layer.ROOM: (4, "R", dsg.RoomNodeAttributes),
    }
    made, symbols = dsg.DynamicSceneGraph(), {}
    for number, node in enumerate(one for one in graph.nodes.values() if one.layer in kinds):
        level, letter, kind = kinds[node.layer]
        attributes = kind()
        attributes.name, attributes.semantic_label = node.id, number
        attributes.position = np.array(node.pose.position if node.pose else (0.0, 0.0, 0.0))
        if node.pose is not None and node.size is not None:
            attributes.bounding_box = dsg.BoundingBox(
                np.array(node.size, np.float32), np.array(node.pose.position, np.float32)
            )
        symbols[node.id] = dsg.NodeSymbol(letter, number)
        made.add_node(level, symbols[node.id], attributes)
        for parent in node.parents:
            made.insert_edge(symbols[parent], symbols[node.id])
    return made


def _canonical(folder: Path, count: int) -> list[Verdict]:
    path, graph = folder / "scene.json", furnished(count)
    save_scene(graph, path)
    runs = [_measure_reading(path) for _ in range(3)]
    assert {run[3] for run in runs} == {len(graph.nodes)}
    megabytes = path.stat().st_size / 1e6
    times = min(run[0] for run in runs), min(run[1] for run in runs)
    peak = max(run[2] for run in runs) / 1e9
    what = f"canonical JSON, {count:,} objects, {megabytes:.1f} MB: read"
    return [_judge(what, times, LARGE_SECONDS), limit("... peak memory", peak, LARGE_GB, "GB")]


def _measure_reading(path: Path) -> tuple[float, float, int, int]:
    """Read a file in a process of its own: seconds, CPU seconds, peak bytes, nodes."""
    command = [sys.executable, "-c", _READ_AND_WEIGH, str(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    seconds, worked, kibibytes, nodes = output.stdout.split()
    return float(seconds), float(worked), int(kibibytes) * 1024, int(nodes)


def _time_runs(action: Callable[[], object], repetitions: int) -> tuple[float, float]:
    """Return the shortest of several runs, and the least CPU time of one."""
    worked = []

    def run() -> None:
        begin = time.process_time()
        action()
        worked.append(time.process_time() - begin)

    seconds = best_seconds(run, repetitions)
    return seconds, min(worked)


def _judge(what: str, times: tuple[float, float], most: float) -> Verdict:
    """Judge by the CPU time: other programs may run."""
    goal = f"at most {in_milliseconds(most)} of work"
    return Verdict(what, _format(*times), goal, times[1] <= most)


def _format(seconds: float, worked: float) -> str:
    return f"{in_milliseconds(seconds)} ({in_milliseconds(worked)} of work)"
