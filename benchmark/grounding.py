# SPDX-License-Identifier: Apache-2.0
"""Quality and speed of the oracles: ``python benchmark/grounding.py``.

Parts can be run alone: ``python benchmark/grounding.py quality cache --quick``. The rivals stand in
the same run: raw cosine for quality, separate `generate` calls for speed.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from enum import Enum
from importlib.metadata import version
from typing import Annotated

import grounding_cache
import grounding_calibration
import grounding_decisions
import grounding_quality
import grounding_throughput
import typer
from rich.console import Console


class Name(str, Enum):
    """The parts, in the order of running."""

    QUALITY = "quality"
    THROUGHPUT = "throughput"
    DECISIONS = "decisions"
    CALIBRATION = "calibration"
    CACHE = "cache"


PARTS: Mapping[Name, Callable[[Console, bool], None]] = {
    Name.QUALITY: grounding_quality.run,
    Name.THROUGHPUT: grounding_throughput.run,
    Name.DECISIONS: grounding_decisions.run,
    Name.CALIBRATION: grounding_calibration.run,
    Name.CACHE: grounding_cache.run,
}


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="All of them by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only.")] = False,
) -> None:
    """Run the parts and show their tables."""
    console = Console(width=None if os.isatty(1) else 160)
    console.print(
        f"Python {platform.python_version()}, torch {version('torch')}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    for name in parts or list(Name):
        console.rule(name.value)
        PARTS[name](console, quick)
    console.print(f"load average at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    typer.run(main)
