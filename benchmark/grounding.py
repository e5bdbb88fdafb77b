# SPDX-License-Identifier: Apache-2.0
"""Quality and speed of the oracles: ``python benchmark/grounding.py``.

Parts can be run alone: ``python benchmark/grounding.py quality cache --quick``. The rivals stand in
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

import grounding_cache
import grounding_calibration
import grounding_decisions
import grounding_first
import grounding_gpu
import grounding_injections
import grounding_labels
import grounding_quality
import grounding_resources
import grounding_throughput
import typer
from planning_tables import Part, show_verdicts, write_json
from rich.console import Console


class Name(str, Enum):
    """The parts, in the order of running."""

    THROUGHPUT = "throughput"
    GPU = "gpu"
    DECISIONS = "decisions"
    CALIBRATION = "calibration"
    FIRST = "first"
    CACHE = "cache"
    LABELS = "labels"
    INJECTIONS = "injections"
    QUALITY = "quality"
    RESOURCES = "resources"


PARTS: Mapping[Name, Callable[[Console, bool], Part | None]] = {
    Name.THROUGHPUT: grounding_throughput.run,
    Name.GPU: grounding_gpu.run,
    Name.DECISIONS: grounding_decisions.run,
    Name.CALIBRATION: grounding_calibration.run,
    Name.FIRST: grounding_first.run,
    Name.CACHE: grounding_cache.run,
    Name.LABELS: grounding_labels.run,
    Name.INJECTIONS: grounding_injections.run,
    Name.QUALITY: grounding_quality.run,
    Name.RESOURCES: grounding_resources.run,
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
