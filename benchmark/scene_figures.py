# SPDX-License-Identifier: Apache-2.0
"""What the parts of the scene benchmark hand back: measured numbers beside what was asked for."""

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
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def milliseconds(seconds: float) -> str:
    """A duration as the tables show it."""
    return f"{seconds * 1e3:.3g} ms" if seconds < 1.0 else f"{seconds:.2f} s"


def print_figures(title: str, figures: list[Figure]) -> None:
    """A table in Markdown."""
    print(f"\n{title}\n\n| what | measured | asked |\n|---|---|---|")
    for figure in figures:
        print(f"| {figure.what} | {figure.measured} | {figure.asked} |")
