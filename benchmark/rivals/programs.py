# SPDX-License-Identifier: Apache-2.0
"""Other planners as external programs, each as it does best: what they need for one PDDL task.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from benchmark.rivals.environment import RivalEnvironment

LAUNCHER = Path(__file__).resolve().parent / "launch.py"
SAS_FILE, PLAN_FILE = "output.sas", "sas_plan"
"""What Fast Downward writes: the translated task, the plan."""
GRACE = 2.0
"""Seconds that a planner gets to stop by its own limit before it is killed."""


class RivalStatus(str, Enum):
    """How a planner ended."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    TIMEOUT = "time out"
    MEMOUT = "out of memory"
    GAVE_UP = "gave up"
    FAILED = "failed"
    MISSING = "not installed"


@dataclass(frozen=True)
class Limits:
    """What one call may use: seconds and MiB."""

    seconds: float = 30.0
    memory: int = 8_000


@dataclass(frozen=True)
class RivalRun:
    """What came of one call.

    Attributes:
        rival: name of the planner and of its configuration.
        status: how it ended.
        seconds: from the start of the process to its end.
        memory: peak, MiB; None where it had to be killed.
        steps: length of the plan; None without one.
        cost: its cost; None where it does not say.
        search_seconds: of the search alone; None where it does not say.
        expansions: states expanded; None where it does not say.
        own_seconds: processor seconds by its own account, its start left out; None where it does
            not say.
        note: why there is no plan.
    """

    rival: str
    status: RivalStatus
    seconds: float = 0.0
    memory: float | None = None
    steps: int | None = None
    cost: float | None = None
    search_seconds: float | None = None
    expansions: int | None = None
    own_seconds: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Rival:
    """A planner with its configuration.

    Attributes:
        planner: key of `environment.PACKAGES`.
        configuration: arguments that choose the search.
    """

    planner: str
    configuration: tuple[str, ...]
    short: str

    @property
    def name(self) -> str:
        """Planner and configuration, for tables."""
        return f"{self.planner} {self.short}".strip()


LAMA_FIRST = Rival("Fast Downward", ("--alias", "lama-first"), "lama-first")
BLIND = Rival("Fast Downward", ("--search", "astar(blind())"), "astar(blind)")
LM_CUT = Rival("Fast Downward", ("--search", "astar(lmcut())"), "astar(lmcut)")
KAIROS = Rival("Kairos", ("--no-anytime",), "")
PYPERPLAN = Rival("pyperplan", ("-H", "hff", "-s", "gbf"), "gbf(hff)")
PYPERPLAN_BFS = Rival("pyperplan", ("-s", "bfs"), "bfs")

_SOLVED = {"Fast Downward": (0, 1, 2, 3), "Kairos": (0,), "pyperplan": (0,)}
_UNSOLVABLE = {"Fast Downward": (10, 11), "Kairos": (10,)}
_GAVE_UP = {"Fast Downward": (12,), "Kairos": (14,)}
_TIMEOUT = {"Fast Downward": (21, 23), "Kairos": (11,)}
_MEMOUT = {"Fast Downward": (20, 22, 24), "Kairos": (12,)}


def run_rival(
    rival: Rival,
    files: Sequence[Path],
    limits: Limits,
    environment: RivalEnvironment,
    keep: Mapping[str, Path] = MappingProxyType({}),
) -> RivalRun:
    """Plan with another planner, in a folder of its own that is deleted afterwards.

    Arguments:
        rival: who, and how.
        files: a PDDL domain and problem, or one translated task (for Fast Downward).
        limits: time and memory for all that it does.
        environment: where it lives.
        keep: files that it writes (`SAS_FILE`, `PLAN_FILE`) -> where to put them, if written.
    """
    if rival.planner in environment.missing:
        note = environment.missing[rival.planner]
        return RivalRun(rival.name, RivalStatus.MISSING, note=note)
    with tempfile.TemporaryDirectory(prefix="rival-") as name:
        folder = Path(name)
        copies = [folder / f"{number}-{file.name}" for number, file in enumerate(files)]
        for source, target in zip(files, copies, strict=True):
            shutil.copyfile(source, target)
        command = [*environment.command(rival.planner), *_arguments(rival, copies, limits)]
        finished = run_program(command, folder, limits)
        for written, target in keep.items():
            if (folder / written).is_file():
                shutil.copyfile(folder / written, target)
    return _understood(rival, finished, limits)


def _arguments(rival: Rival, files: Sequence[Path], limits: Limits) -> list[str]:
    """Options and files in the order that each planner wants."""
    names = [str(file) for file in files]
    if rival.planner == "Fast Downward":
        ours = ["--keep-sas-file", "--overall-time-limit", f"{limits.seconds:.0f}s"]
        ours += ["--overall-memory-limit", f"{limits.memory}M"]
        if rival.configuration[0] == "--alias":
            return [*ours, *rival.configuration, *names]
        return [*ours, *names, *rival.configuration]
    if rival.planner == "Kairos":
        ours = ["--timeout", f"{limits.seconds:g}", "--memory", str(limits.memory), "-v"]
        return ["solve", *names, *ours, *rival.configuration]
    return [*rival.configuration, *names]


@dataclass(frozen=True)
class Finished:
    """A process that has ended.

    Attributes:
        code: its exit code.
        output: what it printed.
        seconds: from its start to its end.
        memory: peak, MiB; None where it had to be killed.
        killed: whether it had to be.
    """

    code: int
    output: str
    seconds: float
    memory: float | None
    killed: bool


def run_program(command: Sequence[str], folder: Path, limits: Limits) -> Finished:
    """Run a program with limits; kill its whole group when it does not keep the time limit."""
    log, report = folder / "output.log", folder / "report.txt"
    launcher = [sys.executable, "-S", "-E", str(LAUNCHER), str(report), str(limits.memory)]
    start = time.perf_counter()
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*launcher, *command],
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
    output = log.read_text(encoding="utf-8", errors="replace")
    if not report.is_file():
        return Finished(-signal.SIGKILL, output, time.perf_counter() - start, None, True)
    code, seconds, kibibytes = report.read_text(encoding="utf-8").split()
    return Finished(int(code), output, float(seconds), int(kibibytes) / 1024.0, False)


def _understood(rival: Rival, finished: Finished, limits: Limits) -> RivalRun:
    """The run that the exit code and the output tell of."""
    planner = rival.planner
    run = RivalRun(rival.name, RivalStatus.FAILED, finished.seconds, finished.memory)
    steps, cost = _plan(planner, finished.output)
    if finished.code in _SOLVED[planner] and steps is not None and not finished.killed:
        return replace(
            run,
            status=RivalStatus.SOLVED,
            steps=steps,
            cost=cost,
            search_seconds=_search_seconds(planner, finished.output),
            expansions=_expansions(planner, finished.output),
            own_seconds=_own_seconds(planner, finished.output),
        )
    gave_up = finished.code in _GAVE_UP.get(planner, ())
    late = gave_up and finished.seconds >= limits.seconds
    if finished.killed or late or finished.code in _TIMEOUT.get(planner, ()):
        return replace(run, status=RivalStatus.TIMEOUT, note=f"{limits.seconds:g} s")
    if finished.code in _MEMOUT.get(planner, ()) or "MemoryError" in finished.output:
        return replace(run, status=RivalStatus.MEMOUT, note=f"{limits.memory} MiB")
    if finished.code in _UNSOLVABLE.get(planner, ()) or "No solution could be" in finished.output:
        return replace(run, status=RivalStatus.UNSOLVABLE)
    if gave_up:
        return replace(run, status=RivalStatus.GAVE_UP)
    last = finished.output.strip().splitlines()[-1:] or ["no message"]
    return replace(run, note=f"exit code {finished.code}: {last[0]}")


def _plan(planner: str, output: str) -> tuple[int | None, float | None]:
    """Length and cost of the plan, where there is one."""
    if planner == "Kairos":
        cost = _last(r"^; cost = ([\d.]+)", output)
        steps = len(re.findall(r"^\(", output, re.MULTILINE))
        return (None if cost is None else steps), cost
    length = _last(r"Plan length: (\d+)", output)
    cost = _last(r"Plan cost: (\d+)", output)
    return (None if length is None else int(length)), cost


def _search_seconds(planner: str, output: str) -> float | None:
    if planner == "Kairos":
        milliseconds = _last(r"search ([\d.]+) ms, total", output)
        return None if milliseconds is None else milliseconds / 1e3
    return _last(r"Search time: ([\d.e+-]+)", output)


def _own_seconds(planner: str, output: str) -> float | None:
    """Translation and search as Fast Downward counts them; the start of Python is not in it."""
    if planner != "Fast Downward":
        return None
    translation = _last(r"^Done! \[([\d.e+-]+)s CPU", output)
    search = _last(r"Total time: ([\d.e+-]+)s", output)
    return None if translation is None or search is None else translation + search


def _expansions(planner: str, output: str) -> int | None:
    pattern = {
        "Fast Downward": r"Expanded (\d+) state",
        "Kairos": r"(\d+) expanded, \d+ evaluated, \d+ plans",
        "pyperplan": r"(\d+) Nodes expanded",
    }[planner]
    found = _last(pattern, output)
    return None if found is None else int(found)


def _last(pattern: str, text: str) -> float | None:
    found = re.findall(pattern, text, re.MULTILINE)
    return float(found[-1]) if found else None
