# SPDX-License-Identifier: Apache-2.0
"""Where constraints, preferences and counts may stand in a goal."""

import pytest

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.structure import check_structure, has_constraints, has_requirements
from fcp_ros.domain.expressions.syntax import ExpressionError

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
        ("not (prefer 0.5: p())", 6, "A preference stands within a condition"),
        ("exists ?x: mug (sometime on(?x, t))", 17, "A trajectory constraint stands within"),
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
        ("on(?x, t) and prefer 0.1: (clean(?x) and never p())", 15, "?x has no quantifier"),
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
