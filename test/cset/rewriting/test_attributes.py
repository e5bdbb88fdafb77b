# SPDX-License-Identifier: Apache-2.0
"""Attributes in rules: kept, forgotten and assigned."""

from typing import Any

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    AttributeValue,
    Instance,
    InstanceBuilder,
    Relation,
    Rewrite,
    Rule,
    Schema,
    ViolationKind,
    find_homs,
    find_matches,
    identity,
    inclusion,
    morphism,
    rewrite,
)

SCHEMA = Schema(
    "s",
    {"item": (), "tag": ()},
    relations=(Relation("marks", (("tag", "tag"), ("item", "item"))),),
    attributes=(
        Attribute("level", "item", AttributeKind.INT),
        Attribute("part", "item", AttributeKind.FLOAT),
        Attribute("text", "item", AttributeKind.STRING),
        Attribute("count", "marks", AttributeKind.INT),
    ),
)


def result_of(outcome: Rewrite) -> Instance:
    assert outcome.violations == ()
    assert outcome.instance is not None
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    return outcome.instance


def item(**values: AttributeValue) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    builder.add("item", "x", values)
    return builder.build()


def setting(given: dict[str, AttributeValue], then: dict[str, AttributeValue]) -> Rule:
    """The rule that reads some attributes of an item and sets others, keeping what both have."""
    both = {name: value for name, value in given.items() if then.get(name) == value}
    glue = item(**both)
    return Rule("set", inclusion(glue, item(**given)), inclusion(glue, item(**then)))


def applied(rule: Rule, **values: AttributeValue) -> Rewrite:
    state = item(**values)
    return rewrite(rule, morphism(rule.L, state, {1: state.id_of("x")}))


def values_of(outcome: Rewrite) -> dict[str, Any]:
    result = result_of(outcome)
    return result.attributes(result.id_of("x"))


def test_attributes_are_kept_forgotten_and_assigned() -> None:
    fill = setting({"level": 0}, {"level": 3})
    assert values_of(applied(fill, level=0, text="t")) == {"level": 3, "text": "t"}
    forget = setting({"level": 7}, {})
    assert values_of(applied(forget, level=7, part=0.5)) == {"part": 0.5}
    keep = setting({"level": 7}, {"level": 7, "part": 2})
    assert values_of(applied(keep, level=7)) == {"level": 7, "part": 2.0}
    # An assignment replaces what L does not mention.
    outcome = applied(setting({}, {"text": "new"}), text="old")
    assert values_of(outcome) == {"text": "new"}
    assert [tuple(change) for change in outcome.delta.attributes] == [("x", "text", "old", "new")]
    assert len(outcome.change.attributes) == 1


def test_tuples_have_attributes_too() -> None:
    def marks(count: AttributeValue | None) -> Instance:
        builder = InstanceBuilder(SCHEMA)
        row = builder.relate("marks", builder.add("tag", "t"), builder.add("item", "x"))
        builder.set_attribute(row, "count", count)
        return builder.build()

    rule = Rule("count", inclusion(marks(None), marks(4)), inclusion(marks(None), marks(5)))
    (match,) = find_matches(rule, marks(4))
    outcome = rewrite(rule, match)
    result = result_of(outcome)
    (row,) = result.tuples("marks")
    assert result.attribute(row, "count") == 5
    assert [tuple(change) for change in outcome.delta.attributes] == [
        ("marks(t, x)", "count", 4, 5)
    ]
    assert list(find_matches(rule, marks(3))) == []
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


def pair(first: dict[str, AttributeValue], second: dict[str, AttributeValue]) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    builder.add("item", "x", first)
    builder.add("item", "y", second)
    return builder.build()


def at_one(rule: Rule, **values: AttributeValue) -> Rewrite:
    state = item(**values)
    (match,) = find_homs(rule.L, state, monic=False)
    return rewrite(rule, match)


def test_elements_that_are_one_must_be_told_one_thing() -> None:
    glue = pair({}, {})
    twice = inclusion(glue, pair({"level": 1}, {"level": 2}))
    assign = Rule("assign", identity(glue), twice, monic=False)
    (violation,) = at_one(assign, level=0).violations
    assert violation.kind is ViolationKind.CONTRADICTION
    assert violation.message == (
        "the rule assigns two values to 'level' of x, y, which are one in the state"
    )
    glue = pair({}, {"level": 0})
    both = inclusion(glue, pair({"level": 1}, {"level": 0}))
    keep = Rule("keep", identity(glue), both, monic=False)
    (violation,) = at_one(keep, level=0).violations
    assert violation.message == (
        "the rule both keeps and assigns 'level' of x, y, which are one in the state"
    )


def test_forgetting_against_keeping() -> None:
    # At one element, x's level is forgotten, y's is kept.
    left, glue = pair({"level": 1}, {"level": 1}), pair({}, {"level": 1})
    rule = Rule("forget", inclusion(glue, left), identity(glue), monic=False)
    (violation,) = at_one(rule, level=1).violations
    assert violation.kind is ViolationKind.IDENTIFICATION
    assert violation.message == "the rule both forgets and keeps 'level' of 'x'"
