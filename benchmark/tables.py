# SPDX-License-Identifier: Apache-2.0
"""What the parts of a benchmark find out, as values, as tables and as JSON."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import typer
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
            met = words[verdict.met] if verdict.goal else ""
            table.add_row(part.name, verdict.what, verdict.value, verdict.goal, met)
    console.print(table)


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


def describe_machine() -> dict[str, Figure]:
    """What the figures depend on."""
    return {
        "Python": platform.python_version(),
        "numpy": version("numpy"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def open_console() -> Console:
    """A console that is wide enough for the tables where it is no terminal; says the machine."""
    console = Console(width=None if os.isatty(1) else 200)
    console.print(", ".join(f"{name} {value}" for name, value in describe_machine().items()))
    return console


def finish(
    parts: Sequence[Part], console: Console, path: Path | None = None, **more: object
) -> None:
    """Show all goals, write the figures, and end the program.

    Args:
        parts: all that were run.
        console: for the table of goals.
        path: for the figures as JSON, with `more` beside them.

    Raises:
        typer.Exit: code 1 if a goal is missed, else 0.
    """
    show_verdicts(parts, console)
    console.print(f"load average at the end: {os.getloadavg()[0]:.1f}")
    if path is not None:
        write_json(parts, describe_machine(), path, **more)
    raise typer.Exit(any(one.met is False for part in parts for one in part.verdicts))


def write_json(
    parts: Iterable[Part], machine: Mapping[str, Figure], path: Path, **more: object
) -> None:
    """Everything as JSON."""
    document = {"machine": machine, **more, "parts": [asdict(part) for part in parts]}
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
