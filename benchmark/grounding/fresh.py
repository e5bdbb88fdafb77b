# SPDX-License-Identifier: Apache-2.0
"""How well judges do where nobody trained them: ``python -m benchmark.grounding fresh``.

The table of `quality.py`, with the columns of `fresh_pairs.py`. In a column of changes the judge's
change (of "mug with a hole" against "mug") stands for its degree; *moved* is the share of changes
that are more than 0.1 from the wanted one. The last row is the author of the pairs, asked again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rich.console import Console

from benchmark.grounding.fresh_pairs import (
    CAPTIONS,
    CONTEXT,
    FIRST_PASS,
    SECOND_PASS,
    UNLISTED,
    UNUSUAL,
    read_fresh_columns,
)
from benchmark.grounding.judges import DEFAULT
from benchmark.grounding.labels import measure_authors, read_twice_judged
from benchmark.grounding.quality import (
    Figures,
    Goal,
    Row,
    check_goals,
    list_lines,
    measure_entrants,
    show_rows,
)
from benchmark.grounding.questions import Column
from benchmark.tables import Part

GOALS = (
    Goal(DEFAULT, CONTEXT, "error", 0.20),
    Goal(DEFAULT, CONTEXT, "rank", 0.60),
    Goal(DEFAULT, UNUSUAL, "error", 0.21),
    Goal(DEFAULT, UNUSUAL, "rank", 0.72),
    Goal(DEFAULT, UNLISTED, "error", 0.15),
    Goal(DEFAULT, CAPTIONS, "moved", 0.05),
)
"""Issue #34."""
TITLE = "Fresh pairs: error and rank; of changes also the share that moved"


def measure(quick: bool, only: Sequence[str] = ()) -> Part:
    """Print the table; quick: samples of the questions; only: these judges."""
    console = Console(width=None if os.isatty(1) else 260)
    columns = read_fresh_columns()
    rows = [*measure_entrants(columns, quick, console, only), measure_again(columns)]
    show_rows(rows, columns, console, TITLE)
    figures: Mapping[str, Figures] = {row.name: row.figures for row in rows}
    return Part("fresh", list_lines(rows), tuple(check_goals(GOALS, figures, sampled=quick)))


def measure_again(columns: Sequence[Column]) -> Row:
    """Let the author's second pass be a judge of the first."""
    pairs = read_twice_judged(SECOND_PASS, FIRST_PASS)
    figures = {}
    for column in columns:
        asked = {question.asked for question in column.questions}
        mine = [pair for pair in pairs if pair.question.asked in asked]
        if mine and not column.before:
            figures |= {
                (column.name, name): figure
                for name, figure in measure_authors(mine).items()
                if name in column.measures
            }
    return Row("the same author again (a sample)", figures)
