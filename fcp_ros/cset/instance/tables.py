# SPDX-License-Identifier: Apache-2.0
"""The columns of an instance, each a table that successive states share until one changes it.

Only the builder calls the methods that change a table, and only on a copy that it made itself; what
an instance holds is never changed again. Indexes are filled on first use and kept up to date after
that. Nothing outside this layer sees these classes. What a search computes from a table it keeps in
`derived`, so that it lasts as long as the table does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fcp_ros.cset.instance.fact import Fact
from fcp_ros.cset.schema.schema import Relation, Schema

Index = dict[int, tuple[int, ...]]
Column: TypeAlias = NDArray[np.int64]


class ElementTable:
    """Which elements there are: their types and names."""

    __slots__ = ("_arrays", "_by_type", "_content", "derived", "ids", "names", "types")

    def __init__(self, types: dict[int, str], names: dict[int, str], ids: dict[str, int]) -> None:
        self.types = types
        self.names = names
        self.ids = ids
        self._by_type: dict[tuple[str, bool], tuple[int, ...]] = {}
        self._arrays: dict[tuple[str, bool], Column] = {}
        self._content: frozenset[tuple[str, str]] | None = None
        self.derived: dict[object, Any] = {}

    def copy(self) -> "ElementTable":
        """A copy that may be changed."""
        return ElementTable(dict(self.types), dict(self.names), dict(self.ids))

    def add(self, element: int, type_: str, name: str) -> None:
        """Add an element."""
        self.types[element] = type_
        self.names[element] = name
        self.ids[name] = element

    def remove(self, element: int) -> None:
        """Remove an element."""
        del self.types[element]
        del self.ids[self.names.pop(element)]

    def of_type(self, type_: str, subtypes: bool, schema: Schema) -> tuple[int, ...]:
        """The elements of `type_`, in the order in which they were added."""
        key = (type_, subtypes)
        found = self._by_type.get(key)
        if found is None:
            wanted = schema.subtypes(type_) if subtypes else frozenset((type_,))
            found = tuple(element for element, own in self.types.items() if own in wanted)
            self._by_type[key] = found
        return found

    def ids_of(self, type_: str, subtypes: bool, schema: Schema) -> Column:
        """The ids of `of_type`, ascending, as an array that cannot be written to."""
        key = (type_, subtypes)
        found = self._arrays.get(key)
        if found is None:
            found = _column(sorted(self.of_type(type_, subtypes, schema)), 0)
            self._arrays[key] = found
        return found

    def content(self) -> frozenset[tuple[str, str]]:
        """The (name, type) pairs."""
        if self._content is None:
            self._content = frozenset((self.names[e], type_) for e, type_ in self.types.items())
        return self._content


class FunctionTable:
    """The values of one function, with its preimage index."""

    __slots__ = ("_columns", "_preimages", "derived", "values")

    def __init__(self, values: dict[int, int]) -> None:
        self.values = values
        self._preimages: Index | None = None
        self._columns: Column | None = None
        self.derived: dict[object, Any] = {}

    def copy(self) -> "FunctionTable":
        """A copy that may be changed."""
        return FunctionTable(dict(self.values))

    def set(self, element: int, value: int) -> None:
        """Set the value at an element."""
        self.values[element] = value
        self._preimages = self._columns = None

    def unset(self, element: int) -> None:
        """Forget the value at an element."""
        self.values.pop(element, None)
        self._preimages = self._columns = None

    def preimages(self) -> Index:
        """For each value the elements that have it."""
        if self._preimages is None:
            self._preimages = _grouped((value, key) for key, value in self.values.items())
        return self._preimages

    def columns(self) -> Column:
        """A row (element, value) for each element, by id; it cannot be written to."""
        if self._columns is None:
            self._columns = _column(sorted(self.values.items()), 2)
        return self._columns


class RelationTable:
    """The tuples of one relation, indexed by all legs and by each."""

    __slots__ = (
        "_changes",
        "_columns",
        "_facts",
        "_indexes",
        "_older_facts",
        "by_legs",
        "derived",
        "name",
        "rows",
    )

    def __init__(
        self,
        name: str,
        rows: dict[int, tuple[int, ...]],
        by_legs: dict[tuple[int, ...], int],
        indexes: list[Index | None],
    ) -> None:
        self.name = name
        self.rows = rows
        self.by_legs = by_legs
        self._indexes = indexes
        self._columns: Column | None = None
        self.derived: dict[object, Any] = {}
        self._facts: frozenset[Fact] | None = None
        # The facts of the table that this one was copied from, and which tuples changed since.
        self._older_facts: frozenset[Fact] | None = None
        self._changes: dict[tuple[int, ...], bool] = {}

    @classmethod
    def empty(cls, relation: Relation) -> "RelationTable":
        """The table without tuples."""
        return cls(relation.name, {}, {}, [None] * len(relation.legs))

    def copy(self) -> "RelationTable":
        """A copy that may be changed."""
        indexes = [None if index is None else dict(index) for index in self._indexes]
        table = RelationTable(self.name, dict(self.rows), dict(self.by_legs), indexes)
        if self._facts is not None:
            table._older_facts = self._facts
        elif self._older_facts is not None:
            table._older_facts, table._changes = self._older_facts, dict(self._changes)
        return table

    def add(self, row: int, legs: tuple[int, ...]) -> None:
        """Add a tuple that is not there yet."""
        self.rows[row] = legs
        self.by_legs[legs] = row
        self._columns = None
        self._note(legs, True)
        for value, index in zip(legs, self._indexes, strict=True):
            if index is not None:
                index[value] = (*index.get(value, ()), row)

    def remove(self, row: int) -> None:
        """Remove a tuple."""
        legs = self.rows.pop(row)
        del self.by_legs[legs]
        self._columns = None
        self._note(legs, False)
        for value, index in zip(legs, self._indexes, strict=True):
            if index is not None:
                rest = tuple(other for other in index[value] if other != row)
                if rest:
                    index[value] = rest
                else:
                    del index[value]

    def index(self, position: int) -> Index:
        """For each element the tuples that have it in the leg at `position`."""
        found = self._indexes[position]
        if found is None:
            found = _grouped((legs[position], row) for row, legs in self.rows.items())
            self._indexes[position] = found
        return found

    def columns(self) -> Column:
        """A row (id, *legs) for each tuple, by id; it cannot be written to."""
        if self._columns is None:
            width = 1 + len(self._indexes)
            self._columns = _column(
                [(row, *legs) for row, legs in sorted(self.rows.items())], width
            )
        return self._columns

    def facts(self, names: Mapping[int, str]) -> frozenset[Fact]:
        """The tuples by element names (which never change, so that this can be kept)."""
        if self._facts is None:
            if self._older_facts is None or not self._all_named(names):
                self._facts = frozenset(self._named(self.by_legs, names))
            else:
                changed = self._older_facts.difference(self._named(self._changes, names))
                there = [legs for legs, present in self._changes.items() if present]
                self._facts = changed.union(self._named(there, names))
        return self._facts

    def _note(self, legs: tuple[int, ...], present: bool) -> None:
        if self._older_facts is not None:
            self._changes[legs] = present

    def _all_named(self, names: Mapping[int, str]) -> bool:
        """Whether the elements of all changed tuples are still there to be named."""
        return all(leg in names for legs in self._changes for leg in legs)

    def _named(self, tuples: Iterable[tuple[int, ...]], names: Mapping[int, str]) -> list[Fact]:
        return [Fact(self.name, tuple([names[leg] for leg in legs])) for legs in tuples]


def _column(values: Sequence[Any], width: int) -> Column:
    """The values as an array, with so many columns where that is not 0."""
    array = np.array(values, dtype=np.int64)
    if width:
        array = array.reshape(-1, width)
    array.setflags(write=False)
    return array


def _grouped(pairs: Iterable[tuple[int, int]]) -> Index:
    lists: dict[int, list[int]] = {}
    for key, value in pairs:
        lists.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in lists.items()}
