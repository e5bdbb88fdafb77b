# SPDX-License-Identifier: Apache-2.0
"""Our planner next to Fast Downward's lama-first on PDDL tasks: ``python -m benchmark.ipc FOLDER``.

FOLDER holds a copy of the IPC tasks (github.com/potassco/pddl-instances), of which those listed in
``tasks.yaml`` are run; with ``--all``, every task below any folder is. Plans are validated by
``validation.py`` and, with ``--val``, by VAL. Time runs from the request to the plan: processor
seconds, so that other jobs on the machine do not count; start-up is shown apart. The limit is by
the clock. Exits with 1 when a goal is missed.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmark.ipc.planners import OURS, THEIRS, IpcRun, run_ours, run_theirs
from benchmark.ipc.tasks import LISTED, IpcTask, find_listed_tasks, find_tasks
from benchmark.rivals.environment import FOLDER, rival_environment
from benchmark.rivals.programs import Limits
from benchmark.tables import Line, Part, Verdict, finish, limit, open_console, show_part

QUICK_STEP, QUICK_SECONDS = 6, 8.0
"""``--quick``: every sixth task, with this limit."""
SHARE = 57 / 62
"""Share of tasks to be solved."""
SLOWER = 2.0
"""Our median time may be this multiple of lama-first's."""
OVERRUN = 0.5
"""Seconds that an answer may come after the limit."""
INSTANT = 1.0
"""Seconds up to which the agile score is full (IPC 2018)."""

Runs = Mapping[str, Sequence[IpcRun]]


def main(
    folder: Annotated[Path, typer.Argument(help="PDDL tasks.", exists=True, file_okay=False)],
    all_tasks: Annotated[bool, typer.Option("--all", help="Every task below FOLDER.")] = False,
    only: Annotated[str, typer.Option(help="Tasks whose name contains this.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="A sixth of them, 8 s each.")] = False,
    seconds: Annotated[float, typer.Option("--limit", help="Seconds for each task.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB for each task.")] = 4_000,
    fast_downward: Annotated[
        Path,
        typer.Option(
            help="Environment with up-fast-downward; made if it is missing.", envvar="FCP_RIVALS"
        ),
    ] = FOLDER,
    rival: Annotated[bool, typer.Option(help="Whether Fast Downward plans, too.")] = True,
    val: Annotated[Path | None, typer.Option(help="The binary of VAL.", envvar="FCP_VAL")] = None,
    output: Annotated[Path | None, typer.Option("--json", help="All figures as JSON.")] = None,
) -> None:
    """Run all tasks, show a table of them and one of the goals."""
    console = open_console()
    tasks = find_tasks(folder) if all_tasks else find_listed_tasks(folder, LISTED)
    tasks = [task for task in tasks if only in task.name]
    if quick:
        tasks, seconds = tasks[::QUICK_STEP], min(seconds, QUICK_SECONDS)
    if not tasks:
        raise typer.BadParameter(f"{folder} has no such task")
    limits = Limits(seconds, memory)
    runs = _run_all(tasks, limits, fast_downward if rival else None, val)
    part = Part("ipc", _to_lines(runs), find_verdicts(runs, limits), _to_notes(runs, limits, val))
    show_part(part, console)
    runs_of_all = [asdict(run) for planner in runs.values() for run in planner]
    finish([part], console, output, limit=seconds, runs=runs_of_all)


def _run_all(
    tasks: Sequence[IpcTask], limits: Limits, environment: Path | None, val: Path | None
) -> Runs:
    """Run both planners on each task in turn; `environment` is None without Fast Downward."""
    rivals = None if environment is None else rival_environment(environment, ["Fast Downward"])
    runs: dict[str, list[IpcRun]] = {OURS: []} | ({} if rivals is None else {THEIRS: []})
    now = TextColumn("{task.fields[now]}")
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), now)
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=len(tasks), now="")
        for task in tasks:
            progress.update(bar, now=task.name)
            runs[OURS].append(run_ours(task, limits, val))
            if rivals is not None:
                runs[THEIRS].append(run_theirs(task, limits, val, rivals))
            progress.console.print("; ".join(map(_describe, (each[-1] for each in runs.values()))))
            progress.advance(bar)
    return runs


def _describe(run: IpcRun) -> str:
    if run.solved:
        return f"{run.task}, {run.planner}: {run.steps} steps, {run.cpu or 0.0:.2f} s"
    return f"{run.task}, {run.planner}: {run.status} {run.note}".rstrip()


def find_verdicts(runs: Runs, limits: Limits) -> list[Verdict]:
    """Compare what was measured with the goals."""
    ours = runs[OURS]
    solved = {run.task for run in ours if run.solved}
    wanted = math.ceil(SHARE * len(ours) - 1e-9)
    refuted = [run.task for run in ours if run.valid is False]
    late = max((run.wall or 0.0) - limits.seconds for run in ours)
    verdicts = [
        Verdict("solved", f"{len(solved)} of {len(ours)}", f"{wanted}", len(solved) >= wanted),
        Verdict("invalid plans", ", ".join(refuted) or "none", "none", not refuted),
        limit("largest overrun of the limit", max(0.0, late), OVERRUN, "s"),
    ]
    if THEIRS in runs:
        theirs = [run for run in runs[THEIRS] if run.solved]
        missed = [run.task for run in theirs if run.task not in solved]
        said = f"{len(missed)} missed of {len(theirs)}"
        verdicts.append(Verdict("all that lama-first solves", said, "none missed", not missed))
        pairs = _pair(runs)
        ratio = None
        if pairs:
            own, other = (statistics.median(each) for each in zip(*pairs, strict=True))
            ratio = own / max(other, 1e-2)
        verdicts.append(limit("median time over lama-first's", ratio, SLOWER, "times"))
    return verdicts


def _pair(runs: Runs) -> list[tuple[float, float]]:
    """Return our and their seconds for each task that both solved."""
    pairs = zip(runs[OURS], runs.get(THEIRS, ()), strict=False)
    both = ((a, b) for a, b in pairs if a.solved and b.solved)
    return [(a.cpu, b.cpu) for a, b in both if a.cpu is not None and b.cpu is not None]


def score_agile(run: IpcRun, limits: Limits) -> float:
    """Return the IPC's agile score in [0, 1]: 1 within a second, 0 at the limit."""
    if not run.solved or run.cpu is None or run.cpu >= limits.seconds:
        return 0.0
    return 1.0 if run.cpu <= INSTANT else 1.0 - math.log(run.cpu) / math.log(limits.seconds)


def score_quality(run: IpcRun, best: float | None) -> float:
    """Return the IPC's satisficing score in [0, 1]: the best known cost over the plan's cost."""
    if not run.solved or run.cost is None or best is None:
        return 0.0
    return 1.0 if run.cost == best else best / run.cost


def _to_notes(runs: Runs, limits: Limits, val: Path | None) -> list[str]:
    costs: dict[str, float] = {}
    for run in (run for each in runs.values() for run in each):
        if run.solved and run.cost is not None:
            costs[run.task] = min(run.cost, costs.get(run.task, math.inf))
    notes = []
    for planner, each in runs.items():
        agile = sum(score_agile(run, limits) for run in each)
        quality = sum(score_quality(run, costs.get(run.task)) for run in each)
        solved = sum(run.solved for run in each)
        notes.append(
            f"{planner}: {solved} of {len(each)} solved, IPC score agile {agile:.1f}, "
            f"quality of the first plan {quality:.1f}"
        )
    pairs = _pair(runs)
    if pairs:
        own, other = (statistics.median(each) for each in zip(*pairs, strict=True))
        each_ratio = statistics.median(a / max(b, 1e-2) for a, b in pairs)
        notes.append(
            f"Median over the {len(pairs)} tasks that both solve: {own:.2f} s and {other:.2f} s; "
            f"median of the ratios {each_ratio:.1f}."
        )
    start = statistics.median(run.start or 0.0 for run in runs[OURS])
    notes.append(f"Start-up of ours, not in the times: {start:.1f} s (median, by the clock).")
    unchecked = [run.task for run in runs[OURS] if run.solved and run.valid is None]
    who = "VAL and ipc/validation.py" if val is not None else "ipc/validation.py"
    notes.append(f"Plans validated by {who}; not checked: {', '.join(unchecked) or 'none'}.")
    notes.append(f"Limit {limits.seconds:g} s, load average {os.getloadavg()[0]:.1f}.")
    return notes


def _to_lines(runs: Runs) -> list[Line]:
    lines = []
    for group in zip(*runs.values(), strict=True):
        for run in group:
            stages = {name: run.stages.get(name) for name in ("read", "compile", "search")}
            word = run.status if run.solved else f"{run.status}: {run.note}".rstrip(": ")
            figures = {
                "status": word[:60],
                "steps": run.steps,
                "cost": run.cost,
                "CPU s": run.cpu if run.solved else None,
                "clock s": run.wall,
                **stages,
                "expansions": run.expansions,
            }
            lines.append(Line(run.task, run.planner, figures))
    return lines


if __name__ == "__main__":
    typer.run(main)
