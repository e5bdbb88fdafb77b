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
"""An index is built once at least one in this many ids is asked for."""


class AttributeIndex:
    """The value of each element or tuple, as a number.

    Attributes:
        values: the different values, in order of their numbers.
    """

    def __init__(self, table: Mapping[int, Any]) -> None:
        """Index the values by id."""
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

    def look_up(self, ids: Column) -> Column:
        """Look up the number of the value of each id."""
        if self._ids is None:
            return self._numbers.take(ids, mode="clip")
        places = np.searchsorted(self._ids, ids)
        found = self._ids.take(places, mode="clip") == ids
        return np.where(found, self._numbers.take(places, mode="clip"), UNSET)


def index_attribute(target: Instance, attribute: str, asked: int) -> AttributeIndex | None:
    """Return the index of an attribute; None as long as too little is asked to build it.

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
"""Whole numbers up to this size are exact as floating point numbers."""

_ON_ARRAYS: Mapping[Comparator, np.ufunc] = {
    Comparator.LESS: np.less,
    Comparator.LESS_OR_EQUAL: np.less_equal,
    Comparator.GREATER: np.greater,
    Comparator.GREATER_OR_EQUAL: np.greater_equal,
}


class ColumnValues:
    """The attribute values that one search meets, by numbers."""

    def __init__(self, target: Instance) -> None:
        """Start without values."""
        self._target = target
        self._numbers: dict[tuple[bool, Any], int] = {}
        self._values: list[Any] = []
        # For each number the first number of an equal value. The last entry is that of UNSET, -1.
        self._firsts: list[int] = [UNSET]
        self._by_value: dict[Any, int] = {}
        self._translations: dict[str, Column] = {}

    def number(self, value: AttributeValue | None) -> int:
        """Return the number of a value; that of a value that is not set is `UNSET`."""
        if value is None:
            return UNSET
        found = self._numbers.setdefault((isinstance(value, bool), value), len(self._values))
        if found == len(self._values):
            self._values.append(value)
            self._firsts.insert(-1, self._by_value.setdefault(value, found))
        return found

    def equal(self, one: Column, other: Column | int) -> Mask:
        """Test where two numbers stand for equal values, or both for no value."""
        if len(self._by_value) == len(self._values):
            return np.asarray(one == other)
        firsts = np.array(self._firsts)
        return np.asarray(firsts[one] == firsts[other])

    def of(self, attribute: str, ids: Column) -> Column:
        """Look up the numbers of the values that elements or tuples have."""
        index = index_attribute(self._target, attribute, len(ids))
        if index is None:
            get = self._target.attribute_table(attribute).get
            return np.array([self.number(get(id_)) for id_ in ids.tolist()], dtype=np.int64)
        translation = self._translations.get(attribute)
        if translation is None:
            # Last comes the number of no value, which is -1 in the index.
            translation = np.array([*map(self.number, index.values), UNSET], dtype=np.int64)
            self._translations[attribute] = translation
        return translation[index.look_up(ids)]

    def compare(self, comparison: ValueComparison, columns: Mapping[str, Column]) -> Mask:
        """Test where a comparison holds.

        Args:
            comparison: of values of variables.
            columns: the numbers of the values of each variable.

        Raises:
            ValueExpressionError: for some values, a side has none, or they cannot be ordered.
        """
        left, right = comparison.left, comparison.right
        if not isinstance(left, ValueOperation) and not isinstance(right, ValueOperation):
            quickly = self._compare_arrays(left, comparison.comparator, right, columns)
            if quickly is not None:
                return quickly
        names = list(columns)
        combinations, which = self._find_combinations([columns[name] for name in names])
        holds = [
            comparison.holds({n: self._values[c] for n, c in zip(names, row, strict=True)})
            for row in combinations.tolist()
        ]
        return np.array(holds, dtype=bool)[which]

    def _compare_arrays(
        self,
        left: ValueVariable | AttributeValue,
        comparator: Comparator,
        right: ValueVariable | AttributeValue,
        columns: Mapping[str, Column],
    ) -> Mask | None:
        """Compare on arrays; return None if the values cannot be held in arrays."""
        one, other = (
            columns[side.name] if isinstance(side, ValueVariable) else np.array([self.number(side)])
            for side in (left, right)
        )
        if comparator not in _ON_ARRAYS:
            same = self.equal(one, other)
            return same if comparator is Comparator.EQUAL else ~same
        floats = np.array([_to_exact_float(value) for value in self._values])
        one, other = floats.take(one), floats.take(other)
        if np.isnan(one).any() or np.isnan(other).any():
            return None
        return np.asarray(_ON_ARRAYS[comparator](one, other))

    def _find_combinations(self, columns: list[Column]) -> tuple[Column, Column]:
        """Find the different rows, and for each row the index of its combination."""
        folded, *others = columns
        for column in others:
            folded = np.unique(folded, return_inverse=True)[1] * len(self._values) + column
        _, first, which = np.unique(folded, return_index=True, return_inverse=True)
        return np.stack([column[first] for column in columns], axis=1), which


def _to_exact_float(value: object) -> float:
    """Convert a number to floating point; NaN if that is inexact or it is no number."""
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _EXACT:
        return float(value)
    return float("nan")
