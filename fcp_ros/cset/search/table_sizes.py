# SPDX-License-Identifier: Apache-2.0
"""How large the tables of a target are: what join orders are chosen by, and plans kept under."""

from dataclasses import dataclass

import numpy as np

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.tables import Column
from fcp_ros.cset.search.pattern import AtomKind

_KEY = "sizes"


@dataclass(frozen=True)
class TableSizes:
    """The size of one table.

    Attributes:
        rows: how many there are.
        distinct: for each column, how many different elements are in it.
        magnitude: the orders of magnitude of these.
    """

    rows: int
    distinct: tuple[int, ...]
    magnitude: tuple[int, ...]

    def candidates(self, position: int) -> float:
        """How many rows, on average, have a certain element in a column."""
        return self.rows / (self.distinct[position] or 1)


def sizes_by_index(target: Instance, kind: AtomKind, name: str) -> TableSizes:
    """The size of a table, counted with the hash indexes, which a table keeps up to date."""
    if kind is AtomKind.ELEMENT:
        return _element_sizes(target, name)
    if kind is AtomKind.FUNCTION:
        function = target.function_table(name)
        found = function.derived.get(_KEY)
        if found is None:
            rows = len(function.values)
            found = function.derived[_KEY] = _sizes(rows, (rows, len(function.preimages())))
    else:
        table = target.relation_table(name)
        found = table.derived.get(_KEY)
        if found is None:
            rows = len(table.rows)
            legs = range(len(target.schema.relation(name).legs))
            distinct = (rows, *(len(table.index(position)) for position in legs))
            found = table.derived[_KEY] = _sizes(rows, distinct)
    assert isinstance(found, TableSizes)
    return found


def sizes_by_column(target: Instance, kind: AtomKind, name: str) -> TableSizes:
    """The same, counted in the columns, so that no hash index has to be made for it."""
    if kind is AtomKind.ELEMENT:
        return _element_sizes(target, name)
    table = (
        target.function_table(name) if kind is AtomKind.FUNCTION else target.relation_table(name)
    )
    found = table.derived.get(_KEY)
    if found is None:
        columns = table.columns()
        distinct = tuple(_distinct(columns[:, at]) for at in range(1, columns.shape[1]))
        found = table.derived[_KEY] = _sizes(len(columns), (len(columns), *distinct))
    assert isinstance(found, TableSizes)
    return found


def order_of_magnitude(number: int) -> int:
    """0 for 0, else one more than the logarithm to base 8, rounded down."""
    return (number.bit_length() + 2) // 3


def _element_sizes(target: Instance, type_: str) -> TableSizes:
    table = target.element_table()
    found = table.derived.get((_KEY, type_))
    if found is None:
        rows = len(table.of_type(type_, True, target.schema))
        found = table.derived[(_KEY, type_)] = _sizes(rows, (rows,))
    assert isinstance(found, TableSizes)
    return found


def _sizes(rows: int, distinct: tuple[int, ...]) -> TableSizes:
    return TableSizes(rows, distinct, tuple(map(order_of_magnitude, (rows, *distinct))))


def _distinct(column: Column) -> int:
    if not len(column) or int(column.max()) > 16 * len(column) + 4096:
        return len(np.unique(column))
    return int(np.count_nonzero(np.bincount(column)))
