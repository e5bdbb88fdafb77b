# SPDX-License-Identifier: Apache-2.0
"""The fresh pairs: they are what their datasheet says, and a judge is measured by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from benchmark.grounding import quality
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
from benchmark.grounding.questions import Column, Question
from fcp_ros.grounding.judgement_set import (
    is_held_out,
)

HALVES = (CONTEXT_TRAINING, CONTEXT_HELD_OUT)


@pytest.fixture(scope="module")
def columns() -> dict[str, Column]:
    return {column.name: column for column in read_fresh_columns()}


def list_rows(groups: Sequence[ContextGroup]) -> list[Question]:
    return [question for group in groups for question in (group.plain, *group.variants)]


def test_no_thing_is_in_both_halves_and_the_split_is_that_of_the_judgements() -> None:
    training, held_out = (list_rows(read_context(folder)) for folder in HALVES)
    assert not {row.cluster for row in training} & {row.cluster for row in held_out}
    assert not {row.asked for row in training} & {row.asked for row in held_out}
    assert all(is_held_out(row.thing) for row in held_out)
    assert not any(is_held_out(text) for row in training for text in (row.thing, row.item))


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
    for name in (CAPTIONS, CAPTIONS_LOWER, CAPTIONS_EITHER):
        for change, plain in zip(columns[name].questions, columns[name].before, strict=True):
            known[change.item, change.other] = plain.degree + change.degree
            known[plain.item, plain.other] = plain.degree
    row = measure_rule(lambda *pair: known[pair], columns)
    assert row.milliseconds is None
    for name, measures in ((name, column.measures) for name, column in columns.items()):
        for measure in measures:
            wanted = 1.0 if measure == "rank" else 0.0
            assert row.figures[name, measure].value == pytest.approx(wanted, abs=1e-3), name


def test_who_only_looks_at_the_length_moves_all(columns: dict[str, Column]) -> None:
    """It judges words: those of another state move it, those of a caption don't come to it."""
    names = (CAPTIONS, CAPTIONS_LOWER, CONTEXT_CHANGE, CONTEXT_KEPT)
    row = measure_rule(lambda item, _: min(len(item) / 50.0, 1.0), columns, *names)
    assert row.figures[CAPTIONS, "moved"].value < 0.05
    assert row.figures[CAPTIONS_LOWER, "error"].value > 0.9
    assert row.figures[CONTEXT_CHANGE, "error"].value > 0.3
    still = measure_rule(lambda item, _: 0.5, columns, *names)
    assert still.figures[CAPTIONS, "moved"].value == 0.0
    assert still.figures[CONTEXT_KEPT, "moved"].value == 0.0
    assert still.figures[CONTEXT_CHANGE, "rank"].value == 0.0
    assert still.figures[CAPTIONS_LOWER, "error"].value > 0.9


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
