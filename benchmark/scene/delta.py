# SPDX-License-Identifier: Apache-2.0
"""Speed of a change of 10 elements of 100,000 through graph, relations and state.

The scene is a row of rooms with tables and things on them, as a source would send it (without
derived relations). Each delta carries things to other tables, pushes some a little, calls one by
another name, and replaces one by a new one. Times are of one thread; the deltas themselves are made
outside of them. Processor time is shown, too, since the wall clock counts who else is working.
"""

from __future__ import annotations

import gc
import random
import resource
import time
from collections import defaultdict
from collections.abc import Mapping

from benchmark.tables import Verdict, in_milliseconds
from fcp_ros.binding import advance_state, scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.foundation.garbage import collect_garbage_rarely
from fcp_ros.package_files import config_folder
from fcp_ros.scene import (
    Layer,
    LiveOptions,
    LiveScene,
    Pose,
    SceneDelta,
    SceneGraph,
    SceneNode,
    apply_delta,
)

ROOMS, TABLES, ITEMS = 500, 14, 184
QUICK_ROOMS = 20
DELTAS, QUICK_DELTAS, LONG_RUN = 1_000, 100, 10_000
WARM_UP = 20
ROOM, TABLE, ITEM, TOP = 10.0, (1.2, 1.2, 0.7), (0.1, 0.1, 0.1), 0.7
CATEGORIES = ("mug", "apple", "book", "plate")

Place = tuple[int, int, int]
"""Room, table and spot on it."""

Times = tuple[float, float]
"""Seconds by the wall clock, and of processor time."""


class Scene:
    """The scene at its source.

    Args:
        rooms: How many rooms, each with ``TABLES`` tables and ``ITEMS`` things.
    """

    def __init__(self, rooms: int) -> None:
        self._rooms = rooms
        self._random = random.Random(1)
        self._fresh = 0
        self.nodes: dict[str, SceneNode] = {}
        self._free: list[Place] = []
        self._places: dict[str, Place] = {}
        for room in range(rooms):
            self._furnish(room)
        self._ids = list(self._places)

    def graph(self) -> SceneGraph:
        """Build a full update."""
        return SceneGraph.of(self.nodes.values(), source="benchmark", sequence=1)

    def delta(self, number: int) -> SceneDelta:
        """Change ten elements: 5 carried, 2 pushed by 3 cm, 1 relabelled, 1 removed and 1 new."""
        numbers = self._random.sample(range(len(self._ids)), 9)
        chosen = [self._ids[number] for number in numbers]
        upserted = [self._put(id_, self._new_place(id_)) for id_ in chosen[:5]]
        for id_ in chosen[5:7]:
            upserted.append(self._put(id_, self._places[id_], shift=0.03))
        relabelled = self.nodes[chosen[7]]
        other = "book" if relabelled.category != "book" else "mug"
        upserted.append(self._put(chosen[7], self._places[chosen[7]], category=other))
        self._fresh += 1
        new = f"new_{self._fresh}"
        place = self._places.pop(chosen[8])
        del self.nodes[chosen[8]]
        self._places[new] = place
        upserted.append(self._put(new, place, category="apple"))
        self._ids[numbers[8]] = new
        return SceneDelta(number, tuple(upserted), (chosen[8],))

    def _furnish(self, room: int) -> None:
        x, y = ROOM * (room % 25), ROOM * (room // 25)
        corners = ((x, y), (x + ROOM, y), (x + ROOM, y + ROOM), (x, y + ROOM))
        id_ = f"room_{room}"
        centre = Pose.at(x + ROOM / 2, y + ROOM / 2, 1.25)
        self.nodes[id_] = SceneNode(
            id_, Layer.ROOM, "room", pose=centre, polygon=corners, height=2.5
        )
        for table in range(TABLES):
            at = self._table(room, table)
            name = f"table_{room}_{table}"
            self.nodes[name] = SceneNode(
                name, Layer.OBJECT, "table", pose=Pose.at(*at, TOP / 2), size=TABLE
            )
        spots = [(room, table, spot) for table in range(TABLES) for spot in range(25)]
        for number, place in enumerate(spots):
            if number % 25 < 14 and number // 25 * 14 + number % 25 < ITEMS:
                item = f"item_{room}_{number}"
                self._places[item] = place
                self._put(item, place, category=CATEGORIES[number % 4])
            else:
                self._free.append(place)

    def _table(self, room: int, table: int) -> tuple[float, float]:
        x, y = ROOM * (room % 25), ROOM * (room // 25)
        return x + 1.5 + 2.0 * (table % 4), y + 1.5 + 2.0 * (table // 4)

    def _new_place(self, id_: str) -> Place:
        at = self._random.randrange(len(self._free))
        self._places[id_], self._free[at] = self._free[at], self._places[id_]
        return self._places[id_]

    def _put(self, id_: str, place: Place, shift: float = 0.0, category: str = "") -> SceneNode:
        x, y = self._table(*place[:2])
        position = (x - 0.4 + 0.2 * (place[2] % 5) + shift, y - 0.4 + 0.2 * (place[2] // 5))
        pose = Pose.at(*position, TOP + ITEM[2] / 2)
        label = category or self.nodes[id_].category
        node = SceneNode(id_, Layer.OBJECT, label, pose=pose, size=ITEM)
        self.nodes[id_] = node
        return node


class Follower:
    """Everything that follows a scene, with the time of each part.

    Args:
        scene: The scene.
        domain: In whose words the state is.
    """

    def __init__(self, scene: Scene, domain: Domain) -> None:
        self._scene = scene
        self._live = LiveScene(LiveOptions())
        start = self._live.take_full(scene.graph(), source="s").after
        assert start is not None
        start.prepare()
        self._state = scene_to_instance(start, domain.schema, domain.mapping)
        self._bare = scene.graph()
        self._bare.prepare()
        self._number = 1
        self.elements = len(start.nodes)

    def step(self) -> Mapping[str, Times]:
        """Apply one delta; return the times by part."""
        self._number += 1
        delta = self._scene.delta(self._number)
        clock = Clock()
        self._bare = apply_delta(self._bare, delta)
        clock.lap("graph alone")
        change = self._live.take_delta(delta, source="s")
        clock.lap("live")
        self._state = advance_state(self._state, change.delta, change.after)
        clock.lap("state")
        rest = [times for part, times in clock.laps.items() if part != "graph alone"]
        clock.laps["all"] = (sum(wall for wall, _ in rest), sum(cpu for _, cpu in rest))
        return clock.laps


class Clock:
    """A stopwatch for consecutive parts.

    Attributes:
        laps: Times by part.
    """

    def __init__(self) -> None:
        self.laps: dict[str, Times] = {}
        self._last = (time.perf_counter(), time.thread_time())

    def lap(self, part: str) -> None:
        """Record the end of a part."""
        now = (time.perf_counter(), time.thread_time())
        self.laps[part] = (now[0] - self._last[0], now[1] - self._last[1])
        self._last = (time.perf_counter(), time.thread_time())


def measure(quick: bool) -> list[Verdict]:
    """Measure this part of the benchmark."""
    domain = load_domain(config_folder() / "domains" / "household.yaml")
    follower = Follower(Scene(QUICK_ROOMS if quick else ROOMS), domain)
    thresholds = gc.get_threshold()
    collect_garbage_rarely()
    for _ in range(WARM_UP):
        follower.step()
    runs: dict[str, list[Times]] = defaultdict(list)
    for _ in range(QUICK_DELTAS if quick else DELTAS):
        for part, times in follower.step().items():
            runs[part].append(times)
    of = f"10 changed of {follower.elements:,}: "
    found = [
        Verdict(f"{of}the graph alone (apply_delta)", _spread(runs["graph alone"])),
        Verdict(f"{of}live scene: identities, derived relations, graph", _spread(runs["live"])),
        Verdict(f"{of}C-set (advance_state)", _spread(runs["state"])),
        Verdict(f"{of}graph, relations and C-set", _spread(runs["all"]), "5 ms"),
    ]
    found.append(_memory(follower, 500 if quick else LONG_RUN))
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    return found


def _memory(follower: Follower, deltas: int) -> Verdict:
    """Measure resident memory after a tenth of the deltas and after all of them."""
    sizes = []
    for number in range(deltas):
        follower.step()
        if number in (deltas // 10, deltas - 1):
            gc.collect()
            sizes.append(_resident())
    what = f"memory after {deltas // 10:,} and after {deltas:,} more deltas"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Verdict(what, f"{sizes[0]:.0f} and {sizes[1]:.0f} MiB (peak {peak:.0f})", "bounded")


def _resident() -> float:
    """Return the resident memory of this process (MiB)."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


def _spread(times: list[Times]) -> str:
    """Format median and 99th percentile, also of processor time if the machine is shared."""
    wall, cpu = (sorted(column) for column in zip(*times, strict=True))
    middle, high = int(len(wall) * 0.5), int(len(wall) * 0.99)
    return (
        f"p50 {in_milliseconds(wall[middle])}, p99 {in_milliseconds(wall[high])} "
        f"(processor time {in_milliseconds(cpu[middle])}, {in_milliseconds(cpu[high])})"
    )
