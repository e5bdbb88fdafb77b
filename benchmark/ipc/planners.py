# SPDX-License-Identifier: Apache-2.0
"""Both planners on one task: ours, ready before it is asked, and Fast Downward's lama-first."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from benchmark.ipc.tasks import IpcTask
from benchmark.ipc.validation import validate_plan
from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.programs import LAMA_FIRST, PLAN_FILE, Limits, run_rival

CHILD = Path(__file__).resolve().parent / "child.py"
OURS, THEIRS = "fcp", LAMA_FIRST.name
START_PATIENCE = 300.0
"""Seconds for our planner's start, in which it may have to compile its kernels."""
PATIENCE = 10.0
"""Seconds past the limit after which our planner is killed."""
ADDRESS_SPACE = 1_500
"""MiB of address space that libraries reserve without use, on top of the limit."""


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
        stages: Stage -> seconds; "read" is what is left over.
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


@dataclass(frozen=True)
class OurAnswer:
    """The answer of our planner's process.

    Attributes:
        start: Seconds until it was ready.
        wall: Seconds from the request to the answer, by the clock.
        answer: As `child` gives it; None if there is none.
        note: The reason then.
        late: Whether it was killed, and the limit had passed.
    """

    start: float
    wall: float
    answer: dict[str, Any] | None
    note: str = ""
    late: bool = False


def ask_ours(task: IpcTask, limits: Limits, folder: Path, **options: float) -> OurAnswer:
    """Let our planner plan in a process of its own, killed `PATIENCE` seconds past the limit.

    Args:
        task: The task.
        limits: Seconds and MiB.
        folder: For its messages.
        options: More fields of the job, such as `improve_time`.
    """
    job = {
        "domain": str(task.domain),
        "problem": str(task.problem),
        "time_limit": limits.seconds,
        "memory_limit": float(limits.memory),
        "address_space": limits.memory + ADDRESS_SPACE,
        **options,
    }
    with (folder / "errors.txt").open("w+b") as errors:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            ready = _read_answer(process.stdout, START_PATIENCE)
            start = time.perf_counter() - began
            asked = time.perf_counter()
            if ready is not None:
                process.stdin.write(json.dumps(job).encode() + b"\n")
                process.stdin.flush()
            answer = _read_answer(process.stdout, limits.seconds + PATIENCE) if ready else None
            wall = time.perf_counter() - asked
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        if answer is not None:
            return OurAnswer(start, wall, answer)
        if wall >= limits.seconds:
            return OurAnswer(start, wall, None, f"killed {PATIENCE:g} s past the limit", late=True)
        errors.seek(0)
        last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
        return OurAnswer(start, wall, None, " ".join(last or ["no message"]))


def run_ours(task: IpcTask, limits: Limits, folder: Path, val: Path | None) -> IpcRun:
    """Let our planner plan, and validate its plan."""
    found = ask_ours(task, limits, folder)
    run = IpcRun(OURS, task.name, "FAILED", wall=found.wall, start=found.start)
    answer = found.answer
    if answer is None:
        return replace(run, status="NO_ANSWER" if found.late else run.status, note=found.note)
    plan = answer.get("plan")
    stages = {name: value for name, value in answer.get("stages", {}).items() if name != "total"}
    stages["read"] = max(0.0, answer.get("wall", 0.0) - sum(stages.values()))
    run = replace(
        run,
        status=answer["status"],
        cpu=answer.get("cpu"),
        expansions=answer.get("expansions"),
        stages=stages,
        note=answer["note"],
    )
    if plan is None:
        return run
    file = folder / "ours.plan"
    file.write_text(plan, encoding="utf-8")
    return _validated(run, task, file, val)


def run_theirs(
    task: IpcTask, limits: Limits, folder: Path, val: Path | None, environment: RivalEnvironment
) -> IpcRun:
    """Let Fast Downward plan."""
    file = folder / "theirs.plan"
    file.unlink(missing_ok=True)
    files = (task.domain, task.problem)
    found = run_rival(LAMA_FIRST, files, limits, environment, {PLAN_FILE: file})
    run = IpcRun(
        THEIRS,
        task.name,
        found.status.value,
        cpu=found.own_seconds,
        wall=found.seconds,
        expansions=found.expansions,
        note=found.note,
    )
    return run if found.steps is None else _validated(run, task, file, val)


def _validated(run: IpcRun, task: IpcTask, plan: Path, val: Path | None) -> IpcRun:
    found = validate_plan(task.domain, task.problem, plan, val)
    lines = plan.read_text(encoding="utf-8").splitlines()
    return replace(
        run,
        solved=found.valid is not False,
        valid=found.valid,
        steps=sum(line.startswith("(") for line in lines),
        cost=found.cost,
        note=" ".join(filter(None, (run.note, found.note))),
    )


def _read_answer(stream: IO[bytes], patience: float) -> dict[str, Any] | None:
    """Read one line of JSON; None if none comes in time, or the process ends without one."""
    text, end = b"", time.perf_counter() + patience
    while not text.endswith(b"\n"):
        left = end - time.perf_counter()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            return None
        piece = os.read(stream.fileno(), 1 << 16)
        if not piece:
            return None
        text += piece
    answer: dict[str, Any] = json.loads(text)
    return answer
