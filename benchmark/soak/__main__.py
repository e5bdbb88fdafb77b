# SPDX-License-Identifier: Apache-2.0
"""Hours of simulated time of tasks, with faults at random by a seed: ``python -m benchmark.soak``.

A process for each node, simulated time (/clock runs `--scale` times as fast as the world's),
executors that fail in every way (`executors`), and nodes, clock, scene and disk that do (`faults`).
`--goals-at-once` are worked on side by side, by as many robots. Simulated hours are those that
/clock has passed without its jumps; a step takes its expected duration of them. Planning and the
waits of the nodes count in real seconds.

Checked at the end (`checks`): each goal has a status, no executor had two steps at once and no step
was done twice, each outcome that was published is kept, no skill is blamed for what it did not do,
and memory does not grow.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from benchmark.soak.checks import (
    find_lost,
    find_overlaps,
    find_repetitions,
    find_robot_overlaps,
    find_slope,
    find_wrong_blame,
    name_code,
    read_recorded,
)
from benchmark.soak.executors import list_busy, read_log
from benchmark.soak.faults import ITEMS, SUPPORTS, Faults
from benchmark.soak.site import (
    NAMESPACE,
    Disk,
    Process,
    SimulatedClock,
    World,
    list_executors,
    list_robots,
    open_site,
)
from benchmark.tables import Part, Verdict, finish, open_console
from fcp_ros.client import FcpClient, FcpError, plan_request
from fcp_ros.client.pending import PendingGoal
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.simulation.calls import find_constant

LOOK = 0.1
"""Seconds between two looks."""
MOST_OPEN = 4
"""Goals that are sent and have not ended, but for floods."""
CANCELLED, PREEMPTING = 0.08, 0.1
"""Shares of the goals that are cancelled, and of those that take another's place."""
START_WAIT = 120.0
"""Seconds for the nodes to be there."""
END_WAIT = 180.0
"""Seconds for all goals to end when no more are sent: what a goal can take in the worst case."""
RECORD_WAIT = 60.0
"""Seconds for the grounder to have recorded what is left, once nothing fails any more."""
SETTLED = 20.0
"""Real seconds after the start before memory is sampled."""
MEMORY_GROWTH = 0.5
"""MiB in a simulated hour by which the executive may grow."""


@dataclass
class Sent:
    """A goal, and how it ended."""

    goal: PendingGoal
    text: str
    began: float
    cancel_at: float | None = None
    seconds: float | None = None  # until its end
    code: int | None = None  # of its result; None without one
    message: str = ""

    def look(self) -> bool:
        """Return True if it has ended."""
        if self.seconds is None and self.goal.poll().done:
            self.seconds = time.monotonic() - self.began
            with suppress(FcpError):
                result = self.goal.result(0.0)
                self.code, self.message = int(result.error_code), result.error_msg
        return self.seconds is not None

    @property
    def end(self) -> str:
        """Its end in a word."""
        if self.code is None:
            return self.goal.poll().value
        return find_constant(GoalError, "", self.code)


@dataclass
class Customers:
    """Those who send goals."""

    source: random.Random
    client: FcpClient
    robots: list[str]
    sent: list[Sent] = field(default_factory=list)
    unsent: int = 0
    _open: list[Sent] = field(default_factory=list)

    def step(self) -> None:
        """Look at the goals; cancel some, and send more."""
        now = time.monotonic()
        for one in self._open:
            if one.cancel_at is not None and now >= one.cancel_at:
                one.cancel_at = None
                one.goal.cancel()
        self._open = [one for one in self._open if not one.look()]
        if len(self._open) < MOST_OPEN:
            self.send()

    def send(self, when_busy: str = "") -> None:
        """Send a goal."""
        text = self._draw()
        preempts = self.source.random() < PREEMPTING
        cancels = self.source.random() < CANCELLED
        after = self.source.uniform(0.0, 2.0)
        priority = self.source.randint(-2, 2)
        now = time.monotonic()
        try:
            goal = self.client.send_achieve(
                plan_request(text, alpha=0.2),
                when_busy=when_busy or ("preempt" if preempts else ""),
                priority=priority,
            )
        except FcpError:
            self.unsent += 1
            return
        self.sent.append(Sent(goal, text, now, now + after if cancels else None))
        self._open.append(self.sent[-1])

    def flood(self, count: int) -> None:
        """Send many goals at once."""
        for _ in range(count):
            self.send("reject")

    def are_done(self) -> bool:
        """Return True if all have ended."""
        self._open = [one for one in self._open if not one.look()]
        return not self._open

    def _draw(self) -> str:
        item, support = self.source.choice(ITEMS), self.source.choice(SUPPORTS)
        robot = self.source.choice(self.robots)
        other, place = self.source.choice(ITEMS), self.source.choice(SUPPORTS)
        kinds = (
            f"on({item}, {support})",
            f"on({item}, {support})",
            f"on({item}, {support}) and at({robot}, kitchen_1)",
            f"on({item}, {support}) and on({other}, {place})",
            f"not on({item}, {support})",
            f"inside({item}, fridge_1)",
            f"holding({robot}, {item})",
            f"at({robot}, living_room_1)",
            f"on({item}, {support}) and not on({item}, {support})",
            f"on(unicorn_1, {support})",
        )
        return self.source.choice(kinds)


@dataclass(frozen=True)
class Record:
    """All that is known after a soak."""

    hours: float  # simulated
    seconds: float  # real
    customers: Customers
    faults: Faults
    world: World
    memory: dict[str, list[tuple[float, float]]]  # process -> (simulated hours, MiB)


def wait_for(condition: Callable[[], object], seconds: float) -> bool:
    """Wait until something is true; return False if it takes too long."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(LOOK)
    return True


def soak(
    processes: dict[str, Process],
    disk: Disk,
    *,
    hours: float,
    seconds: float,
    seed: int,
    scale: float,
    domain: int,
    say: Callable[[str], object],
    least: int = 0,
    goals_at_once: int = 1,
) -> Record:
    """Let it run for these simulated hours, or so many real seconds if that is less.

    `least`: so many steps must have been reported before it ends. `goals_at_once`: that of the
    site.
    """
    clock = SimulatedClock(scale)
    world = World(clock, domain)
    client = FcpClient(namespace=NAMESPACE, domain_id=domain, server_timeout=START_WAIT)
    client.wait_for("achieve_goal", "make_plan", timeout=START_WAIT)
    wait_for(lambda: all(process.is_ready for process in processes.values()), START_WAIT)
    wait_for(lambda: world.find_support(ITEMS[0]), START_WAIT)
    customers = Customers(random.Random(f"goals {seed}"), client, list_robots(goals_at_once))
    faults = Faults(random.Random(f"faults {seed}"), processes, disk, clock, world, customers.flood)
    memory: dict[str, list[tuple[float, float]]] = {name: [] for name in processes}
    began, begun, told = time.monotonic(), clock.hours, 0.0  # what the start took is no soak

    def is_going_on() -> bool:
        return clock.hours - begun < hours or len(world.outcomes) < least

    while is_going_on() and (passed := time.monotonic() - began) < seconds:
        customers.step()
        faults.step()
        if passed > SETTLED:
            for name, process in processes.items():
                if process.look():
                    memory[name].append((clock.hours, process.memory))
        if passed - told > 30.0:
            told = passed
            sent, done = len(customers.sent), len(world.outcomes)
            say(f"  {clock.hours - begun:.2f} h, {passed:.0f} s, {sent} goals, {done} outcomes")
        time.sleep(LOOK)
    faults.stop()
    wait_for(customers.are_done, END_WAIT)
    passed, hours = time.monotonic() - began, clock.hours - begun
    return Record(hours, passed, customers, faults, world, memory)


def judge(record: Record, folder: Path, disk: Disk, executors: list[Process]) -> Iterator[Verdict]:
    """Judge what is left when everything has ended."""
    yield Verdict("simulated time", f"{record.hours:.2f} h in {record.seconds:.0f} s")
    yield from judge_goals(record.customers)
    deaths = {pid: at for one in executors for pid, at in one.deaths.items()}
    attempts = list(list_busy(read_log(folder / "attempts.jsonl"), deaths))
    done = Counter(one.fault.value for one in attempts)
    said = ", ".join(f"{name} {count}" for name, count in sorted(done.items()))
    tried = f"{len(attempts)}: {said}"
    yield Verdict("steps that were tried", tried, "1 or more", len(attempts) > 0)
    others = ", ".join(f"{name} {count}" for name, count in sorted(record.faults.counts.items()))
    yield Verdict("faults around them", others)
    overlaps = find_overlaps(attempts)
    yield Verdict("two steps of an executor at once", str(len(overlaps)), "0", not overlaps)
    more = find_repetitions(attempts, record.world.outcomes)
    yield Verdict("steps begun without an outcome", str(more.total()), "0", not more)
    robot = find_robot_overlaps(attempts)
    yield Verdict("two steps of a robot at once", str(len(robot)), "0", not robot)
    for before, one in [*overlaps[:3], *robot[:5]]:
        yield Verdict("  at once", f"{before} | {one}")
    yield from judge_evidence(record, disk, attempts)
    yield from judge_memory(record)


def judge_goals(customers: Customers) -> Iterator[Verdict]:
    """Judge the ends of the goals."""
    ended = [one for one in customers.sent if one.seconds is not None]
    count = len(customers.sent)
    yield Verdict(
        "goals with a status", f"{len(ended)} of {count}", "all", len(ended) == count and count > 0
    )
    ends = Counter(one.end for one in ended)
    yield Verdict("their ends", ", ".join(f"{end} {n}" for end, n in ends.most_common()))
    lost = [one for one in ended if one.code is None]
    yield Verdict("goals that ended without a result", str(len(lost)), "0", not lost)
    longest = max((one.seconds or 0.0 for one in ended), default=0.0)
    yield Verdict("the longest goal, with its wait for others", f"{longest:.0f} s")
    if customers.unsent:
        yield Verdict("goals without an executive", str(customers.unsent))
    faulty = [one for one in ended if one.code == GoalError.INTERNAL_ERROR]
    yield Verdict("internal errors", str(len(faulty)), "0", not faulty)
    for one in faulty[:3]:
        yield Verdict("  internal error", one.message)
    mute = [one for one in ended if one.code and not one.message]
    yield Verdict("failures without a sentence", str(len(mute)), "0", not mute)


def judge_evidence(record: Record, disk: Disk, attempts: list) -> Iterator[Verdict]:
    """Judge what was kept of the outcomes."""
    store, journal = disk.folder / "calibration.sqlite", disk.folder / "outcomes.sqlite"
    outcomes = record.world.outcomes
    wait_for(lambda: not find_lost(outcomes, read_recorded(store, journal)), RECORD_WAIT)
    lost = find_lost(outcomes, read_recorded(store, journal))
    codes = Counter(name_code(one.outcome) for one in outcomes)
    yield Verdict("outcomes", ", ".join(f"{code} {n}" for code, n in codes.most_common()))
    yield Verdict("outcomes that are kept nowhere", str(len(lost)), "0", not lost)
    yield Verdict("room on the disk of the stores at the end", f"{disk.room / 1024:.0f} KiB")
    for one in lost[:8]:
        yield Verdict("  kept nowhere", f"number {one.number}: {one.step.rule} {name_code(one)}")
    wrong, counts = find_wrong_blame(store, outcomes, attempts)
    said = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    yield Verdict("evidence", said)
    yield Verdict("skills blamed for what they did not do", str(len(wrong)), "0", not wrong)
    for one in wrong[:8]:
        code, text = name_code(one.outcome), one.outcome.outcome.message
        yield Verdict("  blamed", f"{one.step}: {code}, {text} | {one.attempt}")


def judge_memory(record: Record) -> Iterator[Verdict]:
    """Judge the growth of the executive, which lives through all faults."""
    for name, samples in record.memory.items():
        largest = max((size for _, size in samples), default=0.0)
        yield Verdict(f"largest memory of {name}", f"{largest:.0f} MiB")
    slope = find_slope(record.memory["executive"])
    goal = f"at most {MEMORY_GROWTH:g} MiB in a simulated hour"
    said = "too short" if slope is None else f"{slope:+.2f} MiB in a simulated hour"
    yield Verdict(
        "growth of the executive", said, goal, None if slope is None else slope <= MEMORY_GROWTH
    )


def main(
    hours: Annotated[float, typer.Option(min=0.001, help="Simulated hours.")] = 24.0,
    seed: Annotated[int, typer.Option(min=0, help="Of goals and faults.")] = 1,
    scale: Annotated[
        float, typer.Option(min=1.0, max=1000.0, help="Simulated seconds in one.")
    ] = 60.0,
    fault_share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the steps that go wrong.")
    ] = 0.2,
    goals_at_once: Annotated[
        int, typer.Option(min=1, max=8, help="Goals side by side, and robots for them.")
    ] = 2,
    quick: Annotated[bool, typer.Option("--quick", help="Four minutes at most.")] = False,
    keep: Annotated[
        Path | None, typer.Option(help="Empty folder for logs and stores, which are kept.")
    ] = None,
) -> None:
    """Soak, and exit with 1 if a goal is missed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the nodes are ended then, too
    domain = 1 + os.getpid() % 90
    console = open_console()
    seconds = 240.0 if quick else float("inf")
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        os.environ.update(ROS_DOMAIN_ID=str(domain), ROS_LOG_DIR=str(folder / "log"))
        opened = open_site(
            folder,
            seed=seed,
            scale=scale,
            fault_share=fault_share,
            domain=domain,
            goals_at_once=goals_at_once,
        )
        with opened as (processes, disk):
            record = soak(
                processes,
                disk,
                hours=hours,
                seconds=seconds,
                seed=seed,
                scale=scale,
                domain=domain,
                say=console.print,
                goals_at_once=goals_at_once,
            )
            verdicts = list(judge(record, folder, disk, list_executors(processes)))
            record.world.close()
            record.customers.client.close()
    finish([Part(f"soak, seed {seed}", (), verdicts)], console)


if __name__ == "__main__":
    sys.exit(typer.run(main))
