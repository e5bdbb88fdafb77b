# SPDX-License-Identifier: Apache-2.0
"""Degrees by definition, and the built-in is_a."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.expressions.evaluation import evaluate, is_a
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal, infer_types
from fcp_ros.fuzzy import TNORMS

DEGREES = {"mug_1": 0.9, "mug_2": 0.8, "O(3)": 0.7, "book_1": 0.1}


def degree_of(predicate, arguments):
    assert predicate == "serves_as"
    assert arguments[1] == "drinking"
    return DEGREES.get(arguments[0], 0.0)


def degree(text, domain, state, tnorm="lukasiewicz", **binding):
    goal = check_goal(parse_expression(text), domain, state, text)
    types = infer_types(goal, domain)
    return evaluate(goal, state, degree_of, TNORMS[tnorm], types=types, binding=binding)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on(mug_1, counter_1)", 1.0),
        ("not on(mug_1, table_1)", 1.0),
        ("not serves_as(mug_1, drinking)", 0.1),
        ("serves_as(mug_1, drinking) or serves_as(mug_2, drinking)", 0.9),
        ("0.5 * serves_as(mug_1, drinking)", 0.95),
        ("0 * on(mug_1, table_1)", 1.0),
        ("exists ?x: cup (serves_as(?x, drinking))", 0.9),
        ("forall ?x: cup (serves_as(?x, drinking))", 0.4),
        ("exists ?x: tray (on(?x, table_1))", 0.0),
        ("forall ?x: tray (on(?x, table_1))", 1.0),
        ("serves_as(?x, drinking) and on(?x, table_1)", 0.8),
        ("exists ?x: mug (on(?x, table_1))", 1.0),
        ("forall ?x: mug, ?y: mug (not holding(robot_1, ?x) or on(?y, table_1))", 1.0),
        ("exists ?y: support (forall ?x: mug (not dirty(?y)))", 1.0),
    ],
)
def test_degrees(household, flat, text, expected):
    assert degree(text, household, flat) == pytest.approx(expected)


@pytest.mark.parametrize(("tnorm", "expected"), [("product", 0.72), ("goedel", 0.8)])
def test_the_tnorm_decides(household, flat, tnorm, expected):
    text = "serves_as(mug_1, drinking) and serves_as(mug_2, drinking)"
    assert degree(text, household, flat, tnorm) == pytest.approx(expected)


def test_a_binding_fixes_free_variables(household, flat):
    text = "serves_as(?x, drinking) and on(?x, ?y)"
    assert degree(text, household, flat) == pytest.approx(0.9)
    assert degree(text, household, flat, x="mug_2") == pytest.approx(0.8)
    assert degree(text, household, flat, x="mug_2", y="counter_1") == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("serves_as(mug_1, drinking) and serves_as(mug_2, drinking)", 0.0),
        ("serves_as(mug_1, drinking) or serves_as(mug_2, drinking)", 0.9),
        ("serves_as(mug_1, drinking) and not serves_as(mug_2, drinking)", 0.0),
        ("serves_as(mug_1, drinking) or not serves_as(mug_2, drinking)", 0.9),
        ("not (serves_as(mug_1, drinking) and serves_as(mug_2, drinking))", 0.1),
        ("0.5 * serves_as(mug_2, drinking)", 0.5),
        ("not (0.5 * serves_as(mug_2, drinking))", 0.0),
        ("not not serves_as(mug_2, drinking)", 0.0),
    ],
)
def test_an_atom_of_unknown_degree_counts_for_nothing(household, flat, text, expected):
    goal = check_goal(parse_expression(text), household, flat, text)
    known = {"mug_1": 0.9}
    found = evaluate(goal, flat, lambda _, names: known.get(names[0]), TNORMS["lukasiewicz"])
    assert found == pytest.approx(expected)
    for degree in (0.0, 0.3, 1.0):  # it is a lower bound
        worth = {**known, "mug_2": degree}
        exact = evaluate(goal, flat, lambda _, n, w=worth: w[n[0]], TNORMS["lukasiewicz"])
        assert found <= exact + 1e-9


def test_without_types_a_crisp_variable_ranges_over_everything(household, flat):
    goal = parse_expression("closed(?x)")
    assert evaluate(goal, flat, degree_of, TNORMS["lukasiewicz"]) == 1.0


@pytest.mark.parametrize(
    ("element", "label", "expected"),
    [
        ("mug_1", "mug", True),
        ("mug_1", "Mug", True),
        ("mug_1", "coffee mug", False),
        ("mug_2", "mug", True),
        ("mug_2", "coffee_mug", True),
        ("table_1", "dining table", True),
        ("table_1", "table", True),
        ("fridge_1", "refrigerator", True),
        ("fridge_1", "openable container", True),
        ("fridge_1", "microwave", False),
        ("O(3)", "glass", True),
    ],
)
def test_is_a(flat, element, label, expected):
    assert is_a(flat, flat.id_of(element), label) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prefer 0.5: on(mug_1, table_1)", 0.5),
        ("prefer 0.5, cost 3: on(mug_1, table_1)", 0.5),
        ("prefer 0.5: on(mug_1, table_1) and prefer 0.2: serves_as(mug_1, drinking)", 0.48),
        ("as many as possible ?x: cup (on(?x, table_1))", 1 / 3),
        ("as many as possible ?x: cup (not on(?x, table_1))", 2 / 3),
        ("initially (on(mug_1, counter_1))", 1.0),
    ],
)
def test_counts_and_preferences(text, expected, household, flat):
    assert degree(text, household, flat) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "prefer cost 3: serves_as(mug_1, sleeping)",
        "forall ?x: cup (forall ?y: cup (prefer cost 3: serves_as(?x, sleeping)))",
        "0 * serves_as(mug_1, sleeping)",
    ],
)
def test_what_weighs_nothing_is_not_judged(text, household, flat):
    # `degree_of` refuses to judge what serves for sleeping.
    assert degree(text, household, flat) == 1.0


def test_a_constraint_with_times_is_not_decided_without_them(household, flat):
    with pytest.raises(ValueError, match="within"):
        degree("on(mug_1, table_1) within 5 s", household, flat)


@given(
    number=st.integers(0, 4),
    worth=st.tuples(*[st.sampled_from([0.0, 0.3, 0.55, 0.8, 1.0])] * 3),
    tnorm=st.sampled_from(sorted(TNORMS)),
    bound=st.sampled_from(["at least", "at most", "exactly"]),
)
def test_counts_are_what_they_are_written_out(household, flat, number, worth, tnorm, bound):
    """At least 2 of 3 cups: the first and the second, or the first and the third, and so on."""
    cups = ["mug_1", "mug_2", "O(3)"]
    given_degrees = dict(zip(cups, worth, strict=True))

    def value(text):
        goal = check_goal(parse_expression(text), household, flat, text)
        return evaluate(goal, flat, lambda _, n: given_degrees[n[0]], TNORMS[tnorm])

    def write(least, sign):
        """Some set of so many cups, all of which serve (or do not)."""
        sets = itertools.combinations(cups, least) if 0 <= least <= len(cups) else ()
        joined = [
            " and ".join(['is_a(mug_1, "cup")', *(f'{sign}serves_as("{c}", drinking)' for c in s)])
            for s in sets
        ]
        return f"({' or '.join(joined)})" if joined else 'is_a(mug_1, "book")'

    enough = write(number, "")
    few = write(max(0, len(cups) - number), "not ")
    written = {"at least": enough, "at most": few, "exactly": f"{enough} and {few}"}[bound]
    counted = value(f"{bound} {number} ?x: cup (serves_as(?x, drinking))")
    assert counted == pytest.approx(value(written))
