# SPDX-License-Identifier: Apache-2.0
"""Quality of the oracles, and of calibration: ``python -m benchmark.grounding``.

Parts can be run alone, and with one judge: ``python -m benchmark.grounding fresh --judge default``.
The rival stands in the same run: raw cosine. The last table says of each goal whether it was
reached; exits with 1 when one was missed.
"""

from __future__ import annotations

import importlib
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmark.tables import finish, open_console


class Name(str, Enum):
    """The parts, in the order of running; `<part>.py` has the figures of each."""

    QUALITY = "quality"
    FRESH = "fresh"
    OUTCOMES = "outcomes"


def main(
    parts: Annotated[list[Name] | None, typer.Argument(help="All of them by default.")] = None,
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", help="Only this one: default, 'head, minilm', ...; repeatable."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write all figures to this file.")] = None,
) -> None:
    """Run the parts, show their tables and one of the goals; exits with 1 when one is missed."""
    console = open_console()
    found = []
    for name in parts or list(Name):
        part = importlib.import_module(f"benchmark.grounding.{name.value}")
        found.append(part.measure(quick, judges or ()))
    finish(found, console, json)


if __name__ == "__main__":
    typer.run(main)
