# SPDX-License-Identifier: Apache-2.0
"""Both planners on one task: ours, ready before it is asked, and Fast Downward's lama-first."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmark.ipc.tasks import IpcTask
from benchmark.ipc.validation import validate_plan
from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.fast_downward import LAMA_FIRST, run_lama_first
from benchmark.rivals.ours import Job
from benchmark.rivals.ours import run_ours as run_job
from benchmark.rivals.programs import Limits

OURS, THEIRS = "fcp", LAMA_FIRST


@dataclass(frozen=True)
class IpcRun:
    """The run of one planner on one task.

    Attributes:
        planner: `OURS` or `THEIRS`.
        task: Name of the task.
        status: The planner's word for how it ended.
        solved: True if there is a plan, and nobody refutes it.
        valid: The verdict of the validation; None if it gave none.
        cpu: Processor seconds from the request to the plan, start-up left out.
        wall: Seconds by the clock; of Fast Downward with its start.
        start: Seconds until our planner was ready.
        steps: Length of the plan.
        cost: By the metric of the problem, else the number of steps.
        expansions: Expanded states.
        stages: Stage -> seconds.
        note: The reason if there is no plan, or none that counts.
    """

    planner: str
    task: str
    status: str
    solved: bool = False
    valid: bool | None = None
    cpu: float | None = None
    wall: float | None = None
    start: float | None = None
    steps: int | None = None
    cost: float | None = None
    expansions: int | None = None
    stages: dict[str, float] = field(default_factory=dict)
    note: str = ""


def make_job(task: IpcTask, limits: Limits, improve_time: float = 0.0) -> Job:
    """The job of a task for our planner."""
    job = Job(
        str(task.domain),
        problem=str(task.problem),
        time_limit=limits.seconds,
        improve_time=improve_time,
    )
    return job.within(limits.memory)


def run_ours(task: IpcTask, limits: Limits, val: Path | None) -> IpcRun:
    """Let our planner plan, and validate its plan."""
    found = run_job(make_job(task, limits))
    run = IpcRun(
        OURS,
        task.name,
        found.status,
        cpu=found.cpu,
        wall=found.wall,
        start=found.start,
        expansions=found.expansions,
        stages=dict(found.seconds),
        note=found.message,
    )
    return run if found.plan is None else _validate(run, task, found.plan, val)


def run_theirs(
    task: IpcTask, limits: Limits, val: Path | None, environment: RivalEnvironment
) -> IpcRun:
    """Let Fast Downward plan."""
    found = run_lama_first((task.domain, task.problem), limits, environment)
    run = IpcRun(
        THEIRS,
        task.name,
        found.status.value,
        cpu=found.own_seconds,
        wall=found.seconds,
        expansions=found.expansions,
        note=found.note,
    )
    return run if found.steps is None else _validate(run, task, found.plan, val)


def _validate(run: IpcRun, task: IpcTask, plan: str, val: Path | None) -> IpcRun:
    with tempfile.TemporaryDirectory(prefix="ipc-") as name:
        file = Path(name) / "plan"
        file.write_text(plan, encoding="utf-8")
        found = validate_plan(task.domain, task.problem, file, val)
    return replace(
        run,
        solved=found.valid is not False,
        valid=found.valid,
        steps=sum(line.startswith("(") for line in plan.splitlines()),
        cost=found.cost,
        note=" ".join(filter(None, (run.note, found.note))),
    )
