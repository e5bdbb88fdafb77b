# SPDX-License-Identifier: Apache-2.0
"""Questions whose answer is known: what is asked, and what the model is shown meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from fcp_ros.domain.model import Domain, Parameter
from fcp_ros.grounding.judged.judgement_set import Judgement, JudgementSet, is_held_out
from fcp_ros.grounding.language_model.prompt import write_prompt
from fcp_ros.grounding.levels.known_questions import (
    FOLDS,
    arrange_sides,
    choose_examples,
    choose_judgements,
)

THINGS = [f"{kind} {noun}" for noun in ("mug", "pan", "lamp", "chair", "sock", "book", "hose")
          for kind in ("red", "old", "paper", "steel")]  # fmt: skip
JUDGED = JudgementSet(
    "function",
    ("item", "purpose"),
    tuple(Judgement(thing, "drinking", 0.25) for thing in sorted(THINGS)),
)


def test_no_example_is_asked_while_it_is_shown(household: Domain) -> None:
    predicate = household.graded["serves_as"]
    asked = []
    for variant, questions in choose_examples(predicate):
        shown = [example for anchor in variant.rubric.anchors for example in anchor.examples]  # type: ignore[union-attr]
        assert shown, "the other half is"
        for known in questions:
            words = tuple(argument.words for argument in known.request.arguments)
            assert words not in shown
            assert ", ".join(words) not in write_prompt(variant, known.request)
            asked.append((words, known.degree))
    assert predicate.rubric is not None
    examples = [(e, a.score / 100) for a in predicate.rubric.anchors for e in a.examples]
    assert sorted(asked) == sorted(examples)


def test_a_predicate_without_a_rubric_has_no_examples(make_predicate: Any) -> None:
    assert choose_examples(make_predicate(rubric=None)) == []


def test_judgements_are_of_the_training_part_and_the_choice_grows(make_predicate: Any) -> None:
    predicate = make_predicate()
    few, many = (choose_judgements(predicate, JUDGED, count) for count in (5, 12))
    assert few == many[:5]
    assert len(many) == 12
    for known in many:
        item, purpose = known.request.arguments
        assert not is_held_out(item.words)
        assert (item.is_text, purpose.is_text) == (False, True)
        assert (item.parameter, purpose.words, known.degree) == ("item", "drinking", 0.25)
        assert 0 <= known.fold < FOLDS
    by_noun: dict[str, set[int]] = {}
    for known in many:
        by_noun.setdefault(known.request.arguments[0].words.split()[-1], set()).add(known.fold)
    assert all(len(folds) == 1 for folds in by_noun.values()), "a kind of thing is in one fold"


@pytest.mark.parametrize(
    ("parameters", "order"),
    [
        ((Parameter("item", "item"), Parameter("purpose", "text")), (0, 1)),
        ((Parameter("purpose", "text"), Parameter("item", "item")), (1, 0)),
        ((Parameter("aim", "text"), Parameter("thing", "item")), (1, 0)),
        ((Parameter("thing", "item"), Parameter("other", "item")), (0, 1)),
        ((Parameter("item", "item"),), None),
    ],
)
def test_the_side_of_each_parameter(parameters: Any, order: Any, make_predicate: Any) -> None:
    predicate = make_predicate(parameters=parameters)
    assert arrange_sides(predicate, JUDGED.columns) == order
    questions = choose_judgements(predicate, JUDGED, 3)
    assert len(questions) == (3 if order else 0)
    for known in questions:
        assert [a.parameter for a in known.request.arguments] == [p.name for p in parameters]
        assert known.request.arguments[order.index(1)].words == "drinking"
