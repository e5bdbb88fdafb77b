# SPDX-License-Identifier: Apache-2.0
"""How large the tables of a target are: what join orders are chosen by, and plans kept under."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.tables import Column, ElementTable, FunctionTable, RelationTable
from fcp_ros.cset.search.pattern import AtomKind

_DIGITS = 5
"""So many bits hold the order of magnitude of one number."""


@dataclass(frozen=True)
class TableSizes:
    """The size of one table.

    Attributes:
        rows: how many there are.
        distinct: for each column, how many different elements are in it.
    """

    rows: int
    distinct: tuple[int, ...]

    @property
    def magnitude(self) -> int:
        """The orders of magnitude of all these numbers, as one number."""
        digits = 0
        for number in (self.rows, *self.distinct):
            digits = digits << _DIGITS | order_of_magnitude(number)
        return digits

    def candidates(self, position: int) -> float:
        """How many rows, on average, have a certain element in a column."""
        return self.rows / (self.distinct[position] or 1)


CountSizes: TypeAlias = Callable[[Instance, AtomKind, str], TableSizes]


def sizes_by_index(target: Instance, kind: AtomKind, name: str) -> TableSizes:
    """The size of a table, counted with the hash indexes, which a table keeps up to date."""
    if kind is AtomKind.RELATION:
        table = target.relation_table(name)
        rows, legs = len(table.rows), range(len(target.schema.relation(name).legs))
        return TableSizes(rows, (rows, *[len(table.index(position)) for position in legs]))
    if kind is AtomKind.FUNCTION:
        function = target.function_table(name)
        rows = len(function.values)
        return TableSizes(rows, (rows, len(function.preimages())))
    return _element_sizes(target, name)


def sizes_by_column(target: Instance, kind: AtomKind, name: str) -> TableSizes:
    """The same, counted in the columns, so that no hash index has to be made for it."""
    if kind is AtomKind.ELEMENT:
        return _element_sizes(target, name)
    columns = _value_table(target, kind, name).columns()
    distinct = [_distinct(columns[:, at]) for at in range(1, columns.shape[1])]
    return TableSizes(len(columns), (len(columns), *distinct))


def magnitude_of(target: Instance, kind: AtomKind, name: str, count: CountSizes) -> int:
    """The magnitude of a table, which is kept with it.

    Args:
        target: where it is.
        kind: which kind of table.
        name: of the type, function or relation.
        count: how its sizes are found.
    """
    key: object = "magnitude"
    table: ElementTable | FunctionTable | RelationTable
    if kind is AtomKind.ELEMENT:
        table, key = target.element_table(), ("magnitude", name)
    else:
        table = _value_table(target, kind, name)
    found = table.derived.get(key)
    if found is None:
        found = table.derived[key] = count(target, kind, name).magnitude
    assert isinstance(found, int)
    return found


def order_of_magnitude(number: int) -> int:
    """0 for 0, else one more than the logarithm to base 8, rounded down."""
    return (number.bit_length() + 2) // 3


def _value_table(target: Instance, kind: AtomKind, name: str) -> FunctionTable | RelationTable:
    if kind is AtomKind.FUNCTION:
        return target.function_table(name)
    return target.relation_table(name)


def _element_sizes(target: Instance, type_: str) -> TableSizes:
    rows = target.element_table().count(type_, target.schema)
    return TableSizes(rows, (rows,))


def _distinct(column: Column) -> int:
    if not len(column) or int(column.max()) > 16 * len(column) + 4096:
        return len(np.unique(column))
    return int(np.count_nonzero(np.bincount(column)))
