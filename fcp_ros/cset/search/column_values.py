# SPDX-License-Identifier: Apache-2.0
"""Columns of attribute values, and comparisons of them.

The values that one search meets are numbered, so variables are bound to columns of numbers. Equal
values have one number, whatever their attributes; but a truth value and the number that it equals
have two, because one can be computed with and the other cannot. `equal` knows.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fcp_ros.cset.instance.columns import Column
from fcp_ros.cset.instance.expressions import (
    Comparator,
    ValueComparison,
    ValueOperation,
    ValueVariable,
)
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import AttributeValue
from fcp_ros.cset.search.id_index import Mask, is_dense

UNSET = -1
"""The number of no value."""

_LOOK_UP = 4
"""An index is made when at least one in so many ids is asked for."""


class AttributeIndex:
    """Which value each element or tuple has.

    Attributes:
        values: the different values, in order of their numbers.
    """

    def __init__(self, table: Mapping[int, Any]) -> None:
        """The index of the values by id."""
        numbers: dict[Any, int] = {}
        ids = np.fromiter(table.keys(), np.int64, len(table))
        given = [numbers.setdefault(value, len(numbers)) for value in table.values()]
        greatest = int(ids.max(initial=0))
        self.values = list(numbers)
        self._ids: Column | None = None
        if is_dense(greatest, len(ids)):
            # One more place than the greatest id needs: where greater ones are looked up.
            self._numbers = np.full(greatest + 2, UNSET)
            self._numbers[ids] = given
        else:
            order = np.argsort(ids)
            self._ids, self._numbers = ids[order], np.array(given, dtype=np.int64)[order]

    def numbers_of(self, ids: Column) -> Column:
        """The number of the value of each id."""
        if self._ids is None:
            return self._numbers.take(ids, mode="clip")
        places = np.searchsorted(self._ids, ids)
        found = self._ids.take(places, mode="clip") == ids
        return np.where(found, self._numbers.take(places, mode="clip"), UNSET)


def attribute_index(target: Instance, attribute: str, asked: int) -> AttributeIndex | None:
    """The index of an attribute, made when enough is asked for; None as long as it is not worth it.

    Args:
        target: where the attribute is.
        attribute: its name.
        asked: how many ids are to be looked up.
    """
    kept = target.attribute_derived(attribute)
    found = kept.get("index")
    if found is None:
        table = target.attribute_table(attribute)
        if not table or asked * _LOOK_UP < len(table):
            return None
        found = kept["index"] = AttributeIndex(table)
    assert isinstance(found, AttributeIndex)
    return found


_EXACT = 2**53
"""Up to this size, whole numbers are exact as floating point numbers."""

_ON_ARRAYS: Mapping[Comparator, np.ufunc] = {
    Comparator.LESS: np.less,
    Comparator.LESS_OR_EQUAL: np.less_equal,
    Comparator.GREATER: np.greater,
    Comparator.GREATER_OR_EQUAL: np.greater_equal,
}


class ColumnValues:
    """The attribute values that one search meets, by numbers."""

    def __init__(self, target: Instance) -> None:
        """None met so far."""
        self._target = target
        self._numbers: dict[tuple[bool, Any], int] = {}
        self._values: list[Any] = []
        # The first number of an equal value for each number, and last for that of no value.
        self._firsts: list[int] = [UNSET]
        self._by_value: dict[Any, int] = {}
        self._translations: dict[str, Column] = {}

    def number(self, value: AttributeValue | None) -> int:
        """The number of a value; that of one that is not set is `UNSET`."""
        if value is None:
            return UNSET
        found = self._numbers.setdefault((isinstance(value, bool), value), len(self._values))
        if found == len(self._values):
            self._values.append(value)
            self._firsts.insert(-1, self._by_value.setdefault(value, found))
        return found

    def equal(self, one: Column, other: Column | int) -> Mask:
        """Where the numbers are those of equal values, or both of no value."""
        if len(self._by_value) == len(self._values):
            return np.asarray(one == other)
        firsts = np.array(self._firsts)
        return np.asarray(firsts[one] == firsts[other])

    def of(self, attribute: str, ids: Column) -> Column:
        """The numbers of the values that elements or tuples have."""
        index = attribute_index(self._target, attribute, len(ids))
        if index is None:
            get = self._target.attribute_table(attribute).get
            return np.array([self.number(get(id_)) for id_ in ids.tolist()], dtype=np.int64)
        translation = self._translations.get(attribute)
        if translation is None:
            # Last comes the number of no value, which is -1 in the index.
            translation = np.array([*map(self.number, index.values), UNSET], dtype=np.int64)
            self._translations[attribute] = translation
        return translation[index.numbers_of(ids)]

    def compare(self, comparison: ValueComparison, columns: Mapping[str, Column]) -> Mask:
        """Where a comparison holds.

        Args:
            comparison: of values of variables.
            columns: the numbers of the values of each variable.

        Raises:
            ValueExpressionError: for some values, a side has none, or they cannot be ordered.
        """
        left, right = comparison.left, comparison.right
        if not isinstance(left, ValueOperation) and not isinstance(right, ValueOperation):
            quickly = self._compared_at_once(left, comparison.comparator, right, columns)
            if quickly is not None:
                return quickly
        names = list(columns)
        combinations, which = self._combinations([columns[name] for name in names])
        holds = [
            comparison.holds({n: self._values[c] for n, c in zip(names, row, strict=True)})
            for row in combinations.tolist()
        ]
        return np.array(holds, dtype=bool)[which]

    def _compared_at_once(
        self,
        left: ValueVariable | AttributeValue,
        comparator: Comparator,
        right: ValueVariable | AttributeValue,
        columns: Mapping[str, Column],
    ) -> Mask | None:
        """The comparison on arrays, None where it is not of what arrays can hold."""
        one, other = (
            columns[side.name] if isinstance(side, ValueVariable) else np.array([self.number(side)])
            for side in (left, right)
        )
        if comparator not in _ON_ARRAYS:
            same = self.equal(one, other)
            return same if comparator is Comparator.EQUAL else ~same
        floats = np.array([_exact(value) for value in self._values])
        one, other = floats.take(one), floats.take(other)
        if np.isnan(one).any() or np.isnan(other).any():
            return None
        return np.asarray(_ON_ARRAYS[comparator](one, other))

    def _combinations(self, columns: list[Column]) -> tuple[Column, Column]:
        """The different rows, and which of them each row is."""
        folded, *others = columns
        for column in others:
            folded = np.unique(folded, return_inverse=True)[1] * len(self._values) + column
        _, first, which = np.unique(folded, return_index=True, return_inverse=True)
        return np.stack([column[first] for column in columns], axis=1), which


def _exact(value: object) -> float:
    """A number as floating point; NaN where it would be another one, and for what is none."""
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _EXACT:
        return float(value)
    return float("nan")
