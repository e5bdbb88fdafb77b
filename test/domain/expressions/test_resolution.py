# SPDX-License-Identifier: Apache-2.0
"""Goals against a domain and a state: names are resolved, faults are pointed at."""

import pytest

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal, infer_types
from fcp_ros.domain.expressions.structure import check_structure, has_constraints, has_requirements
from fcp_ros.domain.expressions.syntax import ExpressionError, to_text


def checked(text, domain, state):
    return check_goal(parse_expression(text), domain, state, text)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("on(mug_1, table_1)", None),
        ('on("mug_1", table_1)', "on(mug_1, table_1)"),
        ('on("O(3)", table_1)', None),
        ("serves_as(?x, drinking) and on(?x, table_1)",
         'serves_as(?x, "drinking") and on(?x, table_1)'),
        ("is_a(?x, mug) and on(?x, table_1)", 'is_a(?x, "mug") and on(?x, table_1)'),
        ("exists ?x: cup (on(?x, table_1))", None),
        ("exists ?x: mug (on(?x, table_1))",
         'exists ?x: cup (is_a(?x, "mug") and on(?x, table_1))'),
        ("forall ?x: mug (on(?x, table_1))",
         'forall ?x: cup (not is_a(?x, "mug") or on(?x, table_1))'),
        ('forall ?x: "coffee mug" (0.5 * not dirty(table_1) or on(?x, table_1))',
         'forall ?x: cup (not is_a(?x, "coffee mug") or (0.5 * not dirty(table_1) '
         'or on(?x, table_1)))'),
        ("forall ?x: thing (not closed(?x))", None),
        ("safe_for(mug_1, anna)", None),
    ],
)  # fmt: skip
def test_names_are_resolved(household, flat, text, resolved):
    result = checked(text, household, flat)
    assert to_text(result) == (resolved or text)
    assert check_goal(result, household, flat) == result


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("onn(mug_1, table_1)", 1, "did you mean on?"),
        ("closed(fridge_1) and on(mug_1)", 22, "write on(item, support)"),
        ("on(mug_7, table_1)", 4, "did you mean mug_"),
        ("on(mug, table_1)", 4, 'is_a(?x, "mug")'),
        ("on(xylophone, table_1)", 4, "no element called xylophone"),
        ("on(mug_1, kitchen_1)", 11, "kitchen_1 is a room, but on takes a support as its second"),
        ("serves_as(?x, ?y)", 15, "double quotes"),
        ("exists ?x: unicorn (on(?x, table_1))", 8, "Unknown type unicorn"),
        ("exists ?x: room (on(?x, table_1))", 21, "?x is a room, but on takes an item"),
        ("exists ?x: thing (serves_as(?x, drinking))", 29, "quantify over item"),
        ("exists ?x: cup (exists ?x: cup (on(?x, table_1)))", 24, "rename"),
        ("on(?x, table_1) and at(?x, kitchen_1)", 24, "nothing is"),
    ],
)
def test_faults_are_pointed_at(household, flat, text, column, words):
    with pytest.raises(ExpressionError) as caught:
        checked(text, household, flat)
    assert words in caught.value.message
    assert caught.value.column == column
    assert caught.value.text == text


def test_without_the_text_messages_show_the_expression_itself(household, flat):
    goal = parse_expression("   on( mug_1,table_7 )")
    with pytest.raises(ExpressionError) as caught:
        check_goal(goal, household, flat)
    assert str(caught.value).splitlines()[1:] == ["  on(mug_1, table_7)", "            ^"]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("on(?x, table_1)", {"x": "item"}),
        ("on(?x, ?y) and in_room(?y, kitchen_1)", {"x": "item", "y": "surface"}),
        ("on(?x, ?y) and dirty(?y)", {"x": "item", "y": "support"}),
        ("at(?r, ?w) and holding(?r, ?x)", {"r": "agent", "w": "room", "x": "item"}),
        ('serves_as(?x, "drinking") and switched_on(?x)', {"x": "movable_device"}),
        ("not closed(?x) and inside(milk_1, ?x)", {"x": "openable_container"}),
        ("exists ?y: table (on(?x, ?y))", {"x": "item"}),
        ('is_a(?x, "coffee mug")', {"x": "cup"}),
        ('is_a(?x, "openable container")', {"x": "openable_container"}),
        ('is_a(?x, "zeppelin")', {"x": "thing"}),
        # several largest types fit: what is asked for first
        ("on(mug_1, ?x) and switched_on(?x)", {"x": "support"}),
        # ... or what the graded predicate needs
        ("switched_on(?x) and stable_enough(?x, mug_1)", {"x": "support"}),
    ],
)
def test_types_of_free_variables(household, flat, text, types):
    goal = checked(text, household, flat)
    assert dict(infer_types(goal, household)) == types


# --- Where constraints, preferences and counts may stand in a goal


GRADED = frozenset({"serves_as"})


@pytest.mark.parametrize(
    "text",
    [
        "p() and never q() and prefer 0.5: s()",
        "forall ?x: mug (never on(?x, t) and prefer 0.5: clean(?x))",
        "prefer cost 3: never p() and first p() then q()",
        "prefer 0.5: (sometime p() and q())",
        "prefer 0.5: forall ?x: mug (sometime on(?x, t))",
        "as many as possible ?x: mug (on(?x, t))",
        "on(?x, t) and prefer 0.3: serves_as(?x, drinking)",
        "never at least 2 ?x: mug (on(?x, t))",
        "p() or at least 2 ?x: mug (on(?x, t))",
    ],
)
def test_requirements_stand_at_the_top_or_within_forall(text):
    check_structure(parse_expression(text), GRADED, text)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("p() or never q()", 8, "A trajectory constraint stands within a condition"),
        ("always sometime p()", 8, "A trajectory constraint stands within"),
        ("prefer 0.5: (prefer 0.5: p())", 14, "A preference stands within a preference"),
        (
            "prefer 0.5: as many as possible ?x: mug (on(?x, t))",
            13,
            "`as many as possible` stands within a preference",
        ),
        ("p() or as many as possible ?x: mug (on(?x, t))", 8, "write `at least` and a number"),
        ("never serves_as(mug_1, drinking)", 7, "serves_as is graded"),
        ("on(?x, t) and never on(?x, s)", 15, "?x has no quantifier within the trajectory"),
        ("on(?x, t) and prefer cost 3: clean(?x)", 15, "?x has no quantifier within the pref"),
    ],
)
def test_elsewhere_they_are_refused_with_their_place(text, column, message):
    with pytest.raises(ExpressionError) as error:
        check_structure(parse_expression(text), GRADED, text)
    assert message in error.value.message
    assert error.value.column == column


def test_requirements_are_found_at_any_depth():
    assert has_requirements(parse_expression("forall ?x: mug (p() and prefer 0.1: q())"))
    assert not has_constraints(parse_expression("forall ?x: mug (p() and prefer 0.1: q())"))
    assert has_constraints(parse_expression("prefer 0.1: never p()"))
    assert not has_requirements(parse_expression("at least 2 ?x: mug (p())"))
