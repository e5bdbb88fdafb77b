# SPDX-License-Identifier: Apache-2.0
"""Speed of deriving relations from geometry, beside all pairs in numpy and a tree of polygons.

The scenes are furnished rooms with much on, in and under the furniture, the same each time. The
rivals do on and inside alone, by the same definitions, from the same arrays, and must find the
same: numpy compares all pairs, a block of rows at a time; shapely's STRtree (GEOS) finds the
footprints that contain each centre, and numpy does the rest.
"""

from __future__ import annotations

import math
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmark.tables import Verdict, best_seconds, in_milliseconds
from fcp_ros.scene import (
    Layer,
    Pose,
    RelationMaintainer,
    RelationOptions,
    SceneDelta,
    SceneGraph,
    SceneNode,
    complete_relations,
)
from fcp_ros.scene.relations.nearness import find_nearest
from fcp_ros.scene.relations.scored_pairs import ScoredPairs, select_best
from fcp_ros.scene.relations.supports import (
    find_supports,
    select_inside,
    select_resting,
    settle_places,
)
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, build_boxes, measure_depth

PLAIN = RelationOptions()
ASKED = RelationOptions(also=frozenset({"under", "near"}))

_ROOM = 6.0
_THINGS_A_ROOM = 40
_FURNITURE_A_ROOM = 6
_MOVED = 10

Holders = dict[str, dict[int, int]]


def furnished(count: int, seed: int = 0) -> SceneGraph:
    """Build a scene of ``count`` objects, 40 a room, with things on, in and under furniture."""
    chance = random.Random(seed)
    rooms = max(1, count // _THINGS_A_ROOM)
    wide = math.ceil(math.sqrt(rooms))
    nodes: list[SceneNode] = []
    for number in range(rooms):
        x, y = (number % wide) * (_ROOM + 0.2), (number // wide) * (_ROOM + 0.2)
        corners = ((x, y), (x + _ROOM, y), (x + _ROOM, y + _ROOM), (x, y + _ROOM))
        nodes.append(SceneNode(f"room_{number}", Layer.ROOM, "room", polygon=corners, height=2.5))
        nodes += _things(chance, number, x, y)
    nodes.append(SceneNode("robot_1", Layer.AGENT, "robot", pose=Pose.at(1.0, 1.0, 0.0)))
    return SceneGraph.of(nodes)


def _things(chance: random.Random, room: int, x: float, y: float) -> list[SceneNode]:
    things = []
    spots = []
    for number in range(_THINGS_A_ROOM):
        id_ = f"thing_{room}_{number}"
        yaw = chance.uniform(-3.0, 3.0)
        if number < _FURNITURE_A_ROOM:
            at = x + chance.uniform(0.8, 5.2), y + chance.uniform(0.8, 5.2)
            spots.append(at)
            label = chance.choice(["table", "shelf", "cabinet", "couch"])
            pose, size = Pose.at(*at, 0.4, yaw), (1.2, 0.7, 0.8)
        else:
            beside = chance.choice(spots)
            height = chance.choice([0.85, 0.85, 0.4, 0.05])
            at = beside[0] + chance.uniform(-0.3, 0.3), beside[1] + chance.uniform(-0.3, 0.3)
            label = chance.choice(["mug", "book", "box"])
            pose, size = Pose.at(*at, height, yaw), (0.1, 0.12, 0.1)
        things.append(SceneNode(id_, Layer.OBJECT, label, pose=pose, size=size))
    return things


def measure(quick: bool) -> list[Verdict]:
    """Measure this part; ``quick`` takes smaller scenes."""
    small, large, live, crowd = (1_000, 5_000, 10_000, 2_000) if quick else (
        5_000, 50_000, 97_000, 10_000
    )  # fmt: skip
    return [
        *_completion(small, "under 100 ms" if small == 5_000 else ""),
        *_completion(large, "under 2 s" if large == 50_000 else ""),
        *_rivals(small, all_pairs=True),
        *_rivals(large, all_pairs=False),
        *_moves(live, PLAIN, "about 2 ms" if live == 97_000 else ""),
        *_moves(live, ASKED, ""),
        *_one_spot(crowd),
    ]


def _completion(count: int, asked: str) -> list[Verdict]:
    graph = furnished(count)
    seconds = best_seconds(lambda: complete_relations(graph, ASKED), 5)
    plain = best_seconds(lambda: complete_relations(graph, PLAIN), 5)
    near = len(complete_relations(graph, ASKED).relations_named("near"))
    return [
        Verdict(
            f"{count:,} objects: on, inside, under, rooms, and {near:,} near, graph to graph",
            in_milliseconds(seconds),
            asked,
        ),
        Verdict(f"{count:,} objects: on, inside, rooms (the default)", in_milliseconds(plain)),
    ]


# ---- rivals --------------------------------------------------------------------------------------


def _rivals(count: int, *, all_pairs: bool) -> list[Verdict]:
    boxes = build_boxes(furnished(count).in_layer(Layer.OBJECT))
    ours = _holders(find_supports(boxes, PLAIN))
    rivals: dict[str, Callable[[Boxes], Holders]] = {"shapely STRtree": by_tree}
    if all_pairs:
        rivals["numpy, all pairs"] = by_all_pairs
    seconds = best_seconds(lambda: find_supports(boxes, PLAIN))
    found = [Verdict(f"{count:,} boxes: on and inside, arrays to arrays", in_milliseconds(seconds))]
    for name, rival in rivals.items():
        if rival(boxes) != ours:
            raise AssertionError(f"{name} finds something else")
        theirs = best_seconds(lambda rival=rival: rival(boxes), 3)  # type: ignore[misc]
        found.append(
            Verdict(
                f"{count:,} boxes: the same by {name}",
                f"{in_milliseconds(theirs)} ({theirs / seconds:.3g} times ours)",
            )
        )
    return found


def _holders(found: dict[str, ScoredPairs]) -> Holders:
    return {
        name: dict(zip(pairs.item.tolist(), pairs.other.tolist(), strict=True))
        for name, pairs in found.items()
    }


def by_all_pairs(boxes: Boxes, block: int = 500) -> Holders:
    """Derive ``on`` and ``inside`` from the matrices of all pairs, a block of rows at a time."""
    count = len(boxes.ids)
    every = np.arange(count)
    items, others = [], []
    for start in range(0, count, block):
        rows = every[start : start + block]
        dx = boxes.centre[rows, None, 0] - boxes.centre[None, :, 0]
        dy = boxes.centre[rows, None, 1] - boxes.centre[None, :, 1]
        across = np.abs(boxes.cos * dx + boxes.sin * dy)
        along = np.abs(boxes.cos * dy - boxes.sin * dx)
        over = (across <= boxes.half[:, 0] + EDGE) & (along <= boxes.half[:, 1] + EDGE)
        over[np.arange(len(rows)), rows] = False
        row, other = np.nonzero(over)
        items.append(rows[row])
        others.append(other)
    return _decide(boxes, np.concatenate(items), np.concatenate(others))


def _decide(boxes: Boxes, item: NDArray[np.intp], other: NDArray[np.intp]) -> Holders:
    """Decide among the pairs whose items are centred in the other boxes."""
    depth = measure_depth(boxes, item, other)
    on = select_best(select_resting(boxes, item, other, depth, PLAIN), boxes.ids)
    inside = select_best(select_inside(boxes, item, other, PLAIN), boxes.ids)
    on, inside = settle_places(boxes, on, inside)
    return _holders({"on": on, "inside": inside})


def by_tree(boxes: Boxes) -> Holders:
    """Derive ``on`` and ``inside`` from the pairs that an STRtree of the footprints finds."""
    import shapely

    corners = np.empty((len(boxes.ids), 4, 2))
    for number, (i, j) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        x, y = i * (boxes.half[:, 0] + EDGE), j * (boxes.half[:, 1] + EDGE)
        corners[:, number, 0] = boxes.centre[:, 0] + boxes.cos * x - boxes.sin * y
        corners[:, number, 1] = boxes.centre[:, 1] + boxes.sin * x + boxes.cos * y
    tree = shapely.STRtree(shapely.polygons(corners))
    points = shapely.points(boxes.centre[:, :2])
    item, other = tree.query(points, predicate="intersects")
    apart = item != other
    item, other = item[apart], other[apart]
    return _decide(boxes, item, other)


# ---- live, and crowded ---------------------------------------------------------------------------


def _moves(count: int, options: RelationOptions, asked: str) -> list[Verdict]:
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
        if maintainer.last.full:
            raise AssertionError(maintainer.last.reason)
    extra = f", {' and '.join(sorted(options.also))}" if options.also else ""
    what = f"{_MOVED} objects moved among {len(maintainer.graph.nodes):,} elements{extra}"
    return [
        Verdict(f"{what}: median of 60", in_milliseconds(statistics.median(times)), asked),
        Verdict(f"{what}: slowest", in_milliseconds(max(times))),
    ]


def _one_spot(count: int) -> list[Verdict]:
    """Measure boxes that are all in one place: every pair is examined, in bounded batches."""
    found = []
    for what, size, action in (
        ("on, inside, under", count, find_supports),
        ("near", count // 5, find_nearest),
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
