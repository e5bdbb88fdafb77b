# SPDX-License-Identifier: Apache-2.0
"""Columns of attribute values against the values themselves."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Attribute, AttributeKind, Instance, InstanceBuilder, Schema, find_homs
from fcp_ros.cset.instance.expressions import (
    Comparator,
    Operator,
    ValueComparison,
    ValueExpressionError,
    ValueOperation,
    ValueVariable,
)
from fcp_ros.cset.search.column_values import UNSET, AttributeIndex, ColumnValues, index_attribute

SCHEMA = Schema(
    "s",
    {"thing": ()},
    attributes=(
        Attribute("count", "thing", AttributeKind.INT),
        Attribute("size", "thing", AttributeKind.FLOAT),
        Attribute("flag", "thing", AttributeKind.BOOL),
        Attribute("label", "thing", AttributeKind.STRING),
    ),
)
X, Y = ValueVariable("x"), ValueVariable("y")
# 2^53 and 2^53 + 1 are one floating point number, but two integers.
VALUES = st.sampled_from([0, 1, 2, 2**53, 2**53 + 1, 0.5, 1.0, -1.5, True, False, "a", "b"])
SIDES = st.one_of(
    st.sampled_from([X, Y, X, Y, ValueOperation(Operator.ADD, (X, 1))]),
    VALUES,
)


def things(*values: dict[str, Any], skipped: int = 0) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    for _ in range(skipped):
        builder.remove(builder.add("thing"))
    for given_ in values:
        builder.add("thing", attributes=given_)
    return builder.build()


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=6),
    left=SIDES,
    comparator=st.sampled_from(Comparator),
    right=SIDES,
)
def test_comparing_columns_is_comparing_values(
    rows: list[tuple[Any, Any]], left: Any, comparator: Comparator, right: Any
) -> None:
    comparison = ValueComparison(left, comparator, right)
    values = ColumnValues(things())
    columns = {
        variable.name: np.array([values.number(row[at]) for row in rows])
        for at, variable in enumerate((X, Y))
    }
    try:
        expected = [comparison.holds({"x": x, "y": y}) for x, y in rows]
    except ValueExpressionError:
        with pytest.raises(ValueExpressionError):
            values.compare(comparison, columns)
        return
    found = np.broadcast_to(values.compare(comparison, columns), (len(rows),))
    assert found.tolist() == expected


@settings(max_examples=60, deadline=None)
@given(
    table=st.dictionaries(st.integers(1, 12), VALUES),
    offset=st.sampled_from([0, 10**6]),
    asked=st.lists(st.integers(1, 14)),
)
def test_indexes_know_every_value(table: dict[int, Any], offset: int, asked: list[int]) -> None:
    shifted = {id_ + offset: value for id_, value in table.items()}
    index = AttributeIndex(shifted)
    numbers = index.look_up(np.array(asked, dtype=np.int64) + offset)
    assert [None if n == UNSET else index.values[n] for n in numbers.tolist()] == [
        table.get(id_) for id_ in asked
    ]


def test_an_index_is_made_when_enough_is_asked_for() -> None:
    target = things(*({"count": number % 3} for number in range(40)), {})
    assert index_attribute(target, "count", 9) is None
    index = index_attribute(target, "count", 10)
    assert index is not None
    assert index.values == [0, 1, 2]
    assert index_attribute(target, "count", 1) is index
    assert index_attribute(target, "size", 100) is None
    ids = np.array([*target.elements("thing")], dtype=np.int64)
    values = ColumnValues(target)
    values.number(2)
    assert values.of("count", ids).tolist() == [*([1, 2, 0] * 14)[:40], UNSET]
    few = ColumnValues(target)
    assert few.of("size", ids).tolist() == [UNSET] * 41


@pytest.mark.parametrize("skipped", [0, 6000])
def test_searches_with_and_without_an_index_agree(skipped: int) -> None:
    values = [{"count": n % 4, "size": n / 2, "flag": n % 2 == 0} for n in range(12)]
    target = things(*values, *({"label": str(n)} for n in range(60)), skipped=skipped)
    pattern = things({"count": X, "flag": True}, {"size": X})
    homs = find_homs(pattern, target, monic=False)
    first = [column.tolist() for column in homs.columns().values()]
    found = list(zip(*(hom.mapping.values() for hom in homs), strict=True))
    assert [tuple(column) for column in first] == found
    # count 0 or 2 of the even ones, whose halves 0.0 and 2.0 are those of numbers 0 and 4.
    assert len(first[0]) == 6


def test_a_truth_value_and_the_number_it_equals_are_told_apart() -> None:
    # Met first, False must not take the place of 0, with which one can compute.
    pattern = things({"flag": X, "count": Y})
    target = things({"flag": False, "count": 0}, {"flag": True, "count": 2})
    where = [ValueComparison(ValueOperation(Operator.ADD, (Y, 1)), Comparator.EQUAL, 1)]
    assert find_homs(pattern, target, where=where).count() == 1
    # They are equal nevertheless: one variable matches both.
    assert find_homs(things({"flag": X, "count": X}), target).count() == 1
    assert len(list(find_homs(things({"flag": X, "count": X}), target))) == 1
