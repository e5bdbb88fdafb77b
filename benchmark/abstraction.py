# SPDX-License-Identifier: Apache-2.0
"""Generalized plans: ``python benchmark/abstraction.py``.

- ``qnp``: QNPs of the structure of the published ones: verdicts, sizes and seconds of the solver.
- ``domains``: the seven published domains: what a policy costs to learn, and what it solves.
- ``more``: fourteen further domains, learned on small problems, tried on ten times larger ones.
- ``speed``: executing a policy on large instances beside planning.
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
from nodes_figures import Judged, print_judged


class Part(str, Enum):
    """A part of the measurements; each is a file `abstraction_*.py` of its own."""

    QNP = "qnp"
    DOMAINS = "domains"
    MORE = "more"
    SPEED = "speed"
    HOUSEHOLD = "household"


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer instances.")] = False,
    only: Annotated[Part | None, typer.Option(help="One part.")] = None,
) -> None:
    """Measure and print the table."""
    rows: list[Judged] = []
    for part in Part:
        if only in (None, part):
            for row in measure_part(part, quick):
                print(f"{row.what}: {row.measured}", flush=True)
                rows.append(row)
    print_judged(rows)
    raise typer.Exit(any(row.is_met is False for row in rows))


def measure_part(part: Part, quick: bool) -> Iterable[Judged]:
    """Measure one part; its file is imported only then."""
    module = importlib.import_module(f"abstraction_{part.value}")
    found: Iterable[Judged] = module.measure(quick)
    return found


if __name__ == "__main__":
    typer.run(main)
