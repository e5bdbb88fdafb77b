# SPDX-License-Identifier: Apache-2.0
"""How fast and how well the planner plans, next to lama-first: ``python -m benchmark.planning``.

Parts can be run alone: ``python -m benchmark.planning household blockers --quick``. Fast Downward
is an external program in an environment of its own, out/rivals-venv, made when it is missing;
nothing of it is imported here. All times are the shortest of some repetitions, memory is that of a
process of its own. Exits with 1 when a goal is missed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmark.planning.part_changes import cold_start_part, replanning_part
from benchmark.planning.part_household import blockers_part, household_part
from benchmark.planning.part_judgements import judgements_part
from benchmark.planning.settings import Settings
from benchmark.rivals.environment import rival_environment
from benchmark.rivals.fast_downward import NAME as FAST_DOWNWARD
from benchmark.rivals.programs import Limits
from benchmark.tables import Part, finish, open_console, show_part


class Name(str, Enum):
    """The parts, in the order that they are run in."""

    HOUSEHOLD = "household"
    BLOCKERS = "blockers"
    JUDGEMENTS = "judgements"
    REPLANNING = "replanning"
    COLD_START = "cold-start"


PARTS: Mapping[Name, Callable[[Settings], Part]] = {
    Name.HOUSEHOLD: household_part,
    Name.BLOCKERS: blockers_part,
    Name.JUDGEMENTS: judgements_part,
    Name.REPLANNING: replanning_part,
    Name.COLD_START: cold_start_part,
}


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="By default all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only.")] = False,
    limit: Annotated[float, typer.Option(help="Seconds for each task and planner.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB for each task and planner.")] = 8_000,
    repetitions: Annotated[int, typer.Option(help="Of our measurements.")] = 3,
    rivals: Annotated[bool, typer.Option(help="Whether others plan, too.")] = True,
    json: Annotated[Path | None, typer.Option(help="Write all figures to this file.")] = None,
) -> None:
    """Run the parts, show a table of each and one of all goals."""
    console = open_console()
    environment = rival_environment(planners=[FAST_DOWNWARD]) if rivals else None
    for planner, why in () if environment is None else environment.missing.items():
        console.print(f"{planner} is left out: {why}")
    found = []
    with tempfile.TemporaryDirectory(prefix="planning-") as folder:
        settings = Settings(Path(folder), quick, Limits(limit, memory), repetitions, environment)
        for name in parts or list(Name):
            found.append(PARTS[name](settings))
            show_part(found[-1], console)
    finish(found, console, json)


if __name__ == "__main__":
    typer.run(main)
