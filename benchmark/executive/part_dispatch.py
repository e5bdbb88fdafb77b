# SPDX-License-Identifier: Apache-2.0
"""Robots that work side by side, in simulated time: makespan, and processor time of each step."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmark.executive.house import DOMAIN, EXECUTORS, Shift, make_shift, make_tasks
from benchmark.tables import Line, Part, Verdict, limit
from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchSettings, DispatchStatus
from fcp_ros.execution.events import Command, Event, ExecutorLedger
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.planning.model.plan import PlanStep, Schedule
from fcp_ros.planning.schedule import schedule_steps

SIZES = ((2, 100), (4, 100), (8, 100), (2, 300), (4, 300), (8, 300), (2, 1000), (8, 1000))
QUICK_SIZES = ((2, 100), (4, 100), (8, 100), (8, 300))
"""Robots and tasks."""
ABOVE_BOUND = 0.10
A_STEP = 5.0  # ms of processor time
DONE = Outcome(OutcomeCode.SUCCEEDED)


class _Agreeable:
    """A world in which each step can be done and has shown its effects: the dispatcher alone."""

    def find_unmet(self, step: PlanStep) -> str:
        """See `WorldView`."""
        return ""

    def find_unseen(self, step: PlanStep) -> str:
        """See `WorldView`."""
        return ""


@dataclass(frozen=True)
class Run:
    """One execution: its makespan (simulated s) and the processor time of the dispatcher (s)."""

    makespan: float
    total: float
    longest: float  # from one event to the commands that follow


def execute(steps: Sequence[PlanStep], order: RunOrder) -> Run:
    """Execute a plan on a clock that jumps from one end of a step to the next."""
    now, total, longest = 0.0, 0.0, 0.0
    ends: list[tuple[float, int]] = []
    dispatcher = Dispatcher(
        steps, DispatchSettings(), ExecutorLedger(EXECUTORS), _Agreeable(), lambda: now, order=order
    )
    began = time.process_time()
    waiting: list[Event | None] = []
    commands: Sequence[Command] = dispatcher.start()
    while True:
        spent = time.process_time() - began
        total, longest = total + spent, max(longest, spent)
        for command in commands:
            if isinstance(command, ev.FindExecutor):
                waiting.append(ev.ExecutorReady(command.executor))
            elif isinstance(command, ev.SendStep):
                heapq.heappush(ends, (now + command.step.duration, command.attempt))
                waiting.append(ev.Accepted(command.attempt))
        if dispatcher.result is not None:
            break
        if waiting:
            event = waiting.pop(0)
        else:
            now, attempt = heapq.heappop(ends)
            event = ev.Finished(attempt, DONE)
        assert event is not None
        began = time.process_time()
        commands = dispatcher.handle(event)
    assert dispatcher.result.status is DispatchStatus.SUCCEEDED, dispatcher.result.message
    return Run(now, total, longest)


def measure(quick: bool) -> Part:
    """Execute the tasks of all sizes."""
    lines, verdicts = [], []
    for robots, count in QUICK_SIZES if quick else SIZES:
        line, found = _measure_size(robots, count)
        lines.append(line)
        verdicts += found
    notes = (
        "alone: the same tasks by one robot. bound: all work and the least ways between tasks (an "
        "assignment), shared by all robots; or the longest task.",
        "The plan of one robot, which takes the nearest task each time, dealt out by share_work.",
    )
    return Part("robots side by side", lines, verdicts, notes)


def _measure_size(robots: int, count: int) -> tuple[Line, Iterator[Verdict]]:
    tasks = make_tasks(count)
    alone = sum(step.duration for step in make_shift(tasks, 1).steps)
    shift = make_shift(tasks, robots)
    began = time.process_time()
    schedule = schedule_steps(DOMAIN, shift.instance, shift.steps)
    scheduled = time.process_time() - began
    assert isinstance(schedule, Schedule), schedule
    run = execute(shift.steps, RunOrder.of(len(shift.steps), schedule))
    name = f"{count} tasks, {robots} robots"
    line = Line(
        name,
        "dispatcher",
        {
            "steps": len(shift.steps),
            "alone [s]": alone,
            "makespan [s]": run.makespan,
            "bound [s]": shift.bound,
            "CPU a step [ms]": 1e3 * run.total / len(shift.steps),
            "CPU of the longest event [ms]": 1e3 * run.longest,
            "CPU of the schedule [s]": scheduled,
        },
    )
    return line, _judge(name, shift, alone, robots, run)


def _judge(name: str, shift: Shift, alone: float, robots: int, run: Run) -> Iterator[Verdict]:
    above = run.makespan / shift.bound - 1.0
    yield Verdict(
        f"{name}: makespan",
        f"{run.makespan:.0f} s, {above:+.1%} ({alone / run.makespan:.1f} times as fast as one)",
        f"at most {ABOVE_BOUND:.0%} above {shift.bound:.0f} s ({shift.why})",
        above <= ABOVE_BOUND,
    )
    a_step = 1e3 * run.total / len(shift.steps)
    yield limit(f"{name}: dispatch of a step, CPU", a_step, A_STEP, "ms")
