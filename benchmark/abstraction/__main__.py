# SPDX-License-Identifier: Apache-2.0
"""Generalized plans: ``python -m benchmark.abstraction``.

- ``domains``: the seven published domains: what a policy costs to learn, and what it solves.
- ``household``: every dirty cup into the dishwasher, in any house.

``--only`` runs one part; ``--quick`` takes fewer instances (at most five minutes in all). The
domains are looked for in ../shared/bench/genplan. The program ends with a table and the exit code 1
if a goal is missed.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from enum import Enum
from typing import Annotated

import typer

from benchmark.tables import Part as Measured
from benchmark.tables import Verdict, finish, open_console


class Part(str, Enum):
    """A part of the measurements."""

    DOMAINS = "domains"
    HOUSEHOLD = "household"


MEASURES = {
    Part.DOMAINS: "benchmark.abstraction.domains:measure_domains",
    Part.HOUSEHOLD: "benchmark.abstraction.household:measure",
}


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer instances.")] = False,
    only: Annotated[Part | None, typer.Option(help="One part.")] = None,
) -> None:
    """Measure and print the table."""
    console, found = open_console(), []
    for part in Part:
        if only in (None, part):
            rows = []
            for row in measure_part(part, quick):
                console.print(f"{row.what}: {row.value}", highlight=False, markup=False)
                rows.append(row)
            found.append(Measured(part.value, (), rows))
    finish(found, console)


def measure_part(part: Part, quick: bool) -> Iterable[Verdict]:
    """Measure one part; its file is imported only then."""
    file, _, name = MEASURES[part].partition(":")
    found: Iterable[Verdict] = getattr(importlib.import_module(file), name)(quick)
    return found


if __name__ == "__main__":
    typer.run(main)
