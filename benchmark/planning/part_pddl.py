# SPDX-License-Identifier: Apache-2.0
"""Parts of the planning benchmark that are PDDL: Taskography and classical domains."""

from __future__ import annotations

import csv
import json
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.planning.classics import CLASSICS
from benchmark.planning.settings import Settings, our_line, rival_line
from benchmark.rivals.ours import Job, OurRun
from benchmark.tables import Line, Part, Verdict, limit

TASKOGRAPHY = Path(__file__).resolve().parents[3] / "shared" / "bench" / "taskography"
NO_PLAN = "UNSOLVABLE_PROVEN"
PATIENCE = 2
"""After so many failures in a row, a planner is not asked about larger tasks of a domain."""


@dataclass(frozen=True)
class Problem:
    """A PDDL task: the group that it belongs to, its name in tables, its files."""

    group: str
    name: str
    domain: Path
    problem: Path


def taskography_part(settings: Settings) -> Part:
    """The Taskography problems that were shared with the project; nothing of them is kept here."""
    if not TASKOGRAPHY.is_dir():
        return Part("taskography", [], notes=[f"{TASKOGRAPHY} is not there"])
    lines: list[Line] = []
    runs: dict[str, list[OurRun]] = defaultdict(list)
    for problem in _taskography(settings.quick):
        run = _ours(problem, settings)
        lines.append(our_line(problem.name, run))
        runs[problem.group].append(run)
        theirs = settings.lama(problem.domain, problem.problem)
        lines += [] if theirs is None else [rival_line(problem.name, theirs)]
    every = [run for group in runs.values() for run in group]
    seconds = [run.reading + run.planning for run in every if run.solved]
    solved = sum(run.solved for run in every)
    proven = sum(run.status == NO_PLAN for run in every)
    measured = f"{solved} solved, {proven} proven to have no plan, of {len(every)}"
    verdicts = [
        Verdict("plan or proof", measured, "all", solved + proven == len(every)),
        limit("total, median", statistics.median(seconds) if seconds else None, 1.0, "s"),
    ]
    for group, published in _published_lengths().items():
        lengths = [run.steps for run in runs.get(group, ()) if run.steps is not None]
        if lengths:
            mean = statistics.fmean(lengths)
            verdicts.append(limit(f"{group}: steps, mean of {len(lengths)}", mean, published, ""))
    note = "Published lengths of FF are means over all problems of a group, of which some are here."
    return Part("taskography", lines, verdicts, [note])


def classics_part(settings: Settings) -> Part:
    """Growing tasks of classical domains: who solves how many within the time limit."""
    problems = []
    for classic in CLASSICS:
        for size in classic.sizes[:3] if settings.quick else classic.sizes:
            file = settings.folder / f"{classic.name}-{size}.pddl"
            file.write_text(classic.problem(size), encoding="utf-8")
            problems.append(Problem(classic.name, f"{classic.name} {size}", classic.domain, file))
    lines: list[Line] = []
    solved: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    failures: dict[tuple[bool, str], int] = defaultdict(int)
    for problem in problems:
        for ours in (True, False):
            key = (ours, problem.group)
            if failures[key] >= PATIENCE or (not ours and settings.rivals is None):
                continue
            line, is_solved = _attempt(problem, settings, ours)
            lines.append(line)
            solved[problem.group][not ours] += is_solved
            failures[key] = 0 if is_solved else failures[key] + 1
    verdicts = [
        Verdict(
            f"{group}: solved in {settings.limits.seconds:g} s",
            f"{ours} (lama-first {lama})",
            "next to lama-first",
            ours >= lama if settings.rivals is not None else None,
        )
        for group, (ours, lama) in solved.items()
    ]
    note = f"Who fails {PATIENCE} times in a row in a group is not asked about its larger tasks."
    return Part("classical domains", lines, verdicts, [note])


def _attempt(problem: Problem, settings: Settings, ours: bool) -> tuple[Line, bool]:
    if ours:
        run = _ours(problem, settings)
        return our_line(problem.name, run), run.solved
    theirs = settings.lama(problem.domain, problem.problem)
    assert theirs is not None, "callers check that lama-first plans, too"
    return rival_line(problem.name, theirs), theirs.steps is not None


def _ours(problem: Problem, settings: Settings) -> OurRun:
    job = Job(
        str(problem.domain),
        problem=str(problem.problem),
        time_limit=settings.limits.seconds,
    )
    return settings.ours(job.within(settings.limits.memory))


def _taskography(quick: bool) -> Iterator[Problem]:
    listed = json.loads((TASKOGRAPHY / "manifest.json").read_text(encoding="utf-8"))
    for entry in listed[:4] if quick else listed:
        file = TASKOGRAPHY / entry["file"]
        group = file.parent.name.removeprefix("taskography").removesuffix("_test")
        yield Problem(group, f"{group} {file.stem}", file.parent / "domain.pddl", file)


def _published_lengths() -> dict[str, float]:
    """Mean length of FF's plans by group."""
    with (TASKOGRAPHY / "published_results.csv").open(encoding="utf-8") as stream:
        return {
            row["env"]: float(row["plan_length"])
            for row in csv.DictReader(stream)
            if row["planner"] == "FF" and row["plan_length"]
        }
