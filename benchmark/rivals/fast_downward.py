# SPDX-License-Identifier: Apache-2.0
"""Fast Downward: how it is called, and how its exit codes and its output are understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.programs import PLAN, Limits, ProgramRun, run_program

NAME = "Fast Downward"
LAMA_FIRST = f"{NAME} lama-first"


class RivalStatus(str, Enum):
    """How a planner ended."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    TIMEOUT = "time out"
    MEMOUT = "out of memory"
    GAVE_UP = "gave up"
    FAILED = "failed"
    MISSING = "not installed"


CODES = {
    10: RivalStatus.UNSOLVABLE,
    11: RivalStatus.UNSOLVABLE,
    12: RivalStatus.GAVE_UP,
    20: RivalStatus.MEMOUT,
    21: RivalStatus.TIMEOUT,
    22: RivalStatus.MEMOUT,
    23: RivalStatus.TIMEOUT,
    24: RivalStatus.MEMOUT,
}
"""Of an end without a plan."""


@dataclass(frozen=True)
class RivalRun:
    """What came of one call.

    Attributes:
        status: how it ended.
        seconds: from the start of the process to its end.
        memory: peak, MiB; None where it had to be killed.
        steps: length of the plan; None without one.
        plan: its text.
        search_seconds: of the search alone; None where it does not say.
        expansions: states expanded; None where it does not say.
        own_seconds: processor seconds of translation and search by its own account, the start of
            Python left out; None where it does not say.
        note: why there is no plan.
    """

    status: RivalStatus
    seconds: float = 0.0
    memory: float | None = None
    steps: int | None = None
    plan: str = ""
    search_seconds: float | None = None
    expansions: int | None = None
    own_seconds: float | None = None
    note: str = ""


def make_command(
    environment: RivalEnvironment, limits: Limits, alias: str, files: int
) -> tuple[str, ...]:
    """Return the command line of one of its known configurations, for so many files."""
    return (
        *environment.command(NAME),
        *("--plan-file", PLAN, "--overall-time-limit", f"{limits.seconds:.0f}s"),
        *("--overall-memory-limit", f"{limits.memory}M", "--alias", alias),
        *(f"{{{number}}}" for number in range(files)),
    )


def run_lama_first(
    files: Sequence[Path], limits: Limits, environment: RivalEnvironment
) -> RivalRun:
    """Plan a PDDL domain and problem; the limits are for all that it does."""
    if NAME in environment.missing:
        return RivalRun(RivalStatus.MISSING, note=environment.missing[NAME])
    command = make_command(environment, limits, "lama-first", len(files))
    return understand(run_program(command, files, limits), limits)


def understand(found: ProgramRun, limits: Limits) -> RivalRun:
    """Return the run that the exit code and the output tell of."""
    run = RivalRun(RivalStatus.FAILED, found.seconds, found.memory)
    steps = _last(r"Plan length: (\d+)", found.output)
    if found.code in (0, 1, 2, 3) and steps is not None:
        translation = _last(r"^Done! \[([\d.e+-]+)s CPU", found.output)
        search = _last(r"Total time: ([\d.e+-]+)s", found.output)
        expansions = _last(r"Expanded (\d+) state", found.output)
        return replace(
            run,
            status=RivalStatus.SOLVED,
            steps=int(steps),
            plan=found.plans[-1].text if found.plans else "",
            search_seconds=_last(r"Search time: ([\d.e+-]+)", found.output),
            expansions=None if expansions is None else int(expansions),
            own_seconds=None if translation is None or search is None else translation + search,
        )
    status = CODES.get(found.code, RivalStatus.FAILED)
    late = status is RivalStatus.GAVE_UP and found.seconds >= limits.seconds
    if found.memory is None or late or status is RivalStatus.TIMEOUT:
        return replace(run, status=RivalStatus.TIMEOUT, note=f"{limits.seconds:g} s")
    if status is RivalStatus.MEMOUT or "MemoryError" in found.output:
        return replace(run, status=RivalStatus.MEMOUT, note=f"{limits.memory} MiB")
    note = found.last_words if status is RivalStatus.FAILED else ""
    return replace(run, status=status, note=note)


def _last(pattern: str, text: str) -> float | None:
    found = re.findall(pattern, text, re.MULTILINE)
    return float(found[-1]) if found else None
