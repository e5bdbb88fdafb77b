# SPDX-License-Identifier: Apache-2.0
"""Our planner, measured in a child process, so that each figure of memory is its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

CHILD = Path(__file__).resolve().parent / "child.py"
HOUSEHOLD_DOMAIN = CHILD.with_name("household.yaml")
READING = ("domain", "scene", "c-set", "pddl")
"""Stages before planning."""


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
        repetitions: how often after the first time, which loads the kernels.
        memory: address space that the process may use, MiB; 0 for any.
    """

    domain: str
    scene: str = ""
    problem: str = ""
    goal: str = ""
    lowest: float = 1.0
    alpha: float = 0.0
    time_limit: float = 30.0
    repetitions: int = 3
    memory: int = 0


@dataclass(frozen=True)
class OurRun:
    """What came of it.

    Attributes:
        status: name of the planning status, or "FAILED" where the process died.
        message: the planner's sentence.
        seconds: shortest time of each stage, reading included.
        plan_seconds: the whole planning request, in the best repetition.
        first_seconds: from the start of the process, imports aside, to the end of the first plan.
        steps: length of the plan; None without one.
        membership: of the plan; None without one.
        expansions: states expanded.
        questions, batches: what was asked of the membership source.
        memory: peak of the process, MiB.
    """

    status: str
    message: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    plan_seconds: float = 0.0
    first_seconds: float = 0.0
    steps: int | None = None
    membership: float | None = None
    expansions: int = 0
    questions: int = 0
    batches: int = 0
    memory: float = 0.0

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.steps is not None

    @property
    def reading(self) -> float:
        """Seconds to read the files and make a state of them."""
        return sum(self.seconds.get(stage, 0.0) for stage in READING)

    @property
    def planning(self) -> float:
        """Seconds of all stages of planning."""
        return sum(value for stage, value in self.seconds.items() if stage not in READING)


def run_ours(job: Job, patience: float = 600.0) -> OurRun:
    """Do a job in a child process.

    Arguments:
        job: what to plan.
        patience: seconds after which the process is killed.
    """
    try:
        done = subprocess.run(
            [sys.executable, str(CHILD)],
            input=json.dumps(asdict(job)),
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return OurRun("FAILED", f"no answer in {patience:g} s")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return OurRun("FAILED", last[0])
    answer = json.loads(done.stdout.splitlines()[-1])
    answer.pop("finished")
    return OurRun(**answer)
