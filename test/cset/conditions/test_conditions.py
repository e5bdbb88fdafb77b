# SPDX-License-Identifier: Apache-2.0
"""Application conditions: negative, positive, nested (case 21)."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from example_graphs import graph
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Relation,
    Rule,
    RuleError,
    Schema,
    Violation,
    ViolationKind,
    check_match,
    find_homs,
    find_matches,
    identity,
    inclusion,
)
from fcp_ros.cset.application_conditions import find_extensions

SCHEMA = Schema(
    "s",
    {"robot": (), "item": ()},
    relations=(Relation("holding", (("robot", "robot"), ("item", "item"))),),
)


def scene(items: int, *held: int) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    robot = builder.add("robot", "r")
    names = [builder.add("item", f"i{number}") for number in range(1, items + 1)]
    for number in held:
        builder.relate("holding", robot, names[number - 1])
    return builder.build()


def pick(kind: ConditionKind, larger: Instance, monic: bool = False) -> Rule:
    left = scene(1)
    condition = ApplicationCondition(kind, "hands", inclusion(left, larger), monic)
    return Rule("pick", identity(left), inclusion(left, scene(1, 1)), (condition,))


def test_a_negative_condition_names_what_it_found() -> None:
    rule = pick(ConditionKind.NAC, scene(2, 2))
    state = scene(3, 3)
    for match in find_homs(rule.L, state):
        (violation,) = check_match(rule, match)
        assert violation.kind is ViolationKind.NEGATIVE_CONDITION
        assert violation.elements == ("holding(r, i3)",)
        assert violation.message == "'hands' must not match, but it does: holding(r, i3)"
    assert len(list(find_matches(rule, scene(3)))) == 3


def test_an_existential_may_be_what_is_matched_already_unless_monic() -> None:
    # "r holds nothing" fails for the item that r holds; "r holds nothing else" does not.
    anything = pick(ConditionKind.NAC, scene(2, 2))
    else_ = pick(ConditionKind.NAC, scene(2, 2), monic=True)
    state = scene(2, 1)
    assert list(find_matches(anything, state)) == []
    assert [match.by_name()["i1"] for match in find_matches(else_, state)] == ["i1"]


def test_a_positive_condition_names_what_is_lacking() -> None:
    rule = pick(ConditionKind.PAC, scene(2, 2))
    match = next(find_homs(rule.L, scene(2)))
    (violation,) = check_match(rule, match)
    assert violation.kind is ViolationKind.POSITIVE_CONDITION
    assert violation.message == "'hands' must match, but nothing is like holding(r, i2)"
    assert violation.elements == ("i1", "r")
    assert len(list(find_matches(rule, scene(2, 1)))) == 2


def test_a_condition_may_identify_elements() -> None:
    # L -> P that merges two vertices: the condition speaks of matches that merge them too.
    left, point = graph(2), graph(1)
    (collapse,) = find_homs(left, point, monic=False)
    different = ApplicationCondition(ConditionKind.NAC, "different", collapse)
    rule = Rule("pair", identity(left), identity(left), (different,), monic=False)
    assert len(list(find_homs(left, graph(3), monic=False))) == 9
    assert len(list(find_matches(rule, graph(3)))) == 6


# --- nested conditions

KITCHEN = Schema(
    "kitchen",
    {"item": (), "shelf": ()},
    relations=(
        Relation("on", (("item", "item"), ("shelf", "shelf"))),
        Relation("clean", (("item", "item"),)),
    ),
)


def kitchen(*tuples: tuple[str, ...], shelves: tuple[str, ...] = ()) -> Instance:
    """Items i..., shelves s...."""
    builder = InstanceBuilder(KITCHEN)
    for name in sorted({name for _, *legs in tuples for name in legs} | {*shelves, "i"}):
        builder.add("item" if name.startswith("i") else "shelf", name)
    for relation, *legs in tuples:
        builder.relate(relation, *map(builder.id_of, legs))
    return builder.build()


def with_condition(condition: ApplicationCondition) -> Rule:
    left = kitchen()
    return Rule("r", identity(left), identity(left), (condition,))


def violation_at(rule: Rule, state: Instance) -> Violation | None:
    match = next(iter(find_homs(rule.L, state, initial={1: state.id_of("i")})))
    violations = check_match(rule, match)
    return violations[0] if violations else None


SHELVES = inclusion(kitchen(), kitchen(shelves=("s",)))
EMPTY = ApplicationCondition(
    ConditionKind.NAC,
    "empty",
    inclusion(SHELVES.target, kitchen(("on", "i2", "s"))),
)


def test_a_positive_condition_with_a_nested_one() -> None:
    # Some shelf on which nothing is.
    rule = with_condition(
        ApplicationCondition(ConditionKind.PAC, "free shelf", SHELVES, nested=(EMPTY,))
    )
    full = kitchen(("on", "i2", "s1"), ("on", "i", "s2"))
    violation = violation_at(rule, full)
    assert violation is not None
    assert violation.kind is ViolationKind.POSITIVE_CONDITION
    assert violation.message == (
        "'free shelf' must match, but s1 will not do: "
        "'empty' must not match, but it does: on(i2, s1)"
    )
    free = kitchen(("on", "i2", "s1"), shelves=("s2",))
    assert violation_at(rule, free) is None
    assert violation_at(rule, kitchen()) is not None


def test_what_is_no_condition_of_the_rule_is_refused() -> None:
    inner = ApplicationCondition(ConditionKind.NAC, "x", identity(kitchen()))
    deep = ApplicationCondition(ConditionKind.NAC, "empty", EMPTY.inclusion, nested=(inner,))
    wrong = (
        (
            ApplicationCondition(ConditionKind.PAC, "shelf", SHELVES, nested=(deep,)),
            "condition 'x' must start at the pattern of condition 'empty'",
        ),
        (
            ApplicationCondition(
                ConditionKind.PAC,
                "shelf",
                SHELVES,
                nested=(ApplicationCondition(ConditionKind.NAC, "y", identity(kitchen())),),
            ),
            "condition 'y' must start at the pattern of condition 'shelf'",
        ),
    )
    for condition, message in wrong:
        with pytest.raises(RuleError, match=message):
            with_condition(condition)


# --- against the definition


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_conditions_agree_with_a_search_of_all_extensions(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    # The extensions of a match are those morphisms from the larger pattern that restrict to it.
    pattern = data.draw(instances(1, numbers=True))
    left = part_of(data.draw, pattern)
    state = data.draw(instances(2, numbers=True))
    monic = data.draw(st.booleans())
    condition = ApplicationCondition(ConditionKind.PAC, "p", inclusion(left, pattern), monic=monic)
    for match in islice(find_homs(left, state, monic=False), 5):
        expected = sum(
            condition.inclusion.compose(candidate) == match
            for candidate in find_homs(pattern, state, monic=monic)
        )
        event("some" if expected else "none")
        assert sum(1 for _ in find_extensions(condition, match)) == expected
        assert (condition.violation(match) is None) == (expected > 0)


def part_of(draw: st.DrawFn, whole: Instance) -> Instance:
    """A drawn part: all elements or some, some of the tuples, some of the values."""
    kept = {element for element in whole.all_elements() if draw(st.integers(0, 3))}
    kept |= {whole.apply("home", robot) for robot in kept if whole.type_of(robot) == "robot"}
    builder = InstanceBuilder.of(whole)
    for relation in whole.schema.relations:
        for legs in whole.tuples(relation.name).values():
            if not kept.issuperset(legs) or draw(st.booleans()):
                builder.unrelate(relation.name, *legs)
    for element in reversed(whole.all_elements()):
        for name in whole.attributes(element):
            if draw(st.booleans()):
                builder.set_attribute(element, name, None)
        if element not in kept:
            builder.remove(element)
    return builder.build(allow_conflicts=True)
