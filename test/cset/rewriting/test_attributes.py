# SPDX-License-Identifier: Apache-2.0
"""Attributes in rules: variables, expressions, comparisons, forgetting and assigning (case 20)."""

from typing import Any

import pytest
from example_graphs import weighted_graph

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Rewrite,
    Rule,
    RuleError,
    Schema,
    ViolationKind,
    check_match,
    find_homs,
    find_matches,
    identity,
    inclusion,
    morphism,
    rewrite,
)
from fcp_ros.cset.value_expressions import (
    Comparator,
    Operator,
    ValueComparison,
    ValueExpression,
    ValueOperation,
    ValueVariable,
)

A, B = ValueVariable("a"), ValueVariable("b")
SUM = ValueOperation(Operator.ADD, (A, B))


def weights(state: Instance) -> list[Any]:
    return sorted(state.attribute(edge, "weight") for edge in state.elements("E"))


def contraction(monic: bool | tuple[str, ...]) -> Rule:
    """Two parallel edges become one with the sum of their weights."""
    ends = weighted_graph(2, [])
    return Rule(
        "contract",
        inclusion(ends, weighted_graph(2, [(1, 2, A), (1, 2, B)])),
        inclusion(ends, weighted_graph(2, [(1, 2, SUM)])),
        monic=monic,
    )


def test_case_20_parallel_edges_become_one_with_the_sum() -> None:
    # Loops are parallel to each other: 3 * 2 ordered pairs of different ones, if only edges must
    # differ. Both ends are the one vertex, so that no match is fully monic.
    state = weighted_graph(1, [(1, 1, 10), (1, 1, 20), (1, 1, 100)])
    rule = contraction(("E",))
    matches = list(find_matches(rule, state))
    assert len(matches) == 6
    outcomes = {(m.values["a"], m.values["b"]): rewrite(rule, m) for m in matches}
    assert weights(result_of(outcomes[10, 20])) == [30, 100]
    assert weights(result_of(outcomes[100, 10])) == [20, 110]
    assert list(find_matches(contraction(True), state)) == []


def result_of(outcome: Rewrite) -> Instance:
    assert outcome.violations == ()
    assert outcome.instance is not None
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    return outcome.instance


def test_a_match_needs_no_values_for_variables_that_it_meets() -> None:
    rule, state = contraction(("E",)), weighted_graph(2, [(1, 2, 1), (1, 2, 2)])
    match = next(find_matches(rule, state))
    bare = Morphism(match.source, match.target, match.mapping)
    assert rewrite(rule, bare).instance == rewrite(rule, match).instance


def test_a_variable_matches_only_what_is_set() -> None:
    rule, state = contraction(("E",)), weighted_graph(2, [(1, 2, 1), (1, 2, None)])
    assert list(find_matches(rule, state)) == []
    elements = {id_: id_ for id_ in (*rule.L.elements("V"), *rule.L.elements("E"))}
    (violation,) = check_match(rule, Morphism(rule.L, state, elements))
    assert violation.kind is ViolationKind.NATURALITY
    assert violation.symbol == "weight"
    assert "e2" in violation.elements


# --- rules of one element with attributes

SCHEMA = Schema(
    "s",
    {"item": (), "tag": ()},
    relations=(Relation("marks", (("tag", "tag"), ("item", "item"))),),
    attributes=(
        Attribute("level", "item", AttributeKind.INT),
        Attribute("part", "item", AttributeKind.FLOAT),
        Attribute("text", "item", AttributeKind.STRING),
        Attribute("state", "item", AttributeKind.ENUM, ("open", "shut")),
        Attribute("count", "marks", AttributeKind.INT),
    ),
)


def item(**values: ValueExpression) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    builder.add("item", "x", values)
    return builder.build()


def setting(
    given: dict[str, ValueExpression], then: dict[str, ValueExpression], *where: ValueComparison
) -> Rule:
    """The rule that reads some attributes of an item and sets others, keeping what both have."""
    both = {name: value for name, value in given.items() if then.get(name) == value}
    glue = item(**both)
    return Rule("set", inclusion(glue, item(**given)), inclusion(glue, item(**then)), where=where)


def applied(rule: Rule, **values: ValueExpression) -> Rewrite:
    state = item(**values)
    return rewrite(rule, morphism(rule.L, state, {1: state.id_of("x")}))


def values_of(outcome: Rewrite) -> dict[str, Any]:
    result = result_of(outcome)
    return result.attributes(result.id_of("x"))


def test_attributes_are_kept_forgotten_and_assigned() -> None:
    fill = setting({"level": 0}, {"level": 3})
    assert values_of(applied(fill, level=0, text="t")) == {"level": 3, "text": "t"}
    forget = setting({"level": A}, {})
    assert values_of(applied(forget, level=7, part=0.5)) == {"part": 0.5}
    keep = setting({"level": A}, {"level": A, "part": A})
    assert values_of(applied(keep, level=7)) == {"level": 7, "part": 7.0}
    # An assignment replaces what L does not mention.
    assert values_of(applied(setting({}, {"text": "new"}), text="old")) == {"text": "new"}
    swap = setting({"level": A, "part": B}, {"level": 1, "part": A})
    outcome = applied(swap, level=4, part=0.5)
    assert values_of(outcome) == {"level": 1, "part": 4.0}
    assert [tuple(change) for change in outcome.delta.attributes] == [
        ("x", "level", 4, 1),
        ("x", "part", 0.5, 4.0),
    ]
    assert len(outcome.change.attributes) == 2


def test_an_expression_without_a_value_is_a_violation() -> None:
    divide = setting({"part": A}, {"part": ValueOperation(Operator.DIVIDE, (1, A))})
    assert values_of(applied(divide, part=4.0)) == {"part": 0.25}
    (violation,) = applied(divide, part=0.0).violations
    assert violation.kind is ViolationKind.EXPRESSION
    assert violation.symbol == "part"
    assert violation.message == ("'part' of 'x' in R is (1 / ?a): (1 / ?a): division by zero")


def test_a_value_that_the_attribute_does_not_admit_is_a_violation() -> None:
    halve = setting({"level": A}, {"level": ValueOperation(Operator.DIVIDE, (A, 2))})
    (violation,) = applied(halve, level=3).violations
    assert violation.kind is ViolationKind.EXPRESSION
    assert "attribute 'level' of 'x' is 1.5; give a whole number" in violation.message


def test_comparisons_choose_among_matches() -> None:
    more = ValueComparison(ValueOperation(Operator.ADD, (A, 1)), Comparator.GREATER, B)
    rule = setting({"level": A, "part": B}, {}, more)
    assert values_of(applied(rule, level=2, part=2.5)) == {}
    (violation,) = applied(rule, level=1, part=2.5).violations
    assert violation.kind is ViolationKind.COMPARISON
    assert violation.message == "(?a + 1) > ?b does not hold, where ?a = 1, ?b = 2.5"
    builder = InstanceBuilder(SCHEMA)
    for level in range(5):
        builder.add("item", attributes={"level": level, "part": 2.5})
    state = builder.build()
    assert sorted(match.values["a"] for match in find_matches(rule, state)) == [2, 3, 4]
    # One without a truth value does not stop the search of the others.
    zero = ValueComparison(ValueOperation(Operator.DIVIDE, (6, A)), Comparator.GREATER_OR_EQUAL, 3)
    rule = setting({"level": A}, {}, zero)
    assert sorted(match.values["a"] for match in find_matches(rule, state)) == [1, 2]
    (violation,) = applied(rule, level=0).violations
    assert violation.kind is ViolationKind.EXPRESSION
    assert violation.message == "(6 / ?a): division by zero"


def test_tuples_have_attributes_too() -> None:
    def marks(count: ValueExpression | None) -> Instance:
        builder = InstanceBuilder(SCHEMA)
        row = builder.relate("marks", builder.add("tag", "t"), builder.add("item", "x"))
        builder.set_attribute(row, "count", count)
        return builder.build()

    rule = Rule(
        "count",
        inclusion(marks(None), marks(A)),
        inclusion(marks(None), marks(ValueOperation(Operator.ADD, (A, 1)))),
    )
    (match,) = find_matches(rule, marks(4))
    outcome = rewrite(rule, match)
    result = result_of(outcome)
    (row,) = result.tuples("marks")
    assert result.attribute(row, "count") == 5
    assert [tuple(change) for change in outcome.delta.attributes] == [
        ("marks(t, x)", "count", 4, 5)
    ]
    # Deleted and added again, the tuple has only what R gives it.
    glue = InstanceBuilder(SCHEMA)
    glue.add("tag", "t")
    glue.add("item", "x")
    anew = Rule("anew", inclusion(glue.build(), marks(None)), inclusion(glue.build(), marks(None)))
    (match,) = find_matches(anew, marks(4))
    outcome = rewrite(anew, match)
    assert result_of(outcome) == marks(None)
    assert outcome.change.added == outcome.change.removed == ()


# --- two elements of a rule at one of the state


def pair(first: dict[str, ValueExpression], second: dict[str, ValueExpression]) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    builder.add("item", "x", first)
    builder.add("item", "y", second)
    return builder.build()


def at_one(rule: Rule, **values: ValueExpression) -> Rewrite:
    state = item(**values)
    (match,) = find_homs(rule.L, state, monic=False)
    return rewrite(rule, match)


def test_elements_that_are_one_must_be_told_one_thing() -> None:
    glue = pair({}, {})
    assign = Rule("assign", identity(glue), inclusion(glue, pair({"level": 1}, {"level": 2})))
    assign = Rule("assign", assign.left, assign.right, monic=False)
    (violation,) = at_one(assign, level=0).violations
    assert violation.kind is ViolationKind.MERGE
    assert violation.message == (
        "the rule assigns two values to 'level' of x, y, which are one in the state"
    )
    glue = pair({}, {"level": A})
    keep = Rule("keep", identity(glue), inclusion(glue, pair({"level": 1}, {"level": A})))
    keep = Rule("keep", keep.left, keep.right, monic=False)
    (violation,) = at_one(keep, level=0).violations
    assert violation.message == (
        "the rule both keeps and assigns 'level' of x, y, which are one in the state"
    )
    assert values_of(at_one(keep, level=1)) == {"level": 1}


def test_forgetting_against_keeping() -> None:
    # At one element, x's level is forgotten, y's is kept.
    left, glue = pair({"level": A}, {"level": B}), pair({}, {"level": B})
    rule = Rule("forget", inclusion(glue, left), identity(glue), monic=False)
    (violation,) = at_one(rule, level=1).violations
    assert violation.kind is ViolationKind.IDENTIFICATION
    assert violation.message == "the rule both forgets and keeps 'level' of 'x'"


# --- what is refused at construction


@pytest.mark.parametrize(
    ("given", "then", "where", "message"),
    [
        ({"level": A}, {"level": B}, (), r"'level' of 'x' in R uses \?b, but L has \?a"),
        (
            {"level": ValueOperation(Operator.ADD, (A, 1))},
            {},
            (),
            r"'level' of 'x' in L is \(\?a \+ 1\); only R may hold operations",
        ),
        (
            {"level": A},
            {"text": ValueOperation(Operator.ADD, (A, 1))},
            (),
            r"'text' of 'x' in R is \(\?a \+ 1\), a number, but the attribute is of kind string",
        ),
        (
            {"text": A},
            {"state": A},
            (),
            r"'state' of 'x' in R is \?a, but \?a is of kind string in L, not enum",
        ),
    ],
)
def test_rules_with_wrong_expressions_are_refused(
    given: dict[str, ValueExpression],
    then: dict[str, ValueExpression],
    where: tuple[ValueComparison, ...],
    message: str,
) -> None:
    with pytest.raises(RuleError, match=message):
        setting(given, then, *where)


def test_legs_keep_variables() -> None:
    glue, left = item(level=A), item(level=5)
    (leg,) = find_homs(glue, left)
    with pytest.raises(
        RuleError, match=r"the left leg changes 'level' of 'x' from \?a to 5; to as"
    ):
        Rule("r", leg, identity(glue))
