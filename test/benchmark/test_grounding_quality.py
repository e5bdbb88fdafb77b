# SPDX-License-Identifier: Apache-2.0
"""The table of judges: its measures, its intervals, what is asked, and what goals make of it."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer import Typer
from typer.testing import CliRunner

from benchmark.grounding import __main__ as grounding
from benchmark.grounding import quality
from benchmark.grounding.judges import (
    Entrant,
)
from benchmark.grounding.quality import (
    GOALS,
    Goal,
    check_quality,
    list_lines,
    measure_judge,
    show_rows,
)
from benchmark.grounding.questions import (
    EVERYDAY,
    HELD_OUT,
    MIXED_NAME,
    Column,
    Question,
    read_columns,
)
from benchmark.intervals import (
    Figure,
    measure_area,
    measure_error,
    measure_rank,
    measure_with_interval,
)
from benchmark.tables import Part, Verdict
from fcp_ros.grounding.judgement_set import HIGH, LOW, is_held_out, measure_agreement

GENERATOR = np.random.default_rng(3)
GIVEN = GENERATOR.integers(0, 21, 400) / 20.0
JUDGED = np.clip(GIVEN + GENERATOR.normal(0.0, 0.3, 400), 0.0, 1.0).round(2)
"""With ties on both sides."""


def test_measures_are_those_of_training() -> None:
    known = measure_agreement(JUDGED.tolist(), GIVEN.tolist())
    assert measure_error(JUDGED, GIVEN) == pytest.approx(known.mean_error)
    assert measure_rank(JUDGED, GIVEN) == pytest.approx(known.rank)
    clear = (GIVEN >= HIGH) | (GIVEN <= LOW)
    assert measure_area(JUDGED[clear], (GIVEN[clear] >= HIGH) * 1.0) == pytest.approx(known.area)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Errors of a cluster are alike, so 40 clusters of ten say little more than 40 judgements."""
    clusters = [str(i // 10) for i in range(400)]
    inside, wide = 0, []
    for seed in range(60):
        noise = np.random.default_rng(seed).exponential(0.2, 40).repeat(10)
        clustered = measure_with_interval(measure_error, noise, np.zeros(400), clusters)
        inside += clustered.low <= 0.2 <= clustered.high
        if seed < 5:
            alone = list(map(str, range(400)))
            single = measure_with_interval(measure_error, noise, np.zeros(400), alone)
            wide.append((clustered.high - clustered.low) / (single.high - single.low))
    assert 50 <= inside <= 60
    assert np.mean(wide) > 2.5


@pytest.fixture(scope="module")
def columns() -> dict[str, Column]:
    return {column.name: column for column in read_columns()}


def test_held_out_means_held_out(columns) -> None:
    assert all(is_held_out(question.item) for question in columns[HELD_OUT].questions)
    assert len(columns[HELD_OUT].questions) > 5000
    sets = [columns[name].questions for name in ("function", "substitution")]
    assert {*sets[0], *sets[1]} == set(columns[MIXED_NAME].questions)


def test_recipes_that_were_judged_or_are_known_are_not_compared(tmp_path, columns) -> None:
    judged = columns["substitution"].questions[0]
    file = tmp_path / "recipes.csv"
    words = [f"thing {number}" for number in range(60)]
    lines = [f"{words[i]},{words[i + 1]},{2 + 8 * (i % 2)}" for i in range(59)]
    lines.append(f"{judged.other},{judged.item},12")
    file.write_text("\n".join(["ingredient,substitute,count", *lines]), encoding="utf-8")
    found = {column.name: column for column in read_columns(file)}
    often = found["recipes 10+"].questions
    true = [(q.other, q.item) for q in often if q.degree == 1.0]
    assert sorted(true) == sorted((words[i], words[i + 1]) for i in range(1, 59, 2))
    neighbours = {frozenset((words[i], words[i + 1])) for i in range(59)}
    assert not neighbours & {frozenset((q.item, q.other)) for q in often if q.degree == 0.0}
    assert sum(q.degree for q in found["recipes 2+"].questions) == 59
    assert not {column.name for column in read_columns(tmp_path / "none")} & {"recipes 2+"}


class Knowing:
    """A judge that was told some answers."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.answers = {question.asked: question.degree for question in questions}
        self.asked: list[tuple[str, str, str]] = []

    def judge(self, kind: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += [(kind, *pair) for pair in pairs]
        return [self.answers.get((kind, *pair), 0.5) for pair in pairs]


def test_the_table_has_who_knows_all_and_who_knows_nothing(columns) -> None:
    some = [columns[name] for name in (EVERYDAY, MIXED_NAME, "function", "unrelated")]
    # The last to tell the degree of a pair is right: a comparison only says 1 or 0.
    everything = [question for column in reversed(some) for question in column.questions]
    rows = [
        measure_judge(Entrant(name, lambda: Knowing(())), Knowing(known), some, 80)
        for name, known in (("all", everything), ("nothing", ()))
    ]
    best, worst = (row.figures for row in rows)
    assert best[EVERYDAY, "error"] == Figure(0.0, 0.0, 0.0)
    assert best[EVERYDAY, "rank"].low > 0.999
    assert best["unrelated", "area"].value == 1.0
    assert worst[EVERYDAY, "rank"] == Figure(0.0, 0.0, 0.0)
    assert worst["unrelated", "area"].value == 0.5
    assert worst["function", "error"].low < worst["function", "error"].value > 0.2
    lines = {(line.who, line.task): line.figures for line in list_lines(rows)}
    assert lines["all", "unrelated"]["area, low"] == 1.0
    assert lines["nothing", EVERYDAY]["error"] == worst[EVERYDAY, "error"].value
    out = io.StringIO()
    show_rows(rows, some, Console(file=out, width=260))
    assert "996 : 996" in out.getvalue()
    assert "0.000 [.000, .000]" in out.getvalue()


def test_goals_are_met_missed_or_not_measured() -> None:
    goal = Goal("one", EVERYDAY, "error", 0.16)
    met, missed, absent = (
        goal.check(figures)
        for figures in (
            {(EVERYDAY, "error"): Figure(0.1604, 0.1, 0.2)},
            {(EVERYDAY, "error"): Figure(0.161, 0.1, 0.2)},
            None,
        )
    )
    assert (met.met, missed.met, absent.met) == (True, False, None)
    assert Goal("one", EVERYDAY, "rank", 0.9).check({(EVERYDAY, "rank"): Figure(0.9, 0, 1)}).met
    few = {(EVERYDAY, "error"): Figure(0.17, 0.1, 0.2)}
    assert goal.check(few, sampled=True).met is None
    assert not goal.check({(EVERYDAY, "error"): Figure(0.2, 0.19, 0.22)}, sampled=True).met
    assert all(verdict.met is None for verdict in check_quality({}))
    places = {(goal.column, goal.measure) for goal in GOALS}
    assert places <= {
        *(
            (column, measure)
            for column in (*read_names(), EVERYDAY)
            for measure in ("error", "rank")
        ),
        *((column, "area") for column in ("recipes 2+", "recipes 10+", "unrelated")),
    }


# --- The benchmark of grounding as a command: its parts run, and missed goals are told


def read_names() -> list[str]:
    return [column.name for column in read_columns() if not column.compares]


@pytest.mark.parametrize(("met", "code"), [(True, 0), (None, 0), (False, 1)])
def test_it_fails_when_a_goal_is_missed(
    met: bool | None, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = Part("quality", (), (Verdict("a judgement", "2 us", "at most 1 us", met),))
    monkeypatch.setattr(quality, "measure", lambda _quick, _judges: found)
    app = Typer()
    app.command()(grounding.main)
    words = ["quality", "--quick", "--json", str(tmp_path / "figures.json")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code
    assert "at most 1 us" in result.output
    (part,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["parts"]
    assert part["verdicts"][0]["met"] is met
