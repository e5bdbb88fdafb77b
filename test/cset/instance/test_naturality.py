# SPDX-License-Identifier: Apache-2.0
"""Naturality: the quick test against the one that gives reasons; variables and operations."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    InstanceBuilder,
    InstanceError,
    Morphism,
    Relation,
    Schema,
    identity,
    inclusion,
    morphism,
)
from fcp_ros.cset.morphisms import (
    bind_values,
    find_naturality_violations,
    is_natural,
    substitute_values,
)
from fcp_ros.cset.value_expressions import Operator, ValueOperation, ValueVariable

SCHEMA = Schema(
    "s",
    {"item": ()},
    relations=(Relation("on", (("a", "item"), ("b", "item"))),),
    attributes=(
        Attribute("size", "item", AttributeKind.INT),
        Attribute("grip", "on", AttributeKind.INT),
    ),
)
X, Y, Z = ValueVariable("x"), ValueVariable("y"), ValueVariable("z")


def plus(left: Any, right: Any) -> ValueOperation:
    return ValueOperation(Operator.ADD, (left, right))


def items(*sizes: Any, grip: Any = None) -> Instance:
    """Items of these sizes; the first is on the second where there is a grip."""
    builder = InstanceBuilder(SCHEMA)
    ids = []
    for number, size in enumerate(sizes, start=1):
        ids.append(builder.add("item", f"i{number}"))
        builder.set_attribute(ids[-1], "size", size)
    if grip is not None:
        builder.set_attribute(builder.relate("on", *ids[:2]), "grip", grip)
    return builder.build()


def straight(source: Instance, target: Instance, **values: Any) -> Morphism:
    return Morphism(source, target, {e: e for e in source.element_table().types}, values)


def messages(found: Morphism) -> list[str]:
    return [violation.message for violation in found.violations()]


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_quick_test_agrees_with_the_reasons(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    source = data.draw(instances(2, numbers=True))
    target = source if data.draw(st.booleans()) else data.draw(instances(2, numbers=True))
    ids = [*source.all_elements(), *(r for n in ("on", "near", "closed") for r in source.tuples(n))]
    images = st.sampled_from([*ids, 1, 2, 3, 999])
    mapping = {id_: id_ for id_ in ids}
    mapping.update(data.draw(st.dictionaries(st.sampled_from(ids), images, max_size=2)))
    for id_ in data.draw(st.lists(st.sampled_from(ids), max_size=1)):
        del mapping[id_]
    parts = (source, target, mapping, {})
    assert is_natural(*parts) == (not list(find_naturality_violations(*parts)))


def test_variables_take_one_value() -> None:
    source = items(X, X)
    assert straight(source, items(1, 1)).violations() == ()
    assert messages(straight(source, items(1, 2))) == ["'size' of 'i2' is ?x, here 1, of 'i2' 2"]
    assert messages(straight(source, items(1, 1), x=2)) == [
        "'size' of 'i1' is ?x, here 2, of 'i1' 1",
        "'size' of 'i2' is ?x, here 2, of 'i2' 1",
    ]
    assert messages(straight(source, items(1, None))) == [
        "'size' of 'i2' is ?x, here 1, of 'i2' None"
    ]
    assert messages(straight(items(X), items(None))) == ["'size' of 'i1' is ?x, of 'i1' None"]
    assert straight(source, items(1, 2)).violations()[0].symbol == "size"


def test_variables_go_to_variables() -> None:
    assert identity(items(X, Y)).violations() == ()
    assert straight(items(X, Y), items(Z, Z)).violations() == ()
    assert straight(items(X, X), items(X, Y)).violations() != ()
    assert inclusion(items(X), items(X, 3)).values == {"x": X}


def test_operations_become_what_they_come_to() -> None:
    source = items(X, plus(X, 1))
    assert straight(source, items(2, 3)).violations() == ()
    assert messages(straight(source, items(2, 2))) == [
        "'size' of 'i2' is (?x + 1), here 3, of 'i2' 2"
    ]
    assert straight(source, items(Y, plus(Y, 1))).violations() == ()
    assert straight(source, items(Y, plus(X, 1))).violations() != ()
    alone = items(plus(X, 1))
    assert straight(alone, items(3), x=2).violations() == ()
    assert straight(alone, items(3)).violations() != ()
    assert identity(alone).violations() == ()
    ratio = items(ValueOperation(Operator.DIVIDE, (1, X)))
    assert messages(straight(ratio, items(1), x=0)) == [
        "'size' of 'i1' is (1 / ?x), without a value, of 'i1' 1"
    ]
    assert messages(straight(ratio, items(None), x=0)) != []


def test_tuples_keep_their_attributes() -> None:
    source = items(X, None, grip=X)
    assert morphism(source, items(2, 2, grip=2), {1: 1, 2: 2}).values == {"x": 2}
    with pytest.raises(InstanceError, match=r"'grip' of 'on\(i1, i2\)' is \?x, here 2, .* 3"):
        morphism(source, items(2, 2, grip=3), {1: 1, 2: 2})


def test_composition_passes_values_on() -> None:
    first = morphism(items(X, Y), items(Z, 3), {1: 1, 2: 2})
    second = morphism(items(Z, 3), items(5, 3), {1: 1, 2: 2})
    assert first.values == {"x": Z, "y": 3}
    assert second.values == {"z": 5}
    both = first.compose(second)
    assert both.values == {"x": 5, "y": 3}
    assert both.violations() == ()
    assert identity(items(X)).compose(morphism(items(X), items(1), {1: 1})).values == {"x": 1}


def test_values_that_are_given_come_first() -> None:
    assert bind_values(items(X, Y), items(1, 2), {1: 1, 2: 2}, {"x": 7}) == {"x": 7, "y": 2}
    assert bind_values(items(X), items(None), {1: 1}, {}) == {}


def test_substitution() -> None:
    assert substitute_values(plus(X, plus(Y, 1)), {"x": 2}) == plus(2, plus(Y, 1))
    assert substitute_values(plus(X, plus(Y, 1)), {"x": 2, "y": 3}) == 6
    assert substitute_values(X, {}) == X
    assert substitute_values("red", {"red": 1}) == "red"
    assert substitute_values(plus(X, 1), {"x": "red"}) is None
