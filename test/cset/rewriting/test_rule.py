# SPDX-License-Identifier: Apache-2.0
"""Rules are refused with a reason where they are none."""

import pytest
from example_graphs import cycle, graph, path

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Rule,
    RuleError,
    Schema,
    find_homs,
    identity,
    inclusion,
)

SCHEMA = Schema(
    "s",
    {"item": (), "mug": ("item",), "room": ()},
    relations=(Relation("in_room", (("item", "item"), ("room", "room")), static=True),),
)


def pattern(type_: str | None, *, related: bool = False) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    room = builder.add("room", "room")
    if type_ is not None:
        item = builder.add(type_, "item")
        if related:
            builder.relate("in_room", item, room)
    return builder.build()


def test_deleted_and_created() -> None:
    glue = graph(1)
    rule = Rule("turn", inclusion(glue, path(2)), inclusion(glue, cycle(1)))
    assert {rule.L.name_of(id_) for id_ in rule.deleted} == {"v2", "e1"}
    assert {rule.R.name_of(id_) for id_ in rule.created} == {"e1"}
    assert rule.K is glue
    assert rule.inverse().L is rule.R
    assert rule.inverse().deleted == rule.created


def test_case_27_gluing_along_a_left_leg_that_is_not_monic_is_refused() -> None:
    # Were it allowed, what remains after deletion would not be determined.
    glue, left = graph(2), graph(1)
    (collapse,) = find_homs(glue, left, monic=False)
    with pytest.raises(RuleError) as caught:
        Rule("split", collapse, identity(glue))
    assert str(caught.value) == (
        "rule 'split': the left leg is not monic: v1, v2 of K are one in L. Then what remains "
        "after deletion is not determined (the pushout complement is not unique); give K one "
        "element for each that is preserved"
    )
    with pytest.raises(RuleError, match="right leg is not monic: v1, v2 of K are one in R"):
        Rule("merge", identity(glue), collapse)


def test_legs_must_be_morphisms_from_one_instance() -> None:
    glue = graph(1)
    with pytest.raises(RuleError, match="both legs must start at the same instance K"):
        Rule("r", identity(glue), identity(graph(2)))
    with pytest.raises(RuleError, match="the right leg is no morphism: 'v1' has no image"):
        Rule("r", identity(glue), Morphism(glue, graph(1), {}))


def test_an_unnatural_leg_is_refused_with_element_and_values() -> None:
    glue, left = path(2), graph(3, [(1, 2), (1, 3)])
    names = {"v1": "v1", "v2": "v2", "e1": "e2"}
    leg = Morphism(glue, left, {glue.id_of(k): left.id_of(v) for k, v in names.items()})
    with pytest.raises(RuleError) as caught:
        Rule("bend", leg, identity(glue))
    assert str(caught.value) == (
        "rule 'bend': the left leg is no morphism: 'tgt' of 'e2' (image of 'e1') is 'v3', "
        "but it must be 'v2'"
    )


def test_all_problems_are_reported_at_once() -> None:
    glue, left = graph(2), graph(1)
    (collapse,) = find_homs(glue, left, monic=False)
    other = ApplicationCondition(ConditionKind.NAC, "loop", inclusion(path(3), path(4)))
    with pytest.raises(
        RuleError, match=r"left leg is not monic.*; condition 'loop' must start at L"
    ):
        Rule("r", collapse, identity(glue), (other,))


def test_types_are_kept() -> None:
    glue, left = pattern("item"), pattern("mug")
    with pytest.raises(RuleError, match="the left leg changes the type of 'item' from 'item' to"):
        Rule("r", inclusion(glue, left), identity(glue))


def test_static_relations_are_left_alone() -> None:
    bare, related = pattern("item"), pattern("item", related=True)
    with pytest.raises(RuleError, match=r"it deletes in_room\(item, room\), but 'in_room' is stat"):
        Rule("leave", inclusion(bare, related), identity(bare))
    with pytest.raises(RuleError, match=r"it creates in_room\(item, room\), but 'in_room' is stat"):
        Rule("enter", identity(bare), inclusion(bare, related))
    # With the element itself, its static tuples come and go.
    room = pattern(None)
    Rule("appear", identity(room), inclusion(room, related))
    Rule("vanish", inclusion(room, related), identity(room))


def test_conditions_start_at_the_left_side() -> None:
    glue = graph(1)
    left = inclusion(glue, path(2))
    other = ApplicationCondition(ConditionKind.NAC, "loop", inclusion(path(3), path(4)))
    with pytest.raises(RuleError, match="condition 'loop' must start at L"):
        Rule("r", left, identity(glue), (other,))
    broken = ApplicationCondition(ConditionKind.NAC, "loop", Morphism(left.target, path(3), {}))
    with pytest.raises(RuleError, match="condition 'loop' is no morphism: 'v1' has no image"):
        Rule("r", left, identity(glue), (broken,))
