# SPDX-License-Identifier: Apache-2.0
"""Goals written out over the elements of a state: equal forms are equal in every state."""

import random
from itertools import combinations

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.fuzzy.tnorm import Goedel
from fcp_ros.language.domain_reader.equal_goals import GoalForms
from fcp_ros.package_files import find_domain

EQUAL = [
    ("forall ?x: mug (not on(?x, table_1))", "not exists ?y: mug (on(?y, table_1))"),
    ("exists ?x: bowl (on(?x, table_1))", "on(bowl_1, table_1)"),
    ("on(mug_1, table_1) and dirty(table_1)", "dirty(table_1) and on(mug_1, table_1)"),
    ("forall ?x: mug (same(?x, mug_1) or on(?x, table_1))", "on(mug_2, table_1)"),
    (
        "forall ?x: mug (not initially (on(?x, table_1)) or on(?x, counter_1))",
        "on(mug_1, counter_1)",
    ),
    ("not (dirty(table_1) and on(mug_1, table_1))", "not on(mug_1, table_1) or not dirty(table_1)"),
]
GOALS = [goal for pair in EQUAL for goal in pair] + [
    "on(mug_1, table_1)",
    "at least 1 ?x: mug (on(?x, table_1))",
    "at least 2 ?x: mug (on(?x, table_1))",
    "forall ?x: mug (on(?x, table_1))",
    "dirty(table_1) or on(mug_2, counter_1)",
]


@pytest.fixture(scope="module")
def household():
    return load_domain(find_domain("household"))


def build(domain, seed):
    """Build a state: the first one has mug_1 on the table, others anything."""
    choose = random.Random(seed)
    builder = InstanceBuilder(domain.schema)
    ids = {
        name: builder.add(type_, name, {"category": category})
        for type_, name, category in (
            ("table", "table_1", "table"),
            ("counter", "counter_1", "counter"),
            ("cup", "mug_1", "mug"),
            ("cup", "mug_2", "mug"),
            ("dish", "bowl_1", "bowl"),
        )
    }
    for item in ("mug_1", "mug_2", "bowl_1"):
        where = choose.choice(["table_1", "counter_1", ""]) if seed else ""
        where = "table_1" if not seed and item == "mug_1" else where
        if where:
            builder.relate("on", ids[item], ids[where])
    if seed and choose.random() < 0.5:
        builder.relate("dirty", ids["table_1"])
    return builder.build()


def test_equal_forms_are_equal_in_every_state(household):
    initial = build(household, 0)
    goals = [check_goal(parse_expression(text), household, initial, text) for text in GOALS]
    writer = GoalForms(initial)
    forms = [writer.write(goal) for goal in goals]
    values = [
        tuple(
            evaluate(goal, build(household, seed), lambda *_: None, Goedel(), before=(initial,))
            for seed in range(1, 60)
        )
        for goal in goals
    ]
    for one, two in combinations(range(len(goals)), 2):
        if forms[one] == forms[two]:
            assert values[one] == values[two], (GOALS[one], GOALS[two])


@pytest.mark.parametrize(("one", "two"), EQUAL)
def test_other_words_for_the_same_have_one_form(one, two, household):
    initial = build(household, 0)
    writer = GoalForms(initial)
    first, second = (
        writer.write(check_goal(parse_expression(text), household, initial, text))
        for text in (one, two)
    )
    assert first is not None
    assert first == second
