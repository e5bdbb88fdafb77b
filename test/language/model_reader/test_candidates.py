# SPDX-License-Identifier: Apache-2.0
"""Checked goals: which texts mean the same, what is told about the others."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_kitchen import build_kitchen

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import And, Expression, check_goal, evaluate, parse_expression, to_text
from fcp_ros.fuzzy import TNORMS
from fcp_ros.grounding.generation import WrittenText
from fcp_ros.language.model_reader.candidates import check_texts
from fcp_ros.language.model_reader.names import offer_names
from fcp_ros.language.model_reader.normal_form import ground_only_choices, write_normal_form
from fcp_ros.language.reader import ReadingContext


def check(context: ReadingContext, *texts: tuple[str, float]):
    written = [WrittenText(text, log) for text, log in texts]
    return check_texts(written, offer_names("put a mug on the table", context), context)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on(a, b) and on(c, d)", "on(c, d) and on(a, b)"),
        ("on(a, b) and (on(c, d) and e(f))", "(e(f) and on(a, b)) and on(c, d)"),
        ("exists ?x: mug (on(?x, b))", "exists ?y: mug (on(?y, b))"),
        ("forall ?x: mug (on(?x, b) and not e(?x))", "forall ?z: mug (not e(?z) and on(?z, b))"),
        ("not not on(a, b)", "on(a, b)"),
        ("on(a, b) and on(a, b)", "on(a, b)"),
    ],
)
def test_equal_goals_have_one_form(one: str, other: str) -> None:
    assert write_normal_form(parse_expression(one)) == write_normal_form(parse_expression(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on(a, b)", "on(b, a)"),
        ("on(a, b) or on(c, d)", "on(a, b) and on(c, d)"),
        ("first e(a) then e(b)", "first e(b) then e(a)"),
        ("exists ?x: mug (on(?x, b))", "forall ?x: mug (on(?x, b))"),
        ("exists ?x: mug (on(?x, b))", "exists ?x: cup (on(?x, b))"),
        ("r(?x, ?y) and e(?x)", "r(?x, ?y) and e(?y)"),
    ],
)
def test_other_goals_have_another_form(one: str, other: str) -> None:
    assert write_normal_form(parse_expression(one)) != write_normal_form(parse_expression(other))


@given(seed=st.integers(0, 1000))
def test_the_order_of_conjuncts_never_matters(seed: int) -> None:
    texts = ["on(a, b)", "e(c)", "not e(d)", "forall ?x: t (e(?x))", "e(c) or e(d)"]
    parts = [parse_expression(text) for text in texts]
    shuffled = random.Random(seed).sample(parts, len(parts))
    assert write_normal_form(And(tuple(shuffled))) == write_normal_form(And(tuple(parts)))


def test_probabilities_of_equal_goals_add_up(context: ReadingContext) -> None:
    checked = check(
        context,
        ("on(mug_1, table_1) and closed(fridge_1)", -1000.0),
        ("closed(fridge_1) and on(mug_1, table_1)", -1000.0),
        ("on(mug_1, table_1)", -1000.0),
        ("unclear", -1000.0),
    )
    assert [one.share for one in checked.candidates] == pytest.approx([0.5, 0.25])
    assert checked.unclear == pytest.approx(0.25)
    assert not checked.faults


def test_frames_of_chat_models_are_taken_off(context: ReadingContext) -> None:
    checked = check(context, ("```text\non(mug_1, table_1)\n```\nThis puts ...", -1.0))
    assert [to_text(one.goals[0]) for one in checked.candidates] == ["on(mug_1, table_1)"]


def test_faults_are_what_the_checker_says(context: ReadingContext) -> None:
    cut = [WrittenText("on(mug_1, table_1) and on(mug_2,", -1.0, is_complete=False)]
    names = offer_names("put a mug on the table", context)
    assert "never ends" in check_texts(cut, names, context).faults[0]
    checked = check(
        context, ("on(mug_7, table_1)", -1.0), ("put it there", -2.0), ("", -3.0), ("a(b)", -4.0)
    )
    assert not checked.candidates
    assert checked.unclear == 0.0
    assert len(checked.faults) == 3
    assert "did you mean mug_2?" in checked.faults[0]


def compute(goal: Expression, instance: Instance) -> float:
    """The value of a goal by its definition."""
    return evaluate(goal, instance, lambda atom: 1.0, TNORMS["goedel"])


SINGLE = [
    ("exists ?x: apple (on(?x, table_1))", "on(apple_1, table_1)"),
    (
        "forall ?x: apple (on(?x, table_1) and inside(?x, fridge_1))",
        "on(apple_1, table_1) and inside(apple_1, fridge_1)",
    ),
    ('exists ?x: item (is_a(?x, "milk") and on(?x, table_1))', "on(milk_1, table_1)"),
    ("exists ?x: fridge (not closed(?x))", "not closed(fridge_1)"),
    ("exists ?x: apple (exists ?y: fridge (inside(?x, ?y)))", "inside(apple_1, fridge_1)"),
]


@pytest.mark.parametrize(("quantified", "ground"), SINGLE)
def test_a_kind_with_one_thing_is_that_thing(
    context: ReadingContext, quantified: str, ground: str
) -> None:
    goals = [
        check_goal(parse_expression(text), context.domain, context.instance)
        for text in (quantified, ground)
    ]
    one, other = (write_normal_form(goal, context.instance) for goal in goals)
    assert one == other
    assert compute(goals[0], context.instance) == compute(goals[1], context.instance)


@pytest.mark.parametrize(
    "goal",
    [
        "exists ?x: mug (on(?x, table_1))",  # there are two
        "exists ?x: plate (on(?x, table_1))",  # there is none
        "forall ?x: plate (on(?x, table_1))",
        'forall ?x: item (is_a(?x, "milk") or on(?x, table_1))',  # three others
        "at least 1 ?x: apple (on(?x, table_1))",
    ],
)
def test_other_quantifiers_stay(context: ReadingContext, goal: str) -> None:
    checked = check_goal(parse_expression(goal), context.domain, context.instance)
    assert ground_only_choices(checked, context.instance) == checked


@given(seed=st.integers(0, 2**32))
def test_grounding_a_choice_never_changes_the_value(seed: int) -> None:
    """Against the definition: the value of random goals in random states of the same elements."""
    draw = random.Random(seed)
    domain, instance = build_kitchen()
    builder = InstanceBuilder.of(instance)
    for row in list(instance.tuples("on").values()):
        if draw.random() < 0.5:
            builder.unrelate("on", *row)
    if draw.random() < 0.5:
        builder.relate("dirty", instance.id_of("table_1"))
    state = builder.build()

    def condition(variable: str) -> str:
        atoms = [f"on({variable}, table_1)", f"on({variable}, counter_1)", "dirty(table_1)"]
        atoms += [f'is_a({variable}, "{label}")' for label in ("mug", "apple", "milk", "plate")]
        words = [("not " if draw.random() < 0.4 else "") + draw.choice(atoms) for _ in range(3)]
        inner, outer = draw.choice(["and", "or"]), draw.choice(["and", "or"])
        return f"({words[0]} {inner} {words[1]}) {outer} {words[2]}"

    kind = draw.choice(["item", "mug", "apple", "plate", "cup", "milk"])
    text = f"{draw.choice(['exists', 'forall'])} ?x: {kind} ({condition('?x')})"
    goal = check_goal(parse_expression(text), domain, state)
    assert compute(ground_only_choices(goal, state), state) == compute(goal, state), text
