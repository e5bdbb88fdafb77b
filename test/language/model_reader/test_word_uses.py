# SPDX-License-Identifier: Apache-2.0
"""The use of words: every word is accounted for, and what the goal lacks is unread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.language.model_reader.word_uses import align_words
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import WordRole, WordUse


def align(context: ReadingContext, sentence: str, goal: str) -> tuple[WordUse, ...]:
    checked = check_goal(parse_expression(goal), context.domain, context.instance)
    full = replace(context, speaker="person_1", robot="robot_1")
    return align_words(sentence, checked, full)


def list_unread(sentence: str, uses: tuple[WordUse, ...]) -> list[str]:
    return [sentence[w.start : w.end] for w in uses if w.role is WordRole.UNREAD]


@pytest.mark.parametrize(
    ("sentence", "goal", "unread"),
    [
        ("Put the mug on the table", "on(mug_1, table_1)", []),
        ("Put the red mug on the table", "on(mug_1, table_1)", ["red"]),
        ("Put all mugs on the table", "forall ?x: mug (on(?x, table_1))", []),
        ("Put all mugs on the table", "on(mug_1, table_1)", ["all"]),
        ("Put two mugs on the table", "at least 2 ?x: mug (on(?x, table_1))", []),
        ("Please close the fridge", "closed(fridge_1)", []),
        ("Open the fridge and paint the table", "not closed(fridge_1)", ["paint", "table"]),
        ("Don't put the mug on the table", "on(mug_1, table_1)", ["Don't"]),
        ("Don't put the mug on the table", "not on(mug_1, table_1)", []),
        (
            "Put something for drinking on the table",
            'exists ?x: item (on(?x, table_1) and serves_as(?x, "drinking"))',
            ["something"],
        ),
        ("Never close the fridge", "never closed(fridge_1)", []),
        ("Clear everything off the table", "not exists ?x: item (on(?x, table_1))", []),
        ("Bring me the mug", "holding(robot_1, mug_1) and at(person_1, kitchen_1)", []),
        ("Close the fridge for me", "closed(fridge_1)", ["me"]),
        ("Open the fridge", "not closed(fridge_1)", []),
        ("Open the fridge", "closed(fridge_1)", ["Open"]),
        ("Close the fridge", "not closed(fridge_1)", ["Close"]),
        ("Put the mug on the kitchen counter", "on(mug_1, counter_1)", []),
        ("Don't open the fridge", "never not closed(fridge_1)", []),
        (
            "Put the mug on the table before you close the fridge",
            "on(mug_1, table_1)",
            ["before", "you", "close", "fridge"],
        ),
    ],
)
def test_content_words_without_a_counterpart_are_unread(
    context: ReadingContext, sentence: str, goal: str, unread: list[str]
) -> None:
    uses = align(context, sentence, goal)
    assert list_unread(sentence, uses) == unread
    assert [sentence[w.start : w.end] for w in uses] == sentence.split()
