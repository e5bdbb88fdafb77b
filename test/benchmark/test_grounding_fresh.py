# SPDX-License-Identifier: Apache-2.0
"""The fresh pairs: they are what their datasheet says, and a judge is measured by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from benchmark.grounding import fresh, quality
from benchmark.grounding.fresh_pairs import (
    CAPTIONS,
    CAPTIONS_EITHER,
    CAPTIONS_LOWER,
    CONTEXT,
    CONTEXT_CHANGE,
    CONTEXT_HELD_OUT,
    CONTEXT_KEPT,
    CONTEXT_TRAINING,
    FIRST_PASS,
    FRESH,
    SECOND_PASS,
    UNLISTED,
    UNUSUAL,
    About,
    ContextGroup,
    read_captions,
    read_context,
    read_fresh_columns,
)
from benchmark.grounding.judges import Entrant
from benchmark.grounding.labels import measure_authors, read_twice_judged
from benchmark.grounding.quality import measure_judge
from benchmark.grounding.questions import JUDGEMENTS, Column, Question
from benchmark.intervals import measure_moved
from fcp_ros.grounding.judgement_set import (
    JudgementSet,
    find_head_word,
    is_held_out,
    read_judgements,
)

HALVES = {CONTEXT_TRAINING: (64, 8, 48), CONTEXT_HELD_OUT: (71, 10, 39)}
"""How many variants lower the degree, raise it and leave it."""


@pytest.fixture(scope="module")
def judged() -> dict[str, JudgementSet]:
    return read_judgements([JUDGEMENTS])


@pytest.fixture(scope="module")
def columns() -> dict[str, Column]:
    return {column.name: column for column in read_fresh_columns()}


@pytest.fixture(params=HALVES, ids=("training", "held out"))
def half(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def list_rows(groups: Sequence[ContextGroup]) -> list[Question]:
    return [question for group in groups for question in (group.plain, *group.variants)]


def test_a_half_has_30_groups_of_a_thing_and_four_variants(half: Path) -> None:
    groups = read_context(half)
    assert [len(group.variants) for group in groups] == [4] * 30
    assert len({(group.plain.kind, group.plain.other) for group in groups}) == 30
    for question in list_rows(groups):
        assert find_head_word(question.thing) in question.item, question
    changes = [change.degree for group in groups for change in group.changes]
    lower, raised = (sum(sign * change > 0.051 for change in changes) for sign in (-1, 1))
    assert (lower, raised, 120 - lower - raised) == HALVES[half]


def test_a_half_is_a_folder_that_training_reads(half: Path) -> None:
    """So degrees are in [0, 1], and no pair stands there twice."""
    read = {
        (name, *judgement.pair, judgement.degree)
        for name, kind in read_judgements([JUDGEMENTS, half]).items()
        for judgement in kind.judgements
    }
    rows = list_rows(read_context(half))
    assert {(*row.asked, row.degree) for row in rows} <= read
    assert all(abs(20 * row.degree - round(20 * row.degree)) < 1e-9 for row in rows)


def test_no_thing_is_in_both_halves_and_the_split_is_that_of_the_judgements() -> None:
    training, held_out = (list_rows(read_context(folder)) for folder in HALVES)
    assert not {row.cluster for row in training} & {row.cluster for row in held_out}
    assert not {row.asked for row in training} & {row.asked for row in held_out}
    assert all(is_held_out(row.thing) for row in held_out)
    assert not any(is_held_out(text) for row in training for text in (row.thing, row.item))


def test_unusual_uses_are_of_no_judged_purpose(
    columns: dict[str, Column], judged: dict[str, JudgementSet]
) -> None:
    questions = columns[UNUSUAL].questions
    assert len(questions) == 60
    purposes = {judgement.other for judgement in judged["function"].judgements}
    assert not {question.other for question in questions} & purposes


def test_safety_is_of_things_that_nobody_judged(
    columns: dict[str, Column], judged: dict[str, JudgementSet]
) -> None:
    questions = columns[UNLISTED].questions
    assert Counter(question.kind for question in questions) == {"safety": 38, "stability": 22}
    words = set(chain.from_iterable(j.pair for kind in judged.values() for j in kind.judgements))
    assert not {question.item for question in questions} & words
    assert 0.4 < np.mean([question.degree > 0.5 for question in questions]) < 0.6


def test_captions_are_20_forms_of_30_things() -> None:
    captions = read_captions()
    assert Counter(caption.about for caption in captions) == {
        About.THING: 12 * 30,
        About.NEIGHBOUR: 5 * 30,
        About.LOWER: 2 * 30,
        About.EITHER: 30,
    }
    assert len({caption.change.asked for caption in captions}) == 600
    found = {caption.change.item: caption for caption in captions}
    for item, plain, change in (
        ("a mug next to a rock", "mug", 0.0),
        ("a rock ideal for drinking coffee", "rock", 0.0),
        ("not a mug", "mug", -1.0),
    ):
        assert found[item].before.item == plain
        assert found[item].change.degree == change
        assert found[item].change.cluster == "mug"
    assert not any("{" in item for item in found)


def test_columns_have_what_belongs_to_them(columns: dict[str, Column]) -> None:
    sizes = {name: len(column.questions) for name, column in columns.items()}
    assert sizes == {
        CONTEXT: 150,
        CONTEXT_CHANGE: 120,
        CONTEXT_KEPT: 39,
        UNUSUAL: 60,
        UNLISTED: 60,
        CAPTIONS: 510,
        CAPTIONS_LOWER: 60,
        CAPTIONS_EITHER: 30,
    }
    few = columns[CONTEXT_CHANGE].take(7)
    assert few.before == columns[CONTEXT_CHANGE].before[:7]
    assert all(a.thing == b.item for a, b in zip(few.questions, few.before, strict=True))


class Rule:
    """A judge that follows a rule, and counts what it is asked."""

    def __init__(self, rule: Callable[[str, str], float]) -> None:
        self.rule = rule
        self.asked = 0

    def judge(self, kind: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += len(pairs)
        return [self.rule(*pair) for pair in pairs]


def measure_rule(
    rule: Callable[[str, str], float], columns: dict[str, Column], *names: str
) -> quality.Row:
    judge = Rule(rule)
    asked = [columns[name] for name in names or columns]
    return measure_judge(Entrant("rule", lambda: judge), judge, asked, None)


def test_who_knows_the_degrees_has_no_error(columns: dict[str, Column]) -> None:
    known = {
        (q.item, q.other): q.degree
        for name in (CONTEXT, UNUSUAL, UNLISTED)
        for q in columns[name].questions
    }
    for caption in read_captions():
        after = caption.before.degree + caption.change.degree
        known[caption.change.item, caption.change.other] = after
        known[caption.before.item, caption.before.other] = caption.before.degree
    row = measure_rule(lambda *pair: known[pair], columns)
    assert row.milliseconds is None
    for name, measures in ((name, column.measures) for name, column in columns.items()):
        for measure in measures:
            wanted = 1.0 if measure == "rank" else 0.0
            assert row.figures[name, measure].value == pytest.approx(wanted, abs=1e-3), name


def test_who_only_looks_at_the_length_moves_all(columns: dict[str, Column]) -> None:
    """A judge of words: what it says of a plain thing and of a caption has nothing in common."""
    names = (CAPTIONS, CAPTIONS_LOWER, CONTEXT_CHANGE, CONTEXT_KEPT)
    row = measure_rule(lambda item, _: min(len(item) / 50.0, 1.0), columns, *names)
    assert 0.1 < row.figures[CAPTIONS, "moved"].value < 1.0
    assert row.figures[CONTEXT_CHANGE, "error"].value > 0.3
    still = measure_rule(lambda item, _: 0.5, columns, *names)
    assert still.figures[CAPTIONS, "moved"].value == 0.0
    assert still.figures[CONTEXT_KEPT, "moved"].value == 0.0
    assert still.figures[CONTEXT_CHANGE, "rank"].value == 0.0
    assert still.figures[CAPTIONS_LOWER, "error"].value > 0.9


def test_a_tenth_has_not_moved() -> None:
    assert measure_moved(np.array([0.1, -0.1, 0.11, 0.3]), np.array([0.0, 0.0, 0.0, 0.3])) == 0.25


def test_the_part_shows_a_judge_its_goals_and_the_author_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judges = {name: Rule(lambda item, _: len(item) % 7 / 7.0) for name in ("default", "other")}
    entrants = [Entrant(name, lambda j=judge: j) for name, judge in judges.items()]
    monkeypatch.setattr(quality, "list_entrants", lambda: entrants)
    part = fresh.measure(False, ["default"])
    assert judges["default"].asked > 800
    assert judges["other"].asked == 0
    assert {line.who for line in part.lines} == {"default", "the same author again (a sample)"}
    assert len(part.verdicts) == len(fresh.GOALS)
    assert all(verdict.met is False for verdict in part.verdicts)
    shown = capsys.readouterr().out
    assert UNUSUAL in shown
    (captions,) = (line for line in part.lines if line.task == CAPTIONS)
    assert captions.who == "default"
    assert f"{captions.figures['moved']:.3f} [" in shown


def test_the_second_pass_agrees_as_the_datasheet_says() -> None:
    pairs = read_twice_judged(SECOND_PASS, FIRST_PASS)
    assert len({pair.question.asked for pair in pairs}) == 60
    figures = measure_authors(pairs)
    text = (FRESH / "README.md").read_text(encoding="utf-8")
    assert f"difference {figures['error']}" in text
    assert f"correlation {figures['rank'].value:.3f}" in text
    gaps = [abs(pair.second - pair.question.degree) for pair in pairs]
    assert f"{sum(gap < 1e-9 for gap in gaps)} of 60 the same" in text
    assert sum(gap > 0.051 for gap in gaps) == 1


def test_the_datasheet_counts_the_changes() -> None:
    text = (FRESH / "README.md").read_text(encoding="utf-8")
    lower, raised, kept = HALVES[CONTEXT_HELD_OUT]
    assert f"{lower} variants lower the degree, {raised} raise it, {kept} leave it" in text
