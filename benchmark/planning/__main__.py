# SPDX-License-Identifier: Apache-2.0
"""How fast and how well the planner plans, next to others: ``python -m benchmark.planning``.

Parts can be run alone: ``python -m benchmark.planning household blockers --quick``. The other
planners (Fast Downward, Kairos, pyperplan) are external programs in an environment of their own,
out/rivals-venv, made when it is missing; nothing of them is imported here. All times are the
shortest of some repetitions, memory is that of a process of its own.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Mapping
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.planning.part_changes import cold_start_part, replanning_part
from benchmark.planning.part_household import blockers_part, household_part
from benchmark.planning.part_judgements import judgements_part
from benchmark.planning.part_pddl import classics_part, files_part, taskography_part
from benchmark.planning.part_reading import reading_part
from benchmark.planning.part_search import best_membership_part, raw_search_part
from benchmark.planning.settings import Settings
from benchmark.rivals.environment import RivalEnvironment, rival_environment
from benchmark.rivals.programs import Limits
from benchmark.tables import Figure, Part, show_part, show_verdicts, write_json


class Name(str, Enum):
    """The parts, in the order that they are run in."""

    READING = "reading"
    HOUSEHOLD = "household"
    BLOCKERS = "blockers"
    JUDGEMENTS = "judgements"
    REPLANNING = "replanning"
    COLD_START = "cold-start"
    RAW_SEARCH = "raw-search"
    BEST_MEMBERSHIP = "best-membership"
    TASKOGRAPHY = "taskography"
    CLASSICS = "classics"


PARTS: Mapping[Name, Callable[[Settings], Part]] = {
    Name.READING: reading_part,
    Name.HOUSEHOLD: household_part,
    Name.BLOCKERS: blockers_part,
    Name.JUDGEMENTS: judgements_part,
    Name.REPLANNING: replanning_part,
    Name.COLD_START: cold_start_part,
    Name.RAW_SEARCH: raw_search_part,
    Name.BEST_MEMBERSHIP: best_membership_part,
    Name.TASKOGRAPHY: taskography_part,
    Name.CLASSICS: classics_part,
}


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="By default all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only.")] = False,
    limit: Annotated[float, typer.Option(help="Seconds for each task and planner.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB for each task and planner.")] = 8_000,
    repetitions: Annotated[int, typer.Option(help="Of our measurements.")] = 3,
    rivals: Annotated[bool, typer.Option(help="Whether others plan, too.")] = True,
    pddl: Annotated[
        Path | None, typer.Option(help="A folder with PDDL tasks to be run besides.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write all figures to this file.")] = None,
) -> None:
    """Run the parts, show a table of each and one of all goals."""
    console = Console(width=None if os.isatty(1) else 200)
    environment = rival_environment() if rivals else None
    machine = _machine(environment)
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()))
    found = []
    with tempfile.TemporaryDirectory(prefix="planning-") as folder:
        settings = Settings(Path(folder), quick, Limits(limit, memory), repetitions, environment)
        for name in parts or list(Name):
            found.append(PARTS[name](settings))
            show_part(found[-1], console)
        if pddl is not None:
            found.append(files_part(settings, pddl))
            show_part(found[-1], console)
    show_verdicts(found, console)
    console.print(f"load average at the end: {os.getloadavg()[0]:.1f}")
    if json is not None:
        write_json(found, machine, json)


def _machine(environment: RivalEnvironment | None) -> dict[str, Figure]:
    """What the figures depend on."""
    found: dict[str, Figure] = {
        "Python": platform.python_version(),
        "numba": version("numba"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    if environment is not None:
        found |= {f"{name}:": why for name, why in environment.missing.items()}
    return found


if __name__ == "__main__":
    typer.run(main)
