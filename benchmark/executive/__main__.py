# SPDX-License-Identifier: Apache-2.0
"""What is wanted of the executive: ``python -m benchmark.executive``.

Robots side by side (simulated time), what a change breaks (processor time), and five
processes with one node each: a plan whose rest breaks, and hundreds of goals at once. Start, rest
and memory of the nodes: `benchmark.nodes`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmark.executive import part_dispatch, part_live, part_monitor
from benchmark.tables import Part, finish, open_console, show_part

PARTS = {
    "dispatch": part_dispatch.measure,
    "monitor": part_monitor.measure,
    "live": part_live.measure,
}


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes, less waiting.")] = False,
    part: Annotated[str, typer.Option(help=f"Only this part: {', '.join(PARTS)}.")] = "",
    json: Annotated[Path | None, typer.Option(help="File for the figures.")] = None,
) -> None:
    """Measure, and exit with 1 if a goal is missed."""
    console = open_console()
    if part and part not in PARTS:
        raise typer.BadParameter(f"there is no part {part!r}: {', '.join(PARTS)}")
    found: list[Part] = []
    for name, measure in PARTS.items():
        if part in ("", name):
            console.print(f"{name} ...")
            found.append(measure(quick))
            show_part(found[-1], console)
    finish(found, console, json)


if __name__ == "__main__":
    typer.run(main)
