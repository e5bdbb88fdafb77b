# SPDX-License-Identifier: Apache-2.0
"""How well the planner plans with preferences: ``python -m benchmark.preferences``.

Tasks of IPC-5 are looked for in ../shared/bench/pddl3 (``--tasks``); Kairos plans beside us, from
an environment of its own that is made when it is missing; VAL (``--val``, from
github.com/KCL-Planning/VAL) computes the metric of every plan. Exits with 1 when a goal is missed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.preferences.part_pddl3 import QUICK_SECONDS, Pddl3Choice, list_runs, pddl3_part
from benchmark.preferences.planners import KAIROS, Setting
from benchmark.rivals.environment import FOLDER, RivalEnvironment, rival_environment
from benchmark.rivals.programs import Limits
from benchmark.tables import finish, open_console, show_part

TASKS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "pddl3"


def main(
    quick: Annotated[bool, typer.Option("--quick", help="A seventh of them, 5 s each.")] = False,
    limit: Annotated[float, typer.Option(help="Seconds for each task and planner.")] = 30.0,
    memory: Annotated[int, typer.Option(help="MiB for each task and planner.")] = 4_000,
    tasks: Annotated[Path, typer.Option(help="PDDL3 tasks.", envvar="FCP_PDDL3")] = TASKS,
    only: Annotated[str, typer.Option(help="Tasks whose name, with $ behind, has this.")] = "",
    jobs: Annotated[int, typer.Option(help="Runs at the same time.", min=1)] = 1,
    environment: Annotated[
        Path, typer.Option(help="Environment of Kairos.", envvar="FCP_RIVALS")
    ] = FOLDER,
    rivals: Annotated[bool, typer.Option(help="Whether others plan, too.")] = True,
    val: Annotated[Path | None, typer.Option(help="The binary of VAL.", envvar="FCP_VAL")] = None,
    theirs: Annotated[
        Path | None, typer.Option(help="Take the others' runs from this file (of --json).")
    ] = None,
    output: Annotated[Path | None, typer.Option("--json", help="All figures as JSON.")] = None,
) -> None:
    """Run all tasks, show a table of them and one of the goals."""
    console = open_console()
    if quick:
        limit = min(limit, QUICK_SECONDS)
    others = _find_rivals(environment, console) if rivals else None
    threads = max(1, (os.cpu_count() or 1) // jobs)
    setting = Setting(Limits(limit, memory), val, others, threads)
    part, runs = pddl3_part(Pddl3Choice(tasks, only, jobs, theirs), setting, quick)
    show_part(part, console)
    finish([part], console, output, limit=limit, runs=list_runs(runs))


def _find_rivals(folder: Path, console: Console) -> RivalEnvironment:
    """The environment of the others; says which of them can't be used."""
    environment = rival_environment(folder, [KAIROS])
    for planner, why in environment.missing.items():
        console.print(f"{planner} is left out: {why}")
    return environment


if __name__ == "__main__":
    typer.run(main)
