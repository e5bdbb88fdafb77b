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
    find_hom,
    find_homs,
)
from fcp_ros.cset.value_expressions import (
    Comparator,
    Operator,
    ValueComparison,
    ValueExpressionError,
    ValueOperation,
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


def test_a_variable_matches_whatever_is_set() -> None:
    assert search(items({"price": X})) == ["a1", "a3", "p3"]
    assert search(items({})) == ["a1", "a3", "p0", "p3"]
    assert [hom.values for hom in find_homs(items({"price": X}), shop())] == [
        {"x": 1},
        {"x": 3},
        {"x": 3},
    ]


def test_a_variable_is_one_value_throughout() -> None:
    assert search(items({"price": X}, {"price": X})) == ["a3 p3", "p3 a3"]
    assert search(items({"price": X}, {"price": X}), monic=False) == [
        "a1 a1",
        "a3 a3",
        "a3 p3",
        "p3 a3",
        "p3 p3",
    ]
    assert search(items({"price": 3, "label": X}, {"price": 1, "label": X})) == ["a3 a1"]
    assert search(items({"price": X, "label": X})) == []


def test_values_of_different_kinds_may_be_equal() -> None:
    builder = InstanceBuilder(SCHEMA)
    builder.add("item", "i", {"price": X})
    builder.add("shelf", "s", {"load": X})
    assert search(builder.build()) == ["a1 s1"]


def test_tuples_have_attributes() -> None:
    builder = InstanceBuilder(SCHEMA)
    item, shelf = builder.add("item", "i"), builder.add("shelf", "s")
    row = builder.relate("lies", item, shelf)
    assert len(search(builder.build())) == 4
    builder.set_attribute(row, "since", 10)
    assert search(builder.build()) == ["a1 s1 lies(a1, s1)", "p3 s1 lies(p3, s1)"]
    builder.set_attribute(row, "since", X)
    assert len(search(builder.build())) == 3
    builder.set_attribute(item, "price", Y)
    ten_times = ValueComparison(X, Comparator.EQUAL, ValueOperation(Operator.MULTIPLY, (Y, 10)))
    assert search(builder.build(), [ten_times]) == ["a1 s1 lies(a1, s1)"]
    assert find_hom(builder.build(), shop(), where=[ten_times]).values == {"x": 10, "y": 1}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("comparator", "expected"),
    [
        (Comparator.EQUAL, ["a3 p3", "p3 a3"]),
        (Comparator.UNEQUAL, ["a1 a3", "a1 p3", "a3 a1", "p3 a1"]),
        (Comparator.LESS, ["a1 a3", "a1 p3"]),
        (Comparator.LESS_OR_EQUAL, ["a1 a3", "a1 p3", "a3 p3", "p3 a3"]),
        (Comparator.GREATER, ["a3 a1", "p3 a1"]),
        (Comparator.GREATER_OR_EQUAL, ["a3 a1", "a3 p3", "p3 a1", "p3 a3"]),
    ],
)
def test_comparisons(comparator: Comparator, expected: list[str]) -> None:
    assert (
        search(items({"price": X}, {"price": Y}), [ValueComparison(X, comparator, Y)]) == expected
    )


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


def test_comparisons_of_what_is_fixed_from_the_start() -> None:
    pattern, target = items({"price": X}, {"price": Y}), shop()
    less = [ValueComparison(X, Comparator.LESS, Y)]
    first, second = (pattern.id_of(name) for name in ("i1", "i2"))
    for fixed, expected in (("a1", ["a1 a3", "a1 p3"]), ("a3", []), ("p0", [])):
        found = find_homs(pattern, target, where=less, initial={first: target.id_of(fixed)})
        assert names(found) == expected
    both = {first: target.id_of("a1"), second: target.id_of("p3")}
    assert names(find_homs(pattern, target, where=less, initial=both)) == ["a1 p3"]
    both = {first: target.id_of("p3"), second: target.id_of("a1")}
    assert names(find_homs(pattern, target, where=less, initial=both)) == []


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
