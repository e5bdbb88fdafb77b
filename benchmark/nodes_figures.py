# SPDX-License-Identifier: Apache-2.0
"""The table at the end of the benchmark of the nodes: what, measured, goal, met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Judged:
    """One measured number beside its goal.

    Attributes:
        what: was measured.
        measured: with its unit.
        goal: with its unit; "" where nothing was asked for.
        is_met: None where there is no goal, or where it can't be judged here (a loaded machine).
    """

    what: str
    measured: str
    goal: str = ""
    is_met: bool | None = None

    @property
    def verdict(self) -> str:
        """The last column."""
        if self.is_met is None:
            return "not judged" if self.goal else ""
        return "yes" if self.is_met else "NO"


def print_judged(rows: Sequence[Judged]) -> None:
    """Print the table in Markdown."""
    print("\n| what | measured | goal | met |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.measured} | {row.goal} | {row.verdict} |")
