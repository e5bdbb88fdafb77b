# SPDX-License-Identifier: Apache-2.0
"""Morphisms: naturality as values, composition, inclusion, isomorphism."""

from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import cycle, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st
from isomorphism import find_isomorphism, is_isomorphic

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    InstanceBuilder,
    InstanceError,
    Morphism,
    Relation,
    Schema,
    SchemaError,
    ViolationKind,
    find_homs,
    identity,
    inclusion,
    morphism,
)

SCHEMA = Schema(
    "s",
    {"item": (), "mug": ("item",)},
    relations=(Relation("on", (("a", "item"), ("b", "item"))),),
    attributes=(Attribute("colour", "item", AttributeKind.STRING),),
)


def two_items(first: str, second: str, related: bool, colour: str | None = None) -> InstanceBuilder:
    builder = InstanceBuilder(SCHEMA)
    a = builder.add(first, "a", {"colour": colour} if colour else None)
    b = builder.add(second, "b")
    if related:
        builder.relate("on", a, b)
    return builder


def test_each_kind_of_unnaturality_is_named() -> None:
    source = two_items("mug", "item", True, "red").build()
    target = two_items("item", "mug", True).build()
    a, b = target.id_of("a"), target.id_of("b")
    (row,) = target.tuples("on")
    ids = [*source.all_elements(), *source.tuples("on")]
    assert not identity(source).violations()
    straight = Morphism(source, target, dict(zip(ids, [a, b, row], strict=True)))
    assert [v.message for v in straight.violations()] == [
        "'a' is a 'mug', its image 'a' is a 'item'",
        "'colour' of 'a' is 'red', of 'a' None",
    ]
    crossed = Morphism(source, target, dict(zip(ids, [b, a, row], strict=True)))
    assert [v.message for v in crossed.violations()] == [
        "'colour' of 'a' is 'red', of 'b' None",
        "on(a, b) is sent to on(a, b), not leg by leg",
    ]
    partial = Morphism(source, target, {ids[0]: a, ids[1]: 99})
    assert [v.message for v in partial.violations()] == [
        "'b' is sent to id 99, which does not exist",
        "'on(a, b)' has no image",
    ]
    assert {v.kind for v in straight.violations()} == {ViolationKind.NATURALITY}


def test_functions_must_commute() -> None:
    source, target = path(2), path(3)
    names = {"v1": "v1", "v2": "v3", "e1": "e1"}
    mapping = {source.id_of(key): target.id_of(value) for key, value in names.items()}
    (violation,) = Morphism(source, target, mapping).violations()
    assert violation.message == "'tgt' of 'e1' (image of 'e1') is 'v2', but it must be 'v3'"
    with pytest.raises(InstanceError, match="not a morphism: 'tgt' of 'e1'"):
        morphism(source, target, mapping)
    other = Morphism(source, two_items("mug", "mug", False).build(), {})
    assert "different schemas" in other.violations()[0].message


def test_composition_and_identity() -> None:
    first = next(find_homs(path(2), path(3)))
    middle = first.target
    second = next(find_homs(middle, path(4)))
    both = first.compose(second)
    assert not both.violations()
    assert both.by_name() == {"v1": "v1", "v2": "v2", "e1": "e1"}
    assert identity(first.source).compose(first) == first
    assert first.compose(identity(middle)) == first
    assert hash(first.compose(identity(middle))) == hash(first)
    with pytest.raises(InstanceError, match="cannot compose"):
        first.compose(identity(path(9)))


def test_mono_and_epi() -> None:
    collapse = next(find_homs(path(3), cycle(1), monic=False))
    assert collapse.is_epic
    assert not collapse.is_monic
    assert {frozenset(group) for group in collapse.collisions()} == {
        frozenset({"v1", "v2", "v3"}),
        frozenset({"e1", "e2"}),
    }
    assert identity(path(3)).is_monic
    assert collapse.is_epic
    assert not collapse.is_iso


def test_monic_and_epic_by_type() -> None:
    # The walk 1 -> 1 -> 2 visits both vertices and both edges of {1->1, 1->2}; only its edges
    # differ.
    source, target = path(3), graph(2, [(1, 1), (1, 2)])
    (walk,) = (hom for hom in find_homs(source, target, monic=["E"]))
    assert walk.is_monic_on(["E"])
    assert not walk.is_monic_on(["V"])
    assert not walk.is_monic_on(["V", "E"])
    assert walk.is_epic_on(["V", "E"])
    stay = next(find_homs(path(2), target, monic=False))
    assert stay.image() == {target.id_of("v1"), target.id_of("e1")}
    assert not stay.is_epic_on(["V"])
    assert not stay.is_epic_on(["E"])
    assert stay.is_epic_on([])
    with pytest.raises(SchemaError, match="no type 'W'"):
        stay.is_monic_on(["W"])
    with pytest.raises(SchemaError):
        stay.is_epic_on(["W"])
    on = identity(two_items("mug", "item", True).build())
    assert on.is_monic_on(["on", "mug"])
    assert on.is_epic_on(["on", "item"])


def test_inverses() -> None:
    turn = next(find_homs(cycle(3), cycle(3)))
    assert turn.is_iso
    assert turn.compose(turn.inverse()) == identity(cycle(3))
    assert not turn.inverse().violations()
    collapse = next(find_homs(path(2), cycle(1), monic=False))
    with pytest.raises(InstanceError, match="no inverse: v1, v2 have the same image"):
        collapse.inverse()
    with pytest.raises(InstanceError, match="no inverse: nothing is sent to v3, e2"):
        inclusion(path(2), path(3)).inverse()


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (
            two_items("item", "item", False),
            two_items("mug", "item", False),
            "'a' is a 'mug', its image 'a' is a 'item'",
        ),
        (
            two_items("mug", "mug", False),
            two_items("mug", "mug", False, "red"),
            "'colour' of 'a' is 'red', of 'a' None",
        ),
    ],
)
def test_bijections_that_are_no_isomorphisms(
    source: InstanceBuilder, target: InstanceBuilder, reason: str
) -> None:
    found = inclusion(source.build(), target.build())
    assert found.is_monic
    assert found.is_epic
    assert not found.is_iso
    with pytest.raises(InstanceError, match=f"no inverse: {reason}"):
        found.inverse()


def test_inclusion_goes_by_name() -> None:
    small = two_items("item", "item", False).build()
    large = two_items("mug", "item", True).build()
    assert inclusion(small, large).by_name() == {"a": "a", "b": "b"}
    with pytest.raises(InstanceError, match=r"the target lacks the image of on\(a, b\)"):
        inclusion(two_items("item", "item", True).build(), small)
    with pytest.raises(InstanceError, match="the target has no element v3"):
        inclusion(path(3), path(2))


def test_isomorphism() -> None:
    assert is_isomorphic(graph(3, [(1, 2), (2, 3)]), graph(3, [(3, 1), (2, 3)]))
    assert not is_isomorphic(cycle(6), graph(6, [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)]))
    assert not is_isomorphic(path(3), path(4))
    assert not is_isomorphic(path(3), two_items("mug", "mug", True).build())
    assert not is_isomorphic(
        two_items("mug", "mug", True).build(), two_items("mug", "mug", True, "red").build()
    )
    assert not is_isomorphic(
        two_items("item", "mug", False).build(), two_items("item", "item", False).build()
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_renamed_copy_is_isomorphic(data: st.DataObject, instances: Callable[..., Any]) -> None:
    original = data.draw(instances())
    order = data.draw(st.permutations(original.all_elements()))
    builder = InstanceBuilder(original.schema)
    new = {
        old: builder.add(original.type_of(old), f"x{old}", original.attributes(old))
        for old in order
    }
    for old in original.elements("robot"):
        builder.set_function("home", new[old], new[original.apply("home", old)])
    for relation in original.schema.relations:
        for legs in original.tuples(relation.name).values():
            builder.relate(relation.name, *(new[leg] for leg in legs))
    copy = builder.build(allow_conflicts=True)
    found = find_isomorphism(original, copy)
    assert found is not None
    assert not found.violations()
    assert not found.inverse().violations()
    assert found.is_iso
