# SPDX-License-Identifier: Apache-2.0
"""Speed of a change of 10 elements of 100,000 through graph, relations and state.

Each delta carries things to other tables, pushes some a little, calls one by another name, and
replaces one by a new one. Times are of one thread; the deltas themselves are made outside of them.
Processor time is shown, too, since the wall clock counts who else is working.
"""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Mapping

from benchmark.processes import read_peak, read_resident
from benchmark.scene.scenes import ChangingScene
from benchmark.tables import Verdict, in_milliseconds
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.binding.state_changes import advance_state
from fcp_ros.domain import Domain, load_domain
from fcp_ros.foundation.garbage import collect_garbage_rarely
from fcp_ros.package_files import config_folder
from fcp_ros.scene import LiveOptions, LiveScene, apply_delta

ROOMS, QUICK_ROOMS = 500, 20
DELTAS, QUICK_DELTAS, LONG_RUN = 1_000, 100, 10_000
WARM_UP = 20
MEDIAN = 0.005
"""Seconds wanted of a delta, from the graph to the state."""

Times = tuple[float, float]
"""Seconds by the wall clock, and of processor time."""


class Follower:
    """Everything that follows a scene, with the time of each part.

    Args:
        scene: The scene.
        domain: In whose words the state is.
    """

    def __init__(self, scene: ChangingScene, domain: Domain) -> None:
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
    follower = Follower(ChangingScene(QUICK_ROOMS if quick else ROOMS), domain)
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
        Verdict(
            f"{of}graph, relations and C-set",
            _spread(runs["all"]),
            f"p50 at most {in_milliseconds(MEDIAN)} of processor time",
            _find_quantile(runs["all"], 0.5)[1] <= MEDIAN,
        ),
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
            sizes.append(read_resident())
    what = f"memory after {deltas // 10:,} and after {deltas:,} more deltas"
    return Verdict(what, f"{sizes[0]:.0f} and {sizes[1]:.0f} MiB (peak {read_peak():.0f})")


def _find_quantile(times: list[Times], share: float) -> Times:
    wall, cpu = (sorted(column) for column in zip(*times, strict=True))
    return wall[int(len(wall) * share)], cpu[int(len(cpu) * share)]


def _spread(times: list[Times]) -> str:
    """Format median and 99th percentile, also of processor time if the machine is shared."""
    (middle, middle_cpu), (high, high_cpu) = (_find_quantile(times, x) for x in (0.5, 0.99))
    return (
        f"p50 {in_milliseconds(middle)}, p99 {in_milliseconds(high)} "
        f"(processor time {in_milliseconds(middle_cpu)}, {in_milliseconds(high_cpu)})"
    )
