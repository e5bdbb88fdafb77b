# SPDX-License-Identifier: Apache-2.0
"""Quality and speed of the oracles: ``python -m benchmark.grounding``.

Parts can be run alone: ``python -m benchmark.grounding quality cache --quick``. The rivals stand in
the same run: raw cosine for quality, separate `generate` calls for speed. The last table says of
each goal whether it was reached; exits with 1 when one was missed.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.grounding import (
    cache,
    calibration,
    gpu,
    injections,
    labels,
    quality,
    resources,
    throughput,
)
from benchmark.tables import Part, show_verdicts, write_json


class Name(str, Enum):
    """The parts, in the order of running."""

    THROUGHPUT = "throughput"
    GPU = "gpu"
    CALIBRATION = "calibration"
    CACHE = "cache"
    LABELS = "labels"
    INJECTIONS = "injections"
    QUALITY = "quality"
    RESOURCES = "resources"


PARTS: Mapping[Name, Callable[[Console, bool], Part | None]] = {
    Name.THROUGHPUT: throughput.run,
    Name.GPU: gpu.run,
    Name.CALIBRATION: calibration.run,
    Name.CACHE: cache.run,
    Name.LABELS: labels.run,
    Name.INJECTIONS: injections.run,
    Name.QUALITY: quality.run,
    Name.RESOURCES: resources.run,
}


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="All of them by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write all figures to this file.")] = None,
) -> None:
    """Run the parts, show their tables and one of the goals; exits with 1 when one is missed."""
    console = Console(width=None if os.isatty(1) else 260)
    console.print(
        f"Python {platform.python_version()}, torch {version('torch')}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    found = []
    for name in parts or list(Name):
        console.rule(name.value)
        part = PARTS[name](console, quick)
        found += [part] if part is not None else []
    show_verdicts(found, console)
    console.print(f"load average at the end: {os.getloadavg()[0]:.1f}")
    if json is not None:
        machine = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
        write_json(found, machine, json)
    if any(verdict.met is False for part in found for verdict in part.verdicts):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
