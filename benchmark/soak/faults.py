# SPDX-License-Identifier: Apache-2.0
"""The faults around the executors, drawn one after the other by a seed."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmark.soak.site import Disk, Process, SimulatedClock, World, list_executors

ITEMS = ("mug_1", "apple_1", "bowl_1", "book_1", "drinking_glass_1", "sponge_1", "vase_1")
SUPPORTS = ("counter_1", "table_1", "tv_stand_1")

PAUSES = (6.0, 20.0)
"""Seconds between two faults, at least and at most."""
LASTING = (0.3, 4.0)
"""Seconds for which something is away, stopped or full."""
FLOOD = 200
"""Messages of a flood."""
HOUR = 3600.0


@dataclass
class Faults:
    """What goes wrong around the executors; `step` is called all the time."""

    source: random.Random
    processes: Mapping[str, Process]
    disk: Disk
    clock: SimulatedClock
    world: World
    flood_goals: Callable[[int], None]  # sends so many goals at once
    counts: Counter[str] = field(default_factory=Counter)
    times: list[tuple[float, str]] = field(default_factory=list)
    _next: float = 0.0
    _ends: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def step(self) -> None:
        """Begin and end what is due, and start again what has died."""
        now = time.monotonic()
        for at, end in list(self._ends):
            if now >= at:
                self._ends.remove((at, end))
                end()
        for executors in list_executors(self.processes):
            if not executors.look():  # it dies by itself, half-way in a step
                self.counts["executors died"] += 1
                executors.start()
        if now >= self._next:
            self._begin()
            self._next = now + self.source.uniform(*PAUSES)

    def stop(self) -> None:
        """End all faults."""
        for _, end in self._ends:
            end()
        self._ends.clear()
        for process in self.processes.values():
            if not process.look():
                process.start()

    def _begin(self) -> None:
        kinds: Mapping[str, Callable[[], None]] = {
            "restart": self._restart,
            "freeze": self._freeze,
            "clock stands": self._stand,
            "clock jumps": self._jump,
            "person moves a thing": self._move,
            "scene contradicts itself": self._contradict,
            "disk full": self._fill,
            "flood of updates": self._flood_updates,
            "flood of goals": lambda: self.flood_goals(FLOOD),
        }
        weights = (4, 2, 1, 2, 4, 2, 1, 1, 1)
        (kind,) = self.source.choices(list(kinds), weights)
        kinds[kind]()
        if kind not in ("restart", "freeze"):  # which say whom
            self._note(kind)

    def _note(self, what: str) -> None:
        self.counts[what] += 1
        self.times.append((time.monotonic(), what))

    def _later(self, end: Callable[[], None]) -> None:
        self._ends.append((time.monotonic() + self.source.uniform(*LASTING), end))

    def _restart(self) -> None:
        name = self.source.choice(("scene_graph", "grounder", "task_planner"))
        process = self.processes[name]
        if process.look():
            process.kill()
            self._later(lambda: None if process.look() else process.start())
            self._note(f"{name} killed")

    def _freeze(self) -> None:
        executors = self.source.choice(list_executors(self.processes)).name
        name = self.source.choice(("scene_graph", "grounder", "task_planner", executors))
        process = self.processes[name]
        if process.look():
            process.signal(signal.SIGSTOP)
            self._later(lambda: process.signal(signal.SIGCONT) if process.look() else None)
            self._note(f"{name} stopped for a while")

    def _stand(self) -> None:
        self.clock.stand(True)
        self._later(lambda: self.clock.stand(False))

    def _jump(self) -> None:
        self.clock.jump(self.source.choice((-HOUR, -1.0, HOUR, 24.0 * HOUR)))

    def _move(self) -> None:
        self.world.move(self.source.choice(ITEMS), self.source.choice(SUPPORTS))

    def _contradict(self) -> None:
        self.world.contradict(self.source.choice(ITEMS), self.source.choice(SUPPORTS))

    def _fill(self) -> None:
        if self.disk.is_small:
            self.disk.fill()
            self._later(self.disk.free)

    def _flood_updates(self) -> None:
        for _ in range(FLOOD):
            self._move()
