# SPDX-License-Identifier: Apache-2.0
"""What all parts of the planning benchmark are told: sizes, limits, rivals, where to put files."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.fast_downward import LAMA_FIRST, RivalRun, run_lama_first
from benchmark.rivals.ours import Job, OurRun, run_ours
from benchmark.rivals.programs import Limits
from benchmark.tables import Line, milliseconds

HOUSEHOLD_DOMAIN = Path(__file__).resolve().with_name("household.yaml")


@dataclass(frozen=True)
class Settings:
    """How the benchmark runs.

    Attributes:
        folder: for the files that are generated.
        quick: small sizes only.
        limits: for each call of another planner; its time is our planner's limit, too.
        repetitions: of our own measurements; the shortest counts.
        rivals: the environment of the other planners; None to leave them out.
    """

    folder: Path
    quick: bool
    limits: Limits
    repetitions: int
    rivals: RivalEnvironment | None

    def lama(self, *files: Path) -> RivalRun | None:
        """Let lama-first plan; None where it is left out."""
        if self.rivals is None:
            return None
        run = run_lama_first(files, self.limits, self.rivals)
        _say(f"lama-first: {run.status.value}, {run.steps} steps, {run.seconds:.2f} s")
        return run

    def ours(self, job: Job, ready: bool = True) -> OurRun:
        """Let our planner plan."""
        run = run_ours(job, ready)
        _say(f"ours: {run.status}, {run.steps} steps, {run.reading:.2f} + {run.planning:.3f} s")
        return run


def _say(text: str) -> None:
    """How it goes, for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def rival_line(task: str, run: RivalRun, what: str = "") -> Line:
    """The line of another planner; `what` says where it got another task than the others."""
    return Line(
        task,
        f"{LAMA_FIRST}, {what}" if what else LAMA_FIRST,
        {
            "status": f"{run.status.value} {run.note}".strip(),
            "steps": run.steps,
            "total ms": milliseconds(run.seconds),
            "search": milliseconds(run.search_seconds),
            "expansions": run.expansions,
            "MiB": run.memory,
        },
    )


def our_line(task: str, run: OurRun, who: str = "ours") -> Line:
    """The line of our planner: every stage in milliseconds."""
    total = run.reading + run.planning
    return Line(
        task,
        who,
        {
            "status": run.status if run.solved else f"{run.status}: {run.message}",
            "steps": run.steps,
            "total ms": milliseconds(total) if run.seconds else None,
            "read": milliseconds(run.reading) if run.seconds else None,
            **{
                stage: milliseconds(run.seconds.get(stage))
                for stage in ("compile", "goal", "judge", "search", "verify")
            },
            "expansions": run.expansions,
            "MiB": run.memory,
        },
    )
