# SPDX-License-Identifier: Apache-2.0
"""Morphisms: naturality as values, composition, inclusion, isomorphism."""

from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import cycle, path
from hypothesis import given, settings
from hypothesis import strategies as st
from isomorphism import find_isomorphism

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    InstanceBuilder,
    InstanceError,
    Morphism,
    Relation,
    Schema,
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


def test_collisions_are_what_is_not_monic() -> None:
    collapse = next(find_homs(path(3), cycle(1), monic=False))
    assert not collapse.is_monic
    assert {frozenset(group) for group in collapse.collisions()} == {
        frozenset({"v1", "v2", "v3"}),
        frozenset({"e1", "e2"}),
    }
    assert identity(path(3)).is_monic
    assert identity(path(3)).collisions() == ()


def test_inclusion_goes_by_name() -> None:
    small = two_items("item", "item", False).build()
    large = two_items("mug", "item", True).build()
    assert inclusion(small, large).by_name() == {"a": "a", "b": "b"}
    with pytest.raises(InstanceError, match=r"the target lacks the image of on\(a, b\)"):
        inclusion(two_items("item", "item", True).build(), small)
    with pytest.raises(InstanceError, match="the target has no element v3"):
        inclusion(path(3), path(2))


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
