# SPDX-License-Identifier: Apache-2.0
"""Speed of deriving relations from geometry: whole scenes, changes, and all in one spot.

The scenes are furnished rooms with much on, in and under the furniture.
"""

from __future__ import annotations

import random
import statistics
import time
import tracemalloc
from dataclasses import replace

from benchmark.scene.scenes import furnished
from benchmark.tables import Verdict, best_seconds, in_milliseconds, limit
from fcp_ros.scene import (
    Layer,
    Pose,
    RelationMaintainer,
    RelationOptions,
    SceneDelta,
    SceneNode,
    complete_relations,
)
from fcp_ros.scene.relations.nearness import find_near
from fcp_ros.scene.relations.supports import find_supports
from fcp_ros.scene.shapes.boxes import build_boxes

PLAIN = RelationOptions()
ASKED = RelationOptions(also=frozenset({"under", "near"}))
SIZES, QUICK_SIZES = (5_000, 50_000), (1_000, 5_000)
"""Objects of whole scenes."""
MOST_MS = {5_000: 100.0, 50_000: 2_000.0}
LIVE, QUICK_LIVE, LIVE_MS = 97_000, 10_000, 2.0
CROWD, QUICK_CROWD = 10_000, 2_000
_MOVED = 10


def measure(quick: bool) -> list[Verdict]:
    """Measure this part; ``quick`` takes smaller scenes."""
    live = QUICK_LIVE if quick else LIVE
    return [
        *(one for count in (QUICK_SIZES if quick else SIZES) for one in _completion(count)),
        *_moves(live, PLAIN),
        *_moves(live, ASKED),
        *_one_spot(QUICK_CROWD if quick else CROWD),
    ]


def _completion(count: int) -> list[Verdict]:
    graph = furnished(count)
    seconds = best_seconds(lambda: complete_relations(graph, ASKED), 5)
    plain = best_seconds(lambda: complete_relations(graph, PLAIN), 5)
    near = len(complete_relations(graph, ASKED).relations_named("near"))
    what = f"{count:,} objects: on, inside, under, rooms, and {near:,} near, graph to graph"
    most = MOST_MS.get(count)
    return [
        Verdict(what, in_milliseconds(seconds))
        if most is None
        else limit(what, 1e3 * seconds, most, "ms"),
        Verdict(f"{count:,} objects: on, inside, rooms (the default)", in_milliseconds(plain)),
    ]


def _moves(count: int, options: RelationOptions) -> list[Verdict]:
    maintainer = RelationMaintainer(furnished(count), options)
    chance = random.Random(1)
    movable = [
        node.id
        for node in maintainer.graph.in_layer(Layer.OBJECT)
        if node.size is not None and max(node.size) < 0.5
    ]
    times = []
    for _ in range(60):
        moved = []
        for id_ in chance.sample(movable, _MOVED):
            node = maintainer.graph.nodes[id_]
            assert node.pose is not None
            x, y, z = node.pose.position
            place = (x + chance.uniform(-0.5, 0.5), y + chance.uniform(-0.5, 0.5), z)
            moved.append(replace(node, pose=node.pose.with_position(place)))
        delta = SceneDelta(maintainer.graph.sequence + 1, tuple(moved))
        begin = time.perf_counter()
        maintainer.advance(delta)
        times.append(time.perf_counter() - begin)
        if maintainer.rederived:
            raise AssertionError(maintainer.rederived)
    extra = f", {' and '.join(sorted(options.also))}" if options.also else ""
    what = f"{_MOVED} objects moved among {len(maintainer.graph.nodes):,} elements{extra}"
    return [
        _judge_median(f"{what}: median of 60", statistics.median(times), count, options),
        Verdict(f"{what}: slowest", in_milliseconds(max(times))),
    ]


def _judge_median(what: str, seconds: float, count: int, options: RelationOptions) -> Verdict:
    if count < LIVE or options.also:
        return Verdict(what, in_milliseconds(seconds))
    return limit(what, 1e3 * seconds, LIVE_MS, "ms")


def _one_spot(count: int) -> list[Verdict]:
    """Measure boxes that are all in one place: every pair is examined, in bounded batches."""
    found = []
    for what, size, action in (
        ("on, inside, under", count, find_supports),
        ("near", count // 5, find_near),
    ):
        pose = Pose.at(0.0, 0.0, 0.5)
        boxes = build_boxes(
            SceneNode(f"box_{number:05}", Layer.OBJECT, "box", pose=pose, size=(0.1, 0.1, 0.1))
            for number in range(size)
        )
        tracemalloc.start()
        begin = time.perf_counter()
        action(boxes, ASKED)
        seconds = time.perf_counter() - begin
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        found.append(
            Verdict(
                f"{size:,} boxes in one spot: {what}",
                f"{in_milliseconds(seconds)}, {peak / 2**20:.0f} MiB at most",
            )
        )
    return found
