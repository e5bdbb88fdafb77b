# SPDX-License-Identifier: Apache-2.0
"""Application conditions, negative and positive."""

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Relation,
    Rule,
    Schema,
    ViolationKind,
    check_match,
    find_homs,
    find_matches,
    identity,
    inclusion,
)
from fcp_ros.cset.graphs import graph

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


def test_a_condition_may_ask_for_an_element_only() -> None:
    lonely = pick(ConditionKind.NAC, scene(2), monic=True)
    assert len(list(find_matches(lonely, scene(1)))) == 1
    match = next(find_homs(lonely.L, scene(2)))
    (violation,) = check_match(lonely, match)
    assert violation.elements == ("i2",)


def test_a_condition_may_identify_elements() -> None:
    # L -> P that merges two vertices: the condition speaks of matches that merge them too.
    left, point = graph(2), graph(1)
    (collapse,) = find_homs(left, point, monic=False)
    different = ApplicationCondition(ConditionKind.NAC, "different", collapse)
    rule = Rule("pair", identity(left), identity(left), (different,), monic=False)
    assert len(list(find_homs(left, graph(3), monic=False))) == 9
    assert len(list(find_matches(rule, graph(3)))) == 6


def test_case_21_no_less_and_no_more_than() -> None:
    # "At least 2 and fewer than 4 loops": vertices with 2, 3, 2, 4, 5, 1 loops; the first three.
    counts = [2, 3, 2, 4, 5, 1]
    state = graph(6, [(v, v) for v, count in enumerate(counts, start=1) for _ in range(count)])
    left = graph(1)
    conditions = tuple(
        ApplicationCondition(kind, f"{n} loops", inclusion(left, graph(1, [(1, 1)] * n)), True)
        for kind, n in ((ConditionKind.PAC, 2), (ConditionKind.NAC, 4))
    )
    rule = Rule("some", identity(left), identity(left), conditions)
    assert [match.by_name()["v1"] for match in find_matches(rule, state)] == ["v1", "v2", "v3"]
