# SPDX-License-Identifier: Apache-2.0
"""Attribute variables and comparisons in searches."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Schema,
    find_homs,
)
from fcp_ros.cset.value_expressions import (
    Comparator,
    ValueComparison,
    ValueExpressionError,
    ValueVariable,
)

SCHEMA = Schema(
    "trade",
    {"item": (), "shelf": ()},
    (),
    (Relation("lies", (("item", "item"), ("shelf", "shelf"))),),
    (
        Attribute("price", "item", AttributeKind.INT),
        Attribute("load", "shelf", AttributeKind.FLOAT),
        Attribute("label", "item", AttributeKind.STRING),
        Attribute("since", "lies", AttributeKind.INT),
    ),
)
X, Y, Z = ValueVariable("x"), ValueVariable("y"), ValueVariable("z")


def shop() -> Instance:
    """Apples for 1 and 3, pears for 3 and without a price, on two shelves."""
    builder = InstanceBuilder(SCHEMA)
    shelves = [builder.add("shelf", f"s{n}", {"load": float(n)}) for n in (1, 2)]
    for name, label, price, shelf, since in (
        ("a1", "apple", 1, 0, 10),
        ("a3", "apple", 3, 1, 20),
        ("p3", "pear", 3, 0, 10),
        ("p0", "pear", None, 1, None),
    ):
        item = builder.add("item", name, {"label": label})
        builder.set_attribute(item, "price", price)
        builder.set_attribute(builder.relate("lies", item, shelves[shelf]), "since", since)
    return builder.build()


def items(*attributes: dict[str, Any]) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    for number, values in enumerate(attributes, start=1):
        builder.add("item", f"i{number}", values)
    return builder.build()


def names(homs: Iterable[Morphism]) -> list[str]:
    """The images' names, joined."""
    return sorted(" ".join(map(hom.target.name_of, hom.mapping.values())) for hom in homs)


def search(pattern: Instance, where: Sequence[ValueComparison] = (), **options: Any) -> list[str]:
    return names(find_homs(pattern, shop(), where=where, **options))


def test_values_of_different_kinds_may_be_equal() -> None:
    builder = InstanceBuilder(SCHEMA)
    builder.add("item", "i", {"price": X})
    builder.add("shelf", "s", {"load": X})
    assert search(builder.build()) == ["a1 s1"]


def test_a_comparison_is_made_as_soon_as_it_can_be() -> None:
    # If the 5 other items were chosen first, this would take 4^5 or more times as many steps.
    builder = InstanceBuilder(SCHEMA)
    for price in range(60):
        builder.add("item", f"i{price}", {"price": price})
    pattern = items({"price": X}, {"price": Y}, {}, {}, {}, {}, {})
    where = [ValueComparison(X, Comparator.LESS, Y), ValueComparison(Y, Comparator.LESS, X)]
    homs = find_homs(pattern, builder.build(), where=where, monic=False)
    assert list(homs) == []
    never = [ValueComparison(1, Comparator.GREATER, 2)]
    assert list(find_homs(pattern, builder.build(), where=never)) == []


def test_comparisons_without_a_meaning_are_refused() -> None:
    pattern = items({"price": X, "label": Y})
    with pytest.raises(ValueError, match=r"pattern has no variable z; its variables are: x, y"):
        find_homs(pattern, shop(), where=[ValueComparison(X, Comparator.LESS, Z)])
    homs = find_homs(pattern, shop(), where=[ValueComparison(X, Comparator.LESS, Y)])
    with pytest.raises(ValueExpressionError, match=r"\?x < \?y: 1 and 'apple' cannot be ordered"):
        next(homs)


def test_variables_of_the_target_are_plain_values() -> None:
    left, right = items({"price": X}), items({"price": X}, {"price": Y}, {"price": 4})
    homs = list(find_homs(left, right))
    assert [hom.values["x"] for hom in homs] == [X, Y, 4]
    assert not any(hom.violations() for hom in homs)
    twice = items({"price": X}, {"price": X})
    assert [set(hom.by_name().values()) for hom in find_homs(twice, right, monic=False)] == [
        {"i1"},
        {"i2"},
        {"i3"},
    ]
