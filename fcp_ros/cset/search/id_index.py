# SPDX-License-Identifier: Apache-2.0
"""Indexes over arrays of ids: rows by the id in a column, rows by all their legs, membership.

Ids ascend with creation and are mostly dense, so an index is an array with one place for each id up
to the greatest; where ids are sparse, it is a sorted array.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fcp_ros.cset.instance.columns import Column
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.relation_table import RelationTable
from fcp_ros.cset.instance.tables import FunctionTable

Mask = NDArray[np.bool_]


def ascending(ids: Iterable[int]) -> Column:
    """Convert ids to an ascending array."""
    return np.array(sorted(ids), dtype=np.int64)


def is_dense(greatest: int, count: int) -> bool:
    """Return True if an array with a place for each id is worth its memory."""
    return greatest <= 16 * count + 4096


class ColumnIndex:
    """The rows of a table, grouped by the id that they have in one column.

    Attributes:
        unique: whether no id is in two rows.
    """

    def __init__(self, rows: Column, position: int) -> None:
        keys = rows[:, position]
        ascending = not len(keys) or bool(np.all(keys[1:] >= keys[:-1]))
        self._rows = rows
        self._order = None if ascending else np.argsort(keys, kind="stable")
        self._columns: dict[int, Column] = {}
        if not len(keys) or is_dense(int(keys.max()), len(keys)):
            # One more place than the greatest id needs: where greater ones are looked up.
            greatest = int(keys.max()) if len(keys) else 0
            self._keys: Column | None = None
            self._counts = np.bincount(keys, minlength=greatest + 2)
        else:
            self._keys, counts = np.unique(keys, return_counts=True)
            self._counts = np.append(counts, 0)
        self._starts = np.cumsum(self._counts) - self._counts
        self.unique = bool(self._counts.max() <= 1)

    def __len__(self) -> int:
        return len(self._rows)

    def ranges(self, ids: Column) -> tuple[Column, Column]:
        """Look up for each id the first of its rows, in index order, and their number."""
        if self._keys is None:
            return self._starts.take(ids, mode="clip"), self._counts.take(ids, mode="clip")
        places = np.searchsorted(self._keys, ids)
        missing = self._keys.take(places, mode="clip") != ids
        places[missing] = len(self._keys)
        return self._starts.take(places), self._counts.take(places)

    def column(self, position: int) -> Column:
        """Return a column of the table, in index order."""
        found = self._columns.get(position)
        if found is None:
            plain = self._rows[:, position]
            found = plain.copy() if self._order is None else plain[self._order]
            found.setflags(write=False)
            self._columns[position] = found
        return found


class RowIndex:
    """The row of a relation that has given ids in all its legs.

    The legs are folded from the left: a prefix of legs that occurs has a number, and a number with
    one more leg is a key in the sorted array of all such keys.
    """

    def __init__(self, rows: Column) -> None:
        numbers: Column = np.zeros(len(rows), dtype=np.int64)
        self._folds: list[tuple[int, Column]] = []
        for leg in rows[:, 1:].T:
            span = int(leg.max(initial=0)) + 1
            keys, numbers = np.unique(numbers * span + leg, return_inverse=True)
            self._folds.append((span, keys))
        self._by_number = np.argsort(numbers)

    def find(self, legs: list[Column]) -> tuple[Column, Mask]:
        """Look up for each list of legs the index of its row, and a mask of those found."""
        # A prefix that does not occur gets a meaningless number, which `found` masks at the end. A
        # leg beyond the span would alias another key.
        numbers: Column = np.zeros(len(legs[0]), dtype=np.int64)
        found = np.ones(len(numbers), dtype=bool)
        for (span, keys), leg in zip(self._folds, legs, strict=True):
            if not len(keys):
                return numbers, np.zeros(len(numbers), dtype=bool)
            wanted = numbers * span + leg
            numbers = np.searchsorted(keys, wanted)
            found &= (keys.take(numbers, mode="clip") == wanted) & (leg < span)
        return self._by_number.take(numbers, mode="clip"), found


class IdSet:
    """A set of ids."""

    def __init__(self, ids: Column) -> None:
        """Make a set of ascending ids."""
        greatest = int(ids[-1]) if len(ids) else 0
        self._dense = is_dense(greatest, len(ids))
        if self._dense:
            self._places = np.zeros(greatest + 2, dtype=bool)
            self._places[ids] = True
        else:
            self._sorted = ids

    def contains(self, ids: Column) -> Mask:
        """Test which of some ids are in the set."""
        if self._dense:
            return self._places.take(ids, mode="clip")
        places = np.searchsorted(self._sorted, ids)
        return np.asarray(self._sorted.take(places, mode="clip") == ids)


def index_column(table: RelationTable | FunctionTable, position: int) -> ColumnIndex:
    """Return the index of a table by one column, built at the first call."""
    key = ("column", position)
    found = table.derived.get(key)
    if found is None:
        found = table.derived[key] = ColumnIndex(table.columns(), position)
    assert isinstance(found, ColumnIndex)
    return found


def is_indexed(table: RelationTable | FunctionTable) -> bool:
    """Return True if some column of a table has been indexed."""
    return any(isinstance(kept, ColumnIndex) for kept in table.derived.values())


def index_rows(table: RelationTable) -> RowIndex:
    """Return the index of a relation by all its legs, built at the first call."""
    found = table.derived.get("row")
    if found is None:
        found = table.derived["row"] = RowIndex(table.columns())
    assert isinstance(found, RowIndex)
    return found


def find_ids_of_type(instance: Instance, type_: str) -> IdSet:
    """Return the elements of a type and its subtypes, or the tuples of a relation."""
    if instance.schema.has_relation(type_):
        return IdSet(instance.relation_table(type_).columns()[:, 0])
    table = instance.element_table()
    found = table.derived.get(("ids", type_))
    if found is None:
        found = table.derived["ids", type_] = IdSet(table.ids_of(type_, True, instance.schema))
    assert isinstance(found, IdSet)
    return found
