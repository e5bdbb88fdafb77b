# SPDX-License-Identifier: Apache-2.0
"""What is wanted of the judges, and whether it is reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmark.grounding.judges import DEFAULT, MPNET, QWEN
from benchmark.grounding.questions import (
    EVERYDAY,
    HELD_OUT,
    MIXED_NAME,
    RECIPES_2,
    RECIPES_10,
    UNRELATED,
)
from benchmark.intervals import Figure
from benchmark.tables import Verdict

Figures = Mapping[tuple[str, str], Figure]
"""By column and measure."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound for one figure of one judge; errors are wanted low, all others high."""

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
        low = self.measure == "error"
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
    return (goal.check(rows.get(goal.judge), sampled) for goal in GOALS)
