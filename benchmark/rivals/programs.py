# SPDX-License-Identifier: Apache-2.0
"""Planners as external programs: each call in a folder of its own, with limits, all plans kept.

Time is from the start of the process to its end, with reading the files. Memory is the peak of the
process and of those that it starts.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parent / "launch.py"
PLAN = "found.plan"
"""Name that programs are told for their plans; those with several add numbers."""
GRACE = 2.0
"""Seconds that a planner gets to stop by its own limit before it is killed."""
LATE = 0.5
"""Seconds past the limit after which plans don't count; the same holds for ours."""


@dataclass(frozen=True)
class Limits:
    """What one call may use: seconds and MiB."""

    seconds: float = 30.0
    memory: int = 8_000


@dataclass(frozen=True)
class FoundPlan:
    """A plan file: seconds since the program was started, and its text."""

    seconds: float
    text: str


@dataclass(frozen=True)
class ProgramRun:
    """What came of one call.

    Attributes:
        plans: in the order in which they came; those that came late are left out.
        code: its exit code.
        output: what it printed.
        seconds: from its start to its end.
        memory: peak, MiB; None where it had to be killed.
    """

    plans: tuple[FoundPlan, ...]
    code: int
    output: str
    seconds: float
    memory: float | None

    @property
    def last_words(self) -> str:
        """The exit code and the last line of the output."""
        last = self.output.strip().splitlines()[-1:] or ["no message"]
        return f"exit code {self.code}: {last[0]}"


def run_program(command: Sequence[str], files: Sequence[Path], limits: Limits) -> ProgramRun:
    """Run a program in a folder that is deleted afterwards; kill its whole group when it is late.

    Args:
        command: the program; in its arguments, ``{0}`` stands for the copy of the first file.
        files: what it reads.
        limits: after which it is killed.
    """
    with tempfile.TemporaryDirectory(prefix="rival-") as name:
        folder = Path(name)
        copies = [folder / f"{number}-{file.name}" for number, file in enumerate(files)]
        for source, target in zip(files, copies, strict=True):
            shutil.copyfile(source, target)
        log, report = folder / "output.log", folder / "report.txt"
        launcher = [sys.executable, "-S", "-E", str(LAUNCHER), str(report), str(limits.memory)]
        started, start = time.time(), time.perf_counter()
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [*launcher, *(word.format(*copies) for word in command)],
                cwd=folder,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                process.wait(limits.seconds + GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        found = [
            FoundPlan(file.stat().st_mtime - started, file.read_text(encoding="utf-8"))
            for file in sorted(folder.glob(f"{PLAN}*"), key=_number_of)
        ]
        plans = tuple(plan for plan in found if plan.seconds <= limits.seconds + LATE)
        output = log.read_text(encoding="utf-8", errors="replace")
        if not report.is_file():
            seconds = time.perf_counter() - start
            return ProgramRun(plans, -signal.SIGKILL, output, seconds, None)
        code, spent, kibibytes = report.read_text(encoding="utf-8").split()
    return ProgramRun(plans, int(code), output, float(spent), int(kibibytes) / 1024.0)


def _number_of(file: Path) -> int:
    """The number that ends the name of a plan file; 0 without one."""
    found = re.search(r"\d+$", file.name)
    return int(found[0]) if found else 0
