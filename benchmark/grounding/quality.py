# SPDX-License-Identifier: Apache-2.0
"""How well judges agree with people: ``python -m benchmark.grounding quality``.

All judges stand beside each other: the rows are judges, the columns questions
(`questions.py`), each figure with an interval clustered by the head word of the item. The
last row is the ceiling: how well two authors agree.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from benchmark.grounding.judges import (
    DEFAULT,
    MPNET,
    QWEN,
    Entrant,
    Judge,
    OracleJudge,
    ask_all,
    list_entrants,
    time_judge,
)
from benchmark.grounding.labels import SECOND, group_by_column, measure_authors, read_twice_judged
from benchmark.grounding.questions import (
    EVERYDAY,
    HELD_OUT,
    MIXED_NAME,
    RECIPES,
    RECIPES_2,
    RECIPES_10,
    UNRELATED,
    Column,
    read_columns,
)
from benchmark.intervals import (
    Figure,
    Measure,
    measure_area,
    measure_error,
    measure_moved,
    measure_rank,
    measure_with_interval,
)
from benchmark.tables import Line, Part, Verdict
from fcp_ros.grounding import GroundingError

Figures = Mapping[tuple[str, str], Figure]
"""By column and measure."""

MEASURES: Mapping[str, Measure] = {
    "area": measure_area,
    "error": measure_error,
    "rank": measure_rank,
    "moved": measure_moved,
}


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound for one figure of one judge; errors and movements are wanted low, others high."""

    judge: str
    column: str
    measure: str
    bound: float

    def check(self, figures: Figures | None, sampled: bool = False) -> Verdict:
        """Compare a figure with the bound.

        Arguments:
            figures: None where the judge did not take part.
            sampled: of a few questions: a goal within the interval is neither met nor missed.
        """
        found = (figures or {}).get((self.column, self.measure))
        low = self.measure in ("error", "moved")
        goal = f"{'at most' if low else 'at least'} {self.bound:g}"
        what = f"{self.judge}: {self.column}, {self.measure}"
        if found is None:
            return Verdict(what, "its model or head is not here", goal, None)
        if sampled and found.low < self.bound < found.high:
            return Verdict(what, f"{found}: too few questions", goal, None)
        value = round(found.value, 3)
        return Verdict(what, str(found), goal, value <= self.bound if low else value >= self.bound)


BASELINE: Figures = {
    (HELD_OUT, "error"): Figure(0.258, 0.248, 0.270),
    (HELD_OUT, "rank"): Figure(0.498, 0.443, 0.548),
    (MIXED_NAME, "error"): Figure(0.260, 0.250, 0.273),
    (MIXED_NAME, "rank"): Figure(0.494, 0.434, 0.547),
    ("function", "error"): Figure(0.276, 0.262, 0.288),
    ("function", "rank"): Figure(0.477, 0.420, 0.536),
    ("substitution", "error"): Figure(0.253, 0.240, 0.266),
    ("substitution", "rank"): Figure(0.503, 0.438, 0.567),
    ("stability", "error"): Figure(0.247, 0.206, 0.293),
    ("stability", "rank"): Figure(0.507, 0.282, 0.665),
    ("safety", "error"): Figure(0.230, 0.205, 0.258),
    ("safety", "rank"): Figure(0.608, 0.476, 0.723),
    (EVERYDAY, "error"): Figure(0.214, 0.180, 0.251),
    (EVERYDAY, "rank"): Figure(0.852, 0.775, 0.897),
    (RECIPES_2, "area"): Figure(0.805, 0.777, 0.830),
    (RECIPES_10, "area"): Figure(0.845, 0.798, 0.882),
    (UNRELATED, "area"): Figure(0.953, 0.941, 0.964),
}
"""What the default must not fall below: MiniLM's head of commit f19efac on the same questions."""

GOALS = (
    *(Goal(DEFAULT, *place, figure.value) for place, figure in BASELINE.items()),
    Goal(DEFAULT, RECIPES_10, "area", 0.90),
    Goal(MPNET, MIXED_NAME, "error", 0.215),
    Goal(MPNET, MIXED_NAME, "rank", 0.65),
    Goal(MPNET, RECIPES_2, "area", 0.88),
    Goal(MPNET, RECIPES_10, "area", 0.93),
    Goal(MPNET, EVERYDAY, "error", 0.16),
    Goal(MPNET, EVERYDAY, "rank", 0.88),
    Goal(QWEN, MIXED_NAME, "error", 0.175),
    Goal(QWEN, MIXED_NAME, "rank", 0.77),
    Goal(QWEN, RECIPES_10, "area", 0.94),
    Goal(QWEN, EVERYDAY, "error", 0.14),
    Goal(QWEN, EVERYDAY, "rank", 0.92),
)


def check_quality(rows: Mapping[str, Figures], sampled: bool = False) -> Iterable[Verdict]:
    """Check all goals.

    Arguments:
        rows: the figures of each judge that took part.
        sampled: they were asked a few questions only.
    """
    return check_goals(GOALS, rows, sampled)


def check_goals(
    goals: Iterable[Goal], rows: Mapping[str, Figures], sampled: bool = False
) -> Iterable[Verdict]:
    """Check some goals; arguments like those of `check_quality`."""
    return (goal.check(rows.get(goal.judge), sampled) for goal in goals)


@dataclass(frozen=True, slots=True)
class Row:
    """A judge's part of the table.

    Args:
        name: of the judge.
        figures: those that were measured.
        milliseconds: of processor time for a judgement of new words; None: not measured.
    """

    name: str
    figures: Figures
    milliseconds: float | None = None


def measure_judge(
    entrant: Entrant, judge: Judge, columns: Sequence[Column], most: int | None
) -> Row:
    """Ask a judge and measure its answers."""
    timed = next((column for column in columns if column.name == MIXED_NAME), None)
    milliseconds = None if timed is None else time_judge(judge, timed.questions[::-1])
    taken = [column.take(most) for column in columns]
    answers = ask_all(judge, (q for column in taken for q in (*column.questions, *column.before)))
    figures: dict[tuple[str, str], Figure] = {}
    for column in taken:
        judged = [answers[question.asked] for question in column.questions]
        if column.before:
            before = (answers[question.asked] for question in column.before)
            judged = [degree - plain for degree, plain in zip(judged, before, strict=True)]
        given = [question.degree for question in column.questions]
        clusters = [question.cluster for question in column.questions]
        for name in _list_measures(column):
            found = measure_with_interval(MEASURES[name], judged, given, clusters)
            figures[column.name, name] = found
    return Row(entrant.name, figures, milliseconds)


def _list_measures(column: Column) -> tuple[str, ...]:
    return ("area",) if column.compares else column.measures


def measure_ceiling() -> Row:
    """Let the second author be a judge of the first's degrees."""
    figures = {
        (column, name): figure
        for column, pairs in group_by_column(read_twice_judged()).items()
        for name, figure in measure_authors(pairs).items()
        if name in ("error", "rank")
    }
    return Row("a second author (the ceiling)", figures)


def show_rows(
    rows: Sequence[Row],
    columns: Sequence[Column],
    console: Console,
    title: str = "Quality: error and rank, or area",
) -> None:
    """Print the table: in each cell a line for each figure."""
    table = Table(title=title, title_justify="left", show_lines=True)
    table.add_column("judge, nothing looked up")
    for column in columns:
        high = sum(question.degree > 0.5 for question in column.questions)
        count = len(column.questions)
        size = f"{high} : {count - high}" if column.compares else f"{count}"
        table.add_column(f"{column.name}\n({size})")
    table.add_column("CPU ms\na judgement", justify="right")
    for row in rows:
        cells = ("\n".join(_show_cell(row.figures, column)) for column in columns)
        spent = "" if row.milliseconds is None else f"{row.milliseconds:.0f}"
        table.add_row(row.name, *cells, spent)
    console.print(table)


def _show_cell(figures: Figures, column: Column) -> list[str]:
    places = [(column.name, name) for name in _list_measures(column)]
    return [str(figures[place]) for place in places if place in figures]


def measure_entrants(
    columns: Sequence[Column], quick: bool, console: Console, only: Collection[str] = ()
) -> list[Row]:
    """Ask all judges whose models are here, one after another; the same judge only once.

    Arguments:
        columns: what they are asked.
        quick: samples only.
        console: told who was asked what.
        only: names of the judges; all of them by default.
    """
    rows: dict[str, Row] = {}
    for entrant in list_entrants():
        if only and entrant.name not in only:
            continue
        most = entrant.most_quick if quick else None
        if most == 0:
            console.print(f"{entrant.name}: not in a quick run")
            continue
        start = time.perf_counter()
        try:
            judge = entrant.make()
            identity = judge.identity if isinstance(judge, OracleJudge) else entrant.name
            if identity in rows:
                rows[entrant.name] = replace(rows[identity], name=entrant.name)
                continue
            rows[identity] = measure_judge(entrant, judge, columns, most)
        except GroundingError as error:
            console.print(f"{entrant.name}: skipped, {error}", markup=False)
            continue
        asked = "all questions" if most is None else f"at most {most} questions a column"
        spent = time.perf_counter() - start
        refused = f", {judge.refused} refused" if getattr(judge, "refused", 0) else ""
        console.print(f"{entrant.name}: {asked}, {spent:.0f} s{refused}", markup=False)
    return list(rows.values())


def measure(quick: bool, only: Collection[str] = ()) -> Part:
    """Print the table; quick: samples of the questions; only: these judges."""
    console = Console(width=None if os.isatty(1) else 260)
    columns = read_columns()
    if not RECIPES.is_file():
        console.print(f"no recipes in {RECIPES}: these columns are left out")
    rows = [
        Row("default before (f19efac)", BASELINE),
        *measure_entrants(columns, quick, console, only),
    ]
    if SECOND.is_file():
        rows.append(measure_ceiling())
    show_rows(rows, columns, console)
    figures: Mapping[str, Figures] = {row.name: row.figures for row in rows}
    return Part("quality", list_lines(rows), tuple(check_quality(figures, sampled=quick)))


def list_lines(rows: Sequence[Row]) -> list[Line]:
    """All figures with their bounds, for JSON: a line for each judge and column."""
    lines = []
    for row in rows:
        for column in dict.fromkeys(column for column, _ in row.figures):
            values: dict[str, float | None] = {}
            for (of, name), figure in row.figures.items():
                if of == column:
                    values[name] = figure.value
                    values |= {f"{name}, low": figure.low, f"{name}, high": figure.high}
            lines.append(Line(column, row.name, values | {"CPU ms": row.milliseconds}))
    return lines
