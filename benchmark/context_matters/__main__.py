# SPDX-License-Identifier: Apache-2.0
"""How well sentences are read, planned and relaxed: ``python -m benchmark.context_matters``.

Parts can be run alone: ``python -m benchmark.context_matters tasks --quick``. The data of Context
Matters is looked for in ../shared/bench/context_matters (or FCP_CONTEXT_MATTERS); VAL (``--val``,
from github.com/KCL-Planning/VAL) checks the plans besides. The sentences of the parts third and
fifth are sealed: their tables alone are shown, unless ``--show-sealed`` is given. Exits with 1 when
a goal is missed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.context_matters.answers import Setting
from benchmark.context_matters.instances import DATA
from benchmark.context_matters.part_reading import SETS, reading_part
from benchmark.context_matters.part_tasks import Details, impossible_part, planning_part, tasks_part
from benchmark.tables import Part, show_part, show_verdicts
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reader import MODEL_SECONDS
from fcp_ros.planning import PlanningOptions


class Name(str, Enum):
    """The parts, in the order that they are run in."""

    TASKS = "tasks"
    PLANNING = "planning"
    IMPOSSIBLE = "impossible"
    READING = "reading"
    SECOND = "second"
    THIRD = "third"
    FOURTH = "fourth"
    FIFTH = "fifth"
    DEVELOPMENT = "development"


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="By default all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few and small, 2 minutes.")] = False,
    only: Annotated[str, typer.Option(help="Tasks and meanings whose name has this.")] = "",
    model: Annotated[
        str,
        typer.Option(
            help="The language model that is asked about what can't be read: tuned, or a file of "
            "`fcp language train-writer`."
        ),
    ] = "",
    endpoint: Annotated[
        str, typer.Option(help="A model server that the reader asks about what it can't read.")
    ] = "",
    model_seconds: Annotated[
        float, typer.Option(help="Seconds that the model server has for each sentence.")
    ] = MODEL_SECONDS,
    show_sealed: Annotated[
        bool, typer.Option("--show-sealed", help="Show the sealed sentences that were read wrong.")
    ] = False,
    val: Annotated[Path | None, typer.Option(help="The binary of VAL.", envvar="VAL")] = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds for each task; more of them on a busy machine.")
    ] = PlanningOptions().time_limit,
    output: Annotated[Path | None, typer.Option("--json", help="All answers as JSON.")] = None,
) -> None:
    """Run the parts, show a table of each and one of the goals."""
    chosen = parts or list(Name)
    if not DATA.is_dir():
        raise typer.BadParameter(
            f"{DATA} is not there: set FCP_CONTEXT_MATTERS to the folder of the data"
        )
    console = Console(width=None if os.isatty(1) else 180)
    setting = Setting(
        make_reader(ReaderOptions(model, endpoint, model_seconds)),
        val,
        PlanningOptions(time_limit=time_limit),
    )
    run_part: dict[Name, Callable[[], tuple[Part, Details]]] = {
        Name.TASKS: lambda: tasks_part(setting, quick, only),
        Name.PLANNING: lambda: planning_part(setting, quick, only),
        Name.IMPOSSIBLE: lambda: impossible_part(setting, quick, only),
        **{
            Name(name): partial(reading_part, name, setting, quick, only, show_sealed)
            for name in SETS
        },
    }
    found, details = [], {}
    for name in chosen:
        part, details[name.value] = run_part[name]()
        found.append(part)
        show_part(part, console)
    show_verdicts(found, console)
    load = os.getloadavg()[0]
    console.print(f"reader: {setting.reader.name}; load average at the end: {load:.1f}")
    if output is not None:
        document = {
            "reader": setting.reader.name,
            "load": load,
            "parts": [asdict(part) for part in found],
            "answers": details,
        }
        output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if any(verdict.met is False for part in found for verdict in part.verdicts):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
