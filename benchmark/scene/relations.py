# SPDX-License-Identifier: Apache-2.0
"""Speed of deriving relations from geometry: whole scenes, and changes.

The scenes are furnished rooms with much on, in and under the furniture.
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import replace

from benchmark.scene.scenes import furnished
from benchmark.tables import Verdict, best_seconds, in_milliseconds, limit
from fcp_ros.scene import (
    Layer,
    RelationMaintainer,
    RelationOptions,
    SceneDelta,
    complete_relations,
)

PLAIN = RelationOptions()
ASKED = RelationOptions(also=frozenset({"under", "near"}))
SIZES, QUICK_SIZES = (5_000, 50_000), (1_000, 5_000)
"""Objects of whole scenes."""
MOST_MS = {5_000: 100.0, 50_000: 2_000.0}
LIVE, QUICK_LIVE, LIVE_MS = 97_000, 10_000, 2.0
_MOVED = 10


def measure(quick: bool) -> list[Verdict]:
    """Measure this part; ``quick`` takes smaller scenes."""
    live = QUICK_LIVE if quick else LIVE
    return [
        *(one for count in (QUICK_SIZES if quick else SIZES) for one in _completion(count)),
        *_moves(live, PLAIN),
        *_moves(live, ASKED),
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
