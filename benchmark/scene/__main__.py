# SPDX-License-Identifier: Apache-2.0
"""Speed of reading, completing and following scenes: ``python -m benchmark.scene``.

Parts can be run alone: ``python -m benchmark.scene relations delta --quick``. The part ``node``
measures the real node in a process of its own; ``--minutes 10`` is its long run. The part
``surfaces`` needs Open3D. Writes Markdown tables to standard output.
"""

from __future__ import annotations

import importlib
import os
import platform
from enum import Enum
from typing import Annotated

import numpy as np
import typer

from benchmark.tables import Verdict, print_verdicts


class Part(str, Enum):
    """The parts, in the order of a run; `<part>.py` has the figures of each."""

    LOAD = "load"
    RELATIONS = "relations"
    SURFACES = "surfaces"
    DELTA = "delta"
    NODE = "node"


def main(
    parts: Annotated[list[Part] | None, typer.Argument(help="All of them by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, short runs.")] = False,
    minutes: Annotated[
        float, typer.Option("--minutes", help="Length of each run of the node.", min=0.1)
    ] = 1.0,
) -> None:
    """Run the parts and show their tables."""
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    for part in parts or list(Part):
        print_verdicts(measure_part(part, quick, minutes), part.value)
    print(f"\nload at the end: {os.getloadavg()[0]:.1f}")


def measure_part(part: Part, quick: bool, minutes: float) -> list[Verdict]:
    """Measure one part; only that part is imported, since some need ROS or Open3D."""
    module = importlib.import_module(f"benchmark.scene.{part.value}")
    figures: list[Verdict]
    if part is Part.NODE:
        figures = module.measure(quick, minutes)
    else:
        figures = module.measure(quick)
    return figures


if __name__ == "__main__":
    typer.run(main)
