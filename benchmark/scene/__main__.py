# SPDX-License-Identifier: Apache-2.0
"""Speed of reading, completing and following scenes: ``python -m benchmark.scene``.

Parts can be run alone: ``python -m benchmark.scene relations delta --quick``. The part ``node``
measures the real node in a process of its own; ``--minutes 10`` is its long run. Exits with 1 when
a goal is missed.
"""

from __future__ import annotations

import importlib
from enum import Enum
from typing import Annotated

import typer

from benchmark.tables import Part, finish, open_console


class Name(str, Enum):
    """The parts, in the order of a run; `<part>.py` has the figures of each."""

    LOAD = "load"
    RELATIONS = "relations"
    DELTA = "delta"
    NODE = "node"


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="All of them by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, short runs.")] = False,
    minutes: Annotated[
        float, typer.Option("--minutes", help="Length of each run of the node.", min=0.1)
    ] = 1.0,
) -> None:
    """Run the parts and show their table."""
    console = open_console()
    found = []
    for name in parts or list(Name):
        console.print(f"{name.value} ...")
        module = importlib.import_module(f"benchmark.scene.{name.value}")  # node needs ROS
        options = (quick, minutes) if name is Name.NODE else (quick,)
        found.append(Part(name.value, (), module.measure(*options)))
    finish(found, console)


if __name__ == "__main__":
    typer.run(main)
