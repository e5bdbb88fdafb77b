# SPDX-License-Identifier: Apache-2.0
"""Our planner, measured in a process of its own, so that each figure of memory is its own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import IO, Any

CHILD = "benchmark.rivals.our_child"
START_PATIENCE = 300.0
"""Seconds for its start, in which it may have to compile its kernels."""
PATIENCE = 10.0
"""Seconds past the limit after which it is killed."""
ADDRESS_SPACE = 1_500
"""MiB of address space that libraries reserve without use, on top of the limit."""


@dataclass(frozen=True)
class Job:
    """What to plan.

    Attributes:
        domain: a domain file, YAML or (with `problem`) PDDL.
        scene: a scene file.
        problem: a PDDL problem instead of `scene` and `goal`.
        goal: the goal in words of the domain.
        lowest: degrees lie in [lowest, 1].
        alpha: membership that the plan must reach.
        time_limit: seconds for one request.
        improve_time: seconds in which a plan of PDDL files may become better.
        memory_limit: MiB that the planner may use.
        address_space: MiB that the process may use; 0 for any.
        repetitions: how often after the first time.
    """

    domain: str
    scene: str = ""
    problem: str = ""
    goal: str = ""
    lowest: float = 1.0
    alpha: float = 0.0
    time_limit: float = 30.0
    improve_time: float = 0.0
    memory_limit: float = 2048.0
    address_space: int = 0
    repetitions: int = 0

    def within(self, memory: int) -> Job:
        """The same job with so many MiB."""
        return replace(self, memory_limit=float(memory), address_space=memory + ADDRESS_SPACE)


@dataclass(frozen=True)
class OurRun:
    """What came of it.

    Attributes:
        status: name of the planning status; "FAILED" where the process died, "NO_ANSWER" where it
            was killed, past the limit.
        message: why there is no plan.
        seconds: shortest time of each stage; "read" is all before planning.
        wall, cpu: seconds from the request to the answer, by the clock and of the processor.
        start: seconds until the process took its job.
        first_seconds: from the start of the process, its first imports aside, to the first plan.
        steps, membership: of the plan; None without one.
        expansions: states expanded.
        questions, batches: what was asked of the membership source, for a scene.
        memory: peak of the process, MiB.
        plan: as the IPC writes it; None without one, or for a scene.
        better: seconds, steps and cost of each plan that was better than those before it.
        optimal_in: the measures in which the plan is proven to be the best.
    """

    status: str
    message: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    wall: float = 0.0
    cpu: float | None = None
    start: float = 0.0
    first_seconds: float = 0.0
    steps: int | None = None
    membership: float | None = None
    expansions: int = 0
    questions: int = 0
    batches: int = 0
    memory: float = 0.0
    plan: str | None = None
    better: Sequence[tuple[float, int, float]] = ()
    optimal_in: Sequence[str] = ()

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.steps is not None

    @property
    def reading(self) -> float:
        """Seconds to read the files and make a state of them."""
        return self.seconds.get("read", 0.0)

    @property
    def planning(self) -> float:
        """Seconds of all stages of planning."""
        return sum(self.seconds.values()) - self.reading


def run_ours(job: Job, ready: bool = True) -> OurRun:
    """Do a job in a process, which is killed `PATIENCE` seconds past the limit.

    Args:
        job: what to plan.
        ready: let everything be loaded before the job comes.
    """
    limit = (job.time_limit + PATIENCE) * (job.repetitions + 1)
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", CHILD, *(["--ready"] if ready else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            answer = _read_answer(process.stdout, START_PATIENCE)
            start = time.perf_counter() - began
            asked = time.perf_counter()
            if answer is not None:
                process.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
                process.stdin.flush()
                # A process that is not ready loads, and may compile, within its first request.
                patience = limit if ready else limit + START_PATIENCE
                answer = _read_answer(process.stdout, patience)
            wall = time.perf_counter() - asked
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        if answer is not None:
            # By our clock: what the caller waits for.
            return OurRun(**{**answer, "start": start, "wall": wall})
        if wall >= job.time_limit:
            note = f"killed {PATIENCE:g} s past the limit"
            return OurRun("NO_ANSWER", note, wall=wall, start=start)
        errors.seek(0)
        last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
        return OurRun("FAILED", " ".join(last or ["no message"]), wall=wall, start=start)


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
