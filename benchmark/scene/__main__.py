# SPDX-License-Identifier: Apache-2.0
"""Speed of reading, completing and following scenes: ``python -m benchmark.scene``.

Parts can be run alone: ``python -m benchmark.scene relations delta --quick``. Exits with 1 when a
goal is missed.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from benchmark.scene import delta, load, relations
from benchmark.tables import Part, finish, open_console


class Name(str, Enum):
    """The parts, in the order of a run; `<part>.py` has the figures of each."""

    LOAD = "load"
    RELATIONS = "relations"
    DELTA = "delta"


MEASURES = {
    Name.LOAD: load.measure,
    Name.RELATIONS: relations.measure,
    Name.DELTA: delta.measure,
}


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="All of them by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, short runs.")] = False,
) -> None:
    """Run the parts and show their table."""
    console = open_console()
    found = []
    for name in parts or list(Name):
        console.print(f"{name.value} ...")
        found.append(Part(name.value, (), MEASURES[name](quick)))
    finish(found, console)


if __name__ == "__main__":
    typer.run(main)
