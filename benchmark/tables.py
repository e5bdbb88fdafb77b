# SPDX-License-Identifier: Apache-2.0
"""What the parts of a benchmark find out, as values, as tables and as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

Figure = float | int | str | None


@dataclass(frozen=True)
class Line:
    """What one planner did with one task.

    Attributes:
        task: which one.
        who: the planner.
        figures: name (with unit) -> value; None where there is none.
    """

    task: str
    who: str
    figures: Mapping[str, Figure]


@dataclass(frozen=True)
class Verdict:
    """One goal of the benchmark.

    Attributes:
        what: what was measured.
        value: what came out.
        goal: what was wanted; "" where nothing was.
        met: whether it was reached; None where there is no goal, or it could not be measured.
    """

    what: str
    value: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Part:
    """What one part of the benchmark found out."""

    name: str
    lines: Sequence[Line]
    verdicts: Sequence[Verdict] = ()
    notes: Sequence[str] = ()


def show_part(part: Part, console: Console) -> None:
    """Print the table of a part; a column without any value is left out."""
    columns = list(
        dict.fromkeys(
            name for line in part.lines for name, value in line.figures.items() if value is not None
        )
    )
    table = Table(title=part.name, title_justify="left")
    table.add_column("task")
    table.add_column("who")
    for name in columns:
        table.add_column(name, justify="right")
    for line in part.lines:
        table.add_row(line.task, line.who, *(shown(line.figures.get(name)) for name in columns))
    console.print(table)
    for note in part.notes:
        console.print(f"  {note}")


def show_verdicts(parts: Iterable[Part], console: Console) -> None:
    """Print one table of all goals, met or not."""
    table = Table(title="Goals", title_justify="left")
    for name in ("part", "what", "measured", "goal", "met"):
        table.add_column(name)
    words = {True: "yes", False: "NO", None: "not measured"}
    for part in parts:
        for verdict in part.verdicts:
            met = words[verdict.met]
            table.add_row(part.name, verdict.what, verdict.value, verdict.goal, met)
    console.print(table)


def print_verdicts(verdicts: Sequence[Verdict], title: str = "") -> None:
    """Print results and goals in Markdown."""
    words = {True: "yes", False: "NO", None: "not judged"}
    print(f"\n{title}".rstrip())
    print("| what | measured | goal | met |\n|---|---|---|---|")
    for one in verdicts:
        met = words[one.met] if one.goal else ""
        print(f"| {one.what} | {one.value} | {one.goal} | {met} |")


def best_seconds(action: Callable[[], object], repetitions: int = 5) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def in_milliseconds(seconds: float) -> str:
    """Write a duration for a table."""
    return f"{seconds * 1e3:.3g} ms" if seconds < 1.0 else f"{seconds:.2f} s"


def write_json(parts: Iterable[Part], machine: Mapping[str, Figure], path: Path) -> None:
    """Everything as JSON."""
    document = {"machine": machine, "parts": [asdict(part) for part in parts]}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def shown(value: Figure) -> str:
    """A figure for a table: three digits that count."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value


def milliseconds(seconds: float | None) -> float | None:
    """Seconds as milliseconds."""
    return None if seconds is None else seconds * 1e3


def limit(what: str, value: float | None, goal: float, unit: str) -> Verdict:
    """A goal that is met by values up to a limit."""
    if value is None:
        return Verdict(what, "no value", f"at most {goal:g} {unit}", None)
    return Verdict(what, f"{shown(float(value))} {unit}", f"at most {goal:g} {unit}", value <= goal)


def share(what: str, marks: Collection[bool], goal: float) -> Verdict:
    """A goal that is met if at least a share of the marks is True."""
    wanted = f"at least {goal:.0%}" if goal < 1.0 else "100%"
    if not marks:
        return Verdict(what, "nothing to count", wanted, None)
    good = sum(marks)
    reached = good / len(marks)
    return Verdict(what, f"{good} of {len(marks)} ({reached:.1%})", wanted, reached >= goal)
