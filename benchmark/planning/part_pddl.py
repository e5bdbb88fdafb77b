# SPDX-License-Identifier: Apache-2.0
"""Parts of the planning benchmark that are PDDL: Taskography, classical domains, files by path."""

from __future__ import annotations

import csv
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.planning.classics import CLASSICS
from benchmark.planning.ours import Job, OurRun
from benchmark.planning.settings import Settings, our_line, rival_line
from benchmark.rivals.programs import KAIROS, LAMA_FIRST, RivalRun
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
        run, _ = _both(problem, settings, lines)
        runs[problem.group].append(run)
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
    return _coverage("classical domains", problems, settings)


def files_part(settings: Settings, folder: Path) -> Part:
    """PDDL files of a folder: each subfolder has domain.pddl and problems beside it."""
    problems = [
        Problem(domain.parent.name, f"{domain.parent.name} {file.stem}", domain, file)
        for domain in sorted(folder.rglob("domain.pddl"))
        for file in sorted(domain.parent.glob("*.pddl"))
        if file != domain
    ]
    return _coverage(f"files in {folder}", problems, settings)


def _coverage(name: str, problems: Iterable[Problem], settings: Settings) -> Part:
    """Coverage of everybody, group by group."""
    lines: list[Line] = []
    solved: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    failures: dict[tuple[str, str], int] = defaultdict(int)
    for problem in problems:
        count = solved[problem.group]
        if failures["ours", problem.group] < PATIENCE:
            run = _ours(problem, settings)
            lines.append(our_line(problem.name, run))
            count[0] += run.solved
            key = ("ours", problem.group)
            failures[key] = 0 if run.solved else failures[key] + 1
        for index, rival in enumerate((LAMA_FIRST, KAIROS), 1):
            key = (rival.name, problem.group)
            if failures[key] >= PATIENCE:
                continue
            answer = settings.rival(rival, problem.domain, problem.problem)
            if answer is not None:
                lines.append(rival_line(problem.name, answer))
                count[index] += answer.steps is not None
                failures[key] = 0 if answer.steps is not None else failures[key] + 1
    verdicts = [
        Verdict(
            f"{group}: solved in {settings.limits.seconds:g} s",
            f"{ours} (lama-first {lama}, Kairos {kairos})",
            "next to lama-first",
            ours >= lama if settings.rivals is not None else None,
        )
        for group, (ours, lama, kairos) in solved.items()
    ]
    note = f"Who fails {PATIENCE} times in a row in a group is not asked about its larger tasks."
    return Part(name, lines, verdicts, [note])


def _both(
    problem: Problem, settings: Settings, lines: list[Line]
) -> tuple[OurRun, RivalRun | None]:
    run = _ours(problem, settings)
    lines.append(our_line(problem.name, run))
    theirs = settings.rival(LAMA_FIRST, problem.domain, problem.problem)
    if theirs is not None:
        lines.append(rival_line(problem.name, theirs))
    return run, theirs


def _ours(problem: Problem, settings: Settings) -> OurRun:
    job = Job(
        str(problem.domain),
        problem=str(problem.problem),
        time_limit=settings.limits.seconds,
        memory=settings.limits.memory,
        repetitions=0,
    )
    return settings.ours(job)


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
