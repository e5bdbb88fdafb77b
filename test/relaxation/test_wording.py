# SPDX-License-Identifier: Apache-2.0
"""Changes of a goal in words: each kind as a sentence, with its cause and degree."""

import pytest
from small_house import DOMAIN, ask

from fcp_ros.planning import PlanStatus
from fcp_ros.relaxation.wording import find_blockers

FREE = DOMAIN.replace("drop: {on: 0.25", "drop: {on: 0.0")
NEAR = DOMAIN.replace("      degree: 0.65\n", "      degree: 0.65\n      because: it is close by\n")
VASE = (
    'exists ?s: surface, ?v: item (is_a(?v, "vase") and in_room(?s, hall_1)'
    " and on(mug_1, ?s) and on(?v, ?s) and on(cup_1, ?s))"
)


def reasons(*arguments, **options):
    result = ask(*arguments, **options)
    assert result.relaxations, result.message
    return [one.reason for one in result.relaxations]


def test_what_is_weakened_says_what_takes_its_place():
    assert reasons("on(plate_1, safe_1)", domain=NEAR) == [
        "It is given up that plate_1 is on safe_1, as no sequence of actions leads to that; "
        "instead, it is close by, to degree 0.65."
    ]
    (text,) = reasons("on(plate_1, safe_1)")
    assert "instead, there is a surface such that" in text


def test_the_reason_of_a_constraint_is_told():
    """ "No sequence of actions leads to that" left a person guessing."""
    domain = DOMAIN + (
        "constraints:\n  dry:\n    variables: {book: book, shelf: surface}\n"
        "    never: ['on(book, shelf)']\n    because: books get wet there\n"
    )
    places = ("table_1", "table_1", "shelf_1", "table_1")
    goal = "on(book_1, shelf_1) and on(mug_1, shelf_1)"
    (text,) = reasons(goal, domain=domain, places=places, alpha=0.2)
    assert text.startswith("It is given up that book_1 is on shelf_1, as books get wet there; ")
    (other,) = reasons("on(plate_1, safe_1)", domain=domain, places=places, alpha=0.2)
    assert "as no sequence of actions leads to that" in other


@pytest.mark.parametrize(
    ("goal", "options"),
    [
        ("on(book_1, shelf_1) and on(mug_1, shelf_1)", {"alpha": 0.2}),
        ("on(plate_1, safe_1)", {}),
        ("at least 3 ?c: cup (on(?c, shelf_1))", {}),
        (VASE, {}),
        ("holding(robot_1, mug_1) and holding(robot_1, cup_1)", {}),
    ],
)
def test_nothing_that_is_told_is_in_the_goal_language(goal, options):
    result = ask(goal, domain=FREE, confirm_below=1.0, **options)
    told = [result.confirmation]
    told += [one.reason for one in (*result.relaxations, *result.refused_relaxations)]
    told += [change for one in result.explored for change in one.changes]
    assert len(told) > 2
    for text in told:
        assert not any(sign in text for sign in ("(?", " ?", "on(", "holding(", "->")), text
        assert "exists" not in text
        assert "at least 3" not in text


def test_blockers_are_the_smallest_conflicts_of_what_is_wanted():
    conflicts = [{(0, 0), (1, 0), (2, 0)}, {(0, 0), (2, 0)}, {(1, 1), (2, 0)}, {(3, 0)}]
    assert find_blockers(conflicts) == {0: (2,), 1: (0, 2), 2: (0,), 3: ()}


@pytest.mark.parametrize(
    ("goal", "sentence"),
    [
        ("at least 2 ?b: book (on(?b, shelf_1))", "A book is missing: with one, 1.00."),
        ("at least 3 ?b: book (on(?b, shelf_1))", "Two books are missing: with them, 1.00."),
        ('exists ?v: "vase" (on(?v, shelf_1))', "A vase is missing: with one, 1.00."),
        (
            "at least 2 ?p: plate (on(?p, shelf_1)) and at least 2 ?b: book (on(?b, shelf_1))",
            "A plate and a book are missing: with them, 1.00.",
        ),
        ("at least 2 ?b: book (on(?b, shelf_1)) and on(mug_1, safe_1)", ""),
    ],
)
def test_what_it_would_take_is_told(goal, sentence):
    domain = DOMAIN.replace("  book: [book]", "  book: [book]\n  item: [vase]")
    result = ask(goal, domain=domain, places=("table_1",) * 4, alpha=1.0)
    assert result.status in (PlanStatus.UNSOLVABLE_AT_ALPHA, PlanStatus.UNSOLVABLE_PROVEN)
    assert result.would_take == sentence
    assert result.message.endswith(sentence)


def test_a_failure_is_told_in_words():
    domain = DOMAIN.replace("drop: {on: 0.25, holding: 0.2}", "drop: {at: 0.9}")
    goal = "holding(robot_1, mug_1) and not on(mug_1, table_1) and on(book_1, shelf_1)"
    result = ask(goal, domain=domain, alpha=1.0)
    assert "book_1 is on shelf_1" in result.message
    assert "on(" not in result.message


def test_a_variable_that_an_inner_quantifier_binds_is_called_by_its_type():
    goal = "forall ?c: cup (exists ?s: surface (locked(?s) and on(?c, ?s)))"
    result = ask(goal, domain=NEAR, alpha=0.0)
    names = [change for one in result.explored for change in one.changes]
    assert any("it is close by" in name for name in names), result.message
    assert any("on a surface" in name for name in names)
