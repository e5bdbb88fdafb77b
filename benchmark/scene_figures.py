# SPDX-License-Identifier: Apache-2.0
"""The results of the parts of the scene benchmark: measured numbers beside the targets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Attributes:
        what: was measured.
        measured: with its unit.
        asked: what it is to be, with its unit; empty where nothing was asked for.
    """

    what: str
    measured: str
    asked: str = ""


def best_seconds(action: Callable[[], object], repetitions: int = 5) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def milliseconds(seconds: float) -> str:
    """Format a duration for the tables."""
    return f"{seconds * 1e3:.3g} ms" if seconds < 1.0 else f"{seconds:.2f} s"


def print_figures(title: str, figures: list[Figure]) -> None:
    """Print a table in Markdown."""
    print(f"\n{title}\n\n| what | measured | asked |\n|---|---|---|")
    for figure in figures:
        print(f"| {figure.what} | {figure.measured} | {figure.asked} |")
