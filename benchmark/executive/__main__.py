# SPDX-License-Identifier: Apache-2.0
"""What issue 31 wants of the executive: ``python -m benchmark.executive``.

Robots side by side (simulated time), what a change breaks (processor time), and five processes with
one node each: their start, a plan that breaks, hundreds of goals at once, rest and memory. Times on
the wall count only if nothing else computes; where it does, the figure is shown and not judged.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

import fcp_ros
from benchmark.executive import part_dispatch, part_live, part_monitor
from benchmark.tables import Part, finish, open_console, show_part


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes, less waiting.")] = False,
    part: Annotated[str, typer.Option(help="Only this part: dispatch, monitor or live.")] = "",
    json: Annotated[Path | None, typer.Option(help="File for the figures.")] = None,
) -> None:
    """Measure, and exit with 1 if a goal is missed."""
    console = open_console()
    parts = {
        "dispatch": lambda: part_dispatch.measure(quick),
        "monitor": lambda: part_monitor.measure(quick),
        "live": lambda: _measure_live(quick),
    }
    if part and part not in parts:
        raise typer.BadParameter(f"there is no part {part!r}: {', '.join(parts)}")
    found: list[Part] = []
    for name, measure in parts.items():
        if part in ("", name):
            console.print(f"{name} ...")
            found.append(measure())
            show_part(found[-1], console)
    finish(found, console, json)


def _measure_live(quick: bool) -> Part:
    # Bytecode and kernels are compiled before, as an installation does.
    for folder in fcp_ros.__path__:
        compileall.compile_dir(folder, quiet=2)
    subprocess.run([sys.executable, "-m", "fcp_ros.planning.warm_up"], check=True)
    return part_live.measure(quick, 1 + os.getpid() % 90)


if __name__ == "__main__":
    typer.run(main)
