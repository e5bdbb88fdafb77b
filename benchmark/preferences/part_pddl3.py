# SPDX-License-Identifier: Apache-2.0
"""Tasks of IPC-5 with preferences, beside Kairos: runs, metrics and goals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmark.ipc.tasks import IpcTask, find_tasks
from benchmark.preferences.planners import OURS, PreferenceRun, Setting
from benchmark.tables import Line, Part, Verdict

BEST = Path(__file__).resolve().parent / "best.yaml"
QUICK_STEP, QUICK_SECONDS = 7, 5.0
"""``--quick``: every seventh task, with this limit."""
BETTER = PROVEN = 1 / 3
"""Share of tasks on which we want to be better than all others, and to be proven optimal."""
VALID = 0.906
"""Share of tasks with a valid plan: SGPlan's in the FCP paper, whose own is 0.852."""
NEAR, NEAR_SHARE = 0.05, 0.852
"""A metric within this of the best known counts as near it; share of tasks wanted."""
EQUAL = 1e-6
"""Relative difference of metrics that count as equal."""

Runs = Mapping[str, Mapping[str, PreferenceRun]]
"""Task -> planner -> run."""


@dataclass(frozen=True)
class Pddl3Choice:
    """Which tasks are run, and what is known about them.

    Attributes:
        folder: with the tasks.
        only: in the name of each that is run.
        jobs: that run at the same time.
        known: file with runs of an earlier benchmark: the other planners' are taken from it.
    """

    folder: Path
    only: str = ""
    jobs: int = 1
    known: Path | None = None


def pddl3_part(choice: Pddl3Choice, setting: Setting, quick: bool) -> tuple[Part, Runs]:
    """Run all planners on all tasks."""
    if not choice.folder.is_dir():
        note = f"{choice.folder} is not there: no PDDL3 task was run; see --tasks."
        return Part("PDDL3", [], [Verdict("tasks", "none", "at least one", None)], [note]), {}
    tasks = [task for task in find_tasks(choice.folder) if choice.only in f"{task.name}$"]
    tasks = tasks[::QUICK_STEP] if quick else tasks
    runs = _run_all(tasks, choice, setting)
    best = find_best(runs, read_best())
    lines = [_to_line(task.name, runs[task.name], best) for task in tasks]
    return Part(
        "PDDL3", lines, find_verdicts(runs, best), list(_to_notes(runs, best, setting))
    ), runs


def read_best(file: Path = BEST) -> dict[str, float]:
    """Read the best known metric of each task."""
    found: dict[str, float] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def read_runs(file: Path, limit: float) -> dict[str, dict[str, PreferenceRun]]:
    """Read the runs of an earlier benchmark.

    Raises:
        ValueError: they had another limit.
    """
    document = json.loads(file.read_text(encoding="utf-8"))
    if document["limit"] != limit:
        raise ValueError(f"{file} has runs of {document['limit']:g} s, not of {limit:g} s")
    found: dict[str, dict[str, PreferenceRun]] = {}
    for run in document["runs"]:
        found.setdefault(run["task"], {})[run["planner"]] = PreferenceRun(**run)
    return found


def list_runs(runs: Runs) -> list[dict[str, object]]:
    """All runs as plain values, for JSON."""
    return [asdict(run) for of_task in runs.values() for run in of_task.values()]


def _run_all(tasks: Sequence[IpcTask], choice: Pddl3Choice, setting: Setting) -> Runs:
    """Run the planners, several at a time if asked for; take known runs of the others."""
    known = {} if choice.known is None else read_runs(choice.known, setting.limits.seconds)
    planners = setting.planners()
    runs: dict[str, dict[str, PreferenceRun]] = {task.name: {} for task in tasks}
    waiting = []
    for task in tasks:
        of_task = known.get(task.name, {})
        runs[task.name] |= {name: run for name, run in of_task.items() if name != OURS}
        waiting += [(task, name) for name in planners if name not in runs[task.name]]
    now = TextColumn("{task.fields[now]}")
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), now)
    with (
        ThreadPoolExecutor(choice.jobs) as pool,
        Progress(*columns, console=Console(stderr=True)) as progress,
    ):
        bar = progress.add_task("", total=len(waiting), now="")
        jobs = [pool.submit(planners[name], task, setting) for task, name in waiting]
        for job in as_completed(jobs):
            run = job.result()
            runs[run.task][run.planner] = run
            progress.update(bar, advance=1, now=f"{run.task}, {run.planner}: {describe(run)}")
    # Ours first in the tables, whichever was done first.
    return {
        task: dict(sorted(found.items(), key=lambda item: item[0] != OURS))
        for task, found in runs.items()
    }


def describe(run: PreferenceRun) -> str:
    """How a run ended, in a few words."""
    if run.metric is None:
        return f"{run.status} {run.note}".strip()
    return f"{run.metric:g}{'' if run.by_val else ' (own word)'}{', proven' if run.proven else ''}"


def find_best(runs: Runs, known: Mapping[str, float]) -> dict[str, float]:
    """Find the best metric of each task, among runs and known ones."""
    best = {name: known.get(name, math.inf) for name in runs}
    for name, of_task in runs.items():
        found = [run.metric for run in of_task.values() if run.metric is not None]
        best[name] = min([best[name], *found])
    return best


def compare(one: float | None, other: float | None) -> int:
    """Return -1 if one metric is better than another, 1 if it is worse, 0 if they are equal.

    No plan is worse than any.
    """
    if one is None or other is None:
        return (one is None) - (other is None)
    if abs(one - other) <= EQUAL * max(1.0, abs(one), abs(other)):
        return 0
    return -1 if one < other else 1


def is_near(metric: float | None, best: float) -> bool:
    """Return True if a metric is near the best one."""
    return metric is not None and metric <= best + NEAR * abs(best) + EQUAL


def find_verdicts(runs: Runs, best: Mapping[str, float]) -> list[Verdict]:
    """Compare what was measured with the goals."""
    ours = {name: of_task[OURS] for name, of_task in runs.items() if OURS in of_task}
    total = len(ours)
    theirs = {name: _best_of_others(runs[name]) for name in ours}
    against = [compare(ours[name].metric, other) for name, other in theirs.items()]
    beside = any(len(of_task) > 1 for of_task in runs.values())
    worse = [name for name, found in zip(theirs, against, strict=True) if found > 0]
    proven = sum(run.proven for run in ours.values())
    refuted = [name for name, run in ours.items() if run.status == "INVALID"]
    cheated = [name for name, run in ours.items() if run.proven and is_beaten(run, best[name])]
    valid = sum(run.metric is not None for run in ours.values())
    near = sum(is_near(run.metric, best[name]) for name, run in ours.items())
    return [
        Verdict(
            "at least as good as the others",
            f"{total - len(worse)} of {total}",
            "all",
            not worse if beside else None,
        ),
        _share("better than the others", against.count(-1), total, BETTER, beside),
        _share("proven optimal", proven, total, PROVEN),
        _share("a valid plan", valid, total, VALID),
        _share(f"metric within {NEAR:.0%} of the best known", near, total, NEAR_SHARE),
        Verdict("invalid plans", ", ".join(refuted) or "none", "none", not refuted),
        Verdict("proofs refuted", ", ".join(cheated) or "none", "none", not cheated),
    ]


def is_beaten(run: PreferenceRun, best: float) -> bool:
    """Return True if a better metric than that of a run is known."""
    return compare(best, run.metric) < 0


def _share(what: str, count: int, total: int, share: float, measured: bool = True) -> Verdict:
    wanted = math.ceil(share * total - 1e-9)
    measure = f"{count} of {total} ({count / max(1, total):.1%})"
    met = count >= wanted if measured and total else None
    return Verdict(what, measure, f"at least {wanted} ({share:.1%})", met)


def _best_of_others(of_task: Mapping[str, PreferenceRun]) -> float | None:
    found = [run.metric for name, run in of_task.items() if name != OURS]
    return min((metric for metric in found if metric is not None), default=None)


def _to_line(name: str, of_task: Mapping[str, PreferenceRun], best: Mapping[str, float]) -> Line:
    """One row a task: of each planner the metric, * if proven, and s to first and best plan."""
    figures: dict[str, float | int | str | None] = {}
    for planner, run in of_task.items():
        word = run.status[:14] if run.metric is None else f"{run.metric:g}"
        figures[planner] = f"{word}{'' if run.by_val or run.metric is None else '?'}"
        figures[planner] += "*" if run.proven else ""
        found = run.first is not None and run.best is not None
        figures[f"{planner} s"] = f"{run.first:.2f} {run.best:.1f}" if found else None
    figures["best known"] = f"{best[name]:g}" if math.isfinite(best[name]) else None
    steps = of_task[OURS].steps if OURS in of_task else None
    figures["our steps"] = steps
    own = of_task[OURS].metric if OURS in of_task else None
    who = {-1: "better", 0: "equal", 1: "WORSE"}[compare(own, _best_of_others(of_task))]
    return Line(name.replace("-preferences-", " "), who if len(of_task) > 1 else "", figures)


def _to_notes(runs: Runs, best: Mapping[str, float], setting: Setting) -> Iterator[str]:
    yield "*: proven by the planner. s: to the first and to the best plan, without our start-up."
    for planner in dict.fromkeys(name for of_task in runs.values() for name in of_task):
        found = [(name, of_task[planner]) for name, of_task in runs.items() if planner in of_task]
        valid = sum(run.metric is not None for _, run in found)
        near = sum(is_near(run.metric, best[name]) for name, run in found)
        reached = sum(compare(run.metric, best[name]) == 0 for name, run in found)
        proven = sum(run.proven for _, run in found)
        yield (
            f"{planner}: valid plan {valid / len(found):.1%}, metric within {NEAR:.0%} of the best "
            f"known {near / len(found):.1%}, the best known {reached / len(found):.1%}, "
            f"proven {proven / len(found):.1%} of {len(found)}."
        )
    if setting.val is None:
        yield "?: the planner's own word: VAL was not there (--val)."
    for of_task in runs.values():
        for run in of_task.values():
            if run.note and (run.metric is None or not run.by_val or run.planner == OURS):
                yield f"{run.task}, {run.planner}: {run.note[:150]}"
