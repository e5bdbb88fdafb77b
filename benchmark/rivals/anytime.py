# SPDX-License-Identifier: Apache-2.0
"""Programs that write a better plan whenever they have one: all their plans, and when each came."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.rivals.programs import Limits, run_program

PLAN = "found.plan"
"""Name that programs are told for their plans; they add numbers."""
LATE = 0.5
"""Seconds past the limit after which plans don't count; the same holds for ours."""


@dataclass(frozen=True)
class FoundPlan:
    """A plan file: seconds since the program was started, and its text."""

    seconds: float
    text: str


@dataclass(frozen=True)
class AnytimeRun:
    """What came of one call.

    Attributes:
        plans: in the order in which they came; those that came late are left out.
        code: its exit code.
        output: what it printed.
        seconds: from its start to its end.
    """

    plans: tuple[FoundPlan, ...]
    code: int
    output: str
    seconds: float


def run_anytime(command: Sequence[str], files: Sequence[Path], limits: Limits) -> AnytimeRun:
    """Run a program in a folder of its own, which is deleted afterwards.

    Args:
        command: the program; in its arguments, ``{0}`` stands for the copy of the first file.
        files: what it reads.
        limits: after which it is killed.
    """
    with tempfile.TemporaryDirectory(prefix="anytime-") as name:
        folder = Path(name)
        copies = [folder / f"{number}-{file.name}" for number, file in enumerate(files)]
        for source, target in zip(files, copies, strict=True):
            shutil.copyfile(source, target)
        began = time.time()
        finished = run_program([word.format(*copies) for word in command], folder, limits)
        found = sorted(folder.glob(f"{PLAN}*"), key=_number_of)
        plans = [
            FoundPlan(file.stat().st_mtime - began, file.read_text(encoding="utf-8"))
            for file in found
        ]
    in_time = tuple(plan for plan in plans if plan.seconds <= limits.seconds + LATE)
    return AnytimeRun(in_time, finished.code, finished.output, finished.seconds)


def _number_of(file: Path) -> int:
    """The number that ends the name of a plan file; 0 without one."""
    found = re.search(r"\d+$", file.name)
    return int(found[0]) if found else 0
