# SPDX-License-Identifier: Apache-2.0
"""The tuples of one relation, indexed by all legs and by each leg."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

from immutables import Map

from fcp_ros.cset.schema import Relation
from fcp_ros.foundation.persistent_map import (
    SMALL,
    Bucket,
    PersistentMap,
    add_to,
    evolve,
    group_ids,
    last_key,
    take_from,
)


class Fact(NamedTuple):
    """One tuple of a relation, by names in the order of the legs: ``on(mug_1, table_1)``."""

    relation: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.relation}({', '.join(self.arguments)})"


Legs = tuple[int, ...]


class LegsByKey(Mapping[Legs, int]):
    """The id of each tuple by its elements.

    At most one tuple, or a few in a draft, have the same element in a functional leg, so that a
    scan of these is fast, and no map must be copied whenever a tuple changes.
    """

    __slots__ = ("_index", "_position", "_rows")

    def __init__(
        self, rows: Mapping[int, Legs], index: Mapping[int, Bucket], position: int
    ) -> None:
        self._rows = rows
        self._index = index
        self._position = position

    def get(self, legs: Legs, default: Any = None) -> Any:
        """The id of the tuple with these elements, or `default`."""
        for row in self._index.get(legs[self._position], ()):
            if self._rows[row] == legs:
                return row
        return default

    def __getitem__(self, legs: Legs) -> int:
        found: int | None = self.get(legs)
        if found is None:
            raise KeyError(legs)
        return found

    def __contains__(self, legs: object) -> bool:
        return isinstance(legs, tuple) and self.get(legs) is not None

    def __iter__(self) -> Iterator[Legs]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)


Index = MutableMapping[int, Bucket]


class RelationTable:
    """The tuples of one relation."""

    __slots__ = (
        "_changes",
        "_facts",
        "_indexes",
        "_last",
        "_map",
        "_older_facts",
        "_persistent",
        "_unsorted",
        "by_legs",
        "declared",
        "derived",
        "digest",
        "keys",
        "rows",
        "sealed",
    )

    def __init__(
        self,
        declared: Relation,
        rows: MutableMapping[int, Legs],
        by_legs: MutableMapping[Legs, int] | LegsByKey | None = None,
        indexes: dict[int, Index] | None = None,
        last: int | None = None,
        keys: tuple[int, ...] | None = None,
    ) -> None:
        self.declared = declared
        self.rows = rows  # legs by id of the tuple, ascending once the table is sealed
        if by_legs is None:
            by_legs = {legs: row for row, legs in rows.items()}
        self.by_legs: Mapping[Legs, int] = by_legs
        self._map = None if isinstance(by_legs, LegsByKey) else by_legs
        # positions of the functional legs
        self.keys = tuple(map(declared.position, declared.functional)) if keys is None else keys
        self.digest: int | None = None  # hash of the content by names; None if not computed
        self.derived: dict[object, Any] = {}
        self._indexes: dict[int, Index] = {} if indexes is None else indexes
        self._persistent: RelationTable | None = None
        self._last = last_key(rows) if last is None else last
        self._unsorted = False
        self.sealed = False
        self._facts: frozenset[Fact] | None = None
        # The facts of an older table, and which tuples came or went since.
        self._older_facts: frozenset[Fact] | None = None
        self._changes: Map[Legs, bool] = _UNCHANGED

    def copy(self, names: Mapping[int, str]) -> "RelationTable":
        """Return a copy that may be changed; this table may not, from then on."""
        source = self._make_persistent(names)
        rows = evolve(source.rows, ascending=True)
        indexes = {position: evolve(index) for position, index in source._indexes.items()}
        table = RelationTable(
            source.declared,
            rows,
            _find_by_legs(rows, source, indexes),
            indexes,
            source._last,
            source.keys,
        )
        table.digest = source.digest
        if self._facts is not None:
            table._older_facts = self._facts
        elif len(self._changes) <= len(self.rows):
            table._older_facts, table._changes = self._older_facts, self._changes
        return table

    def prepare(self, names: Mapping[int, str]) -> None:
        """Make the indexes and the persistent twin that are otherwise made on first use."""
        for position in range(len(self.declared.legs)):
            self.index(position)
        self._make_persistent(names)

    def _make_persistent(self, names: Mapping[int, str]) -> "RelationTable":
        """Return a table with cheap copies, and with the indexes that every copy needs."""
        if len(self.rows) <= SMALL or not isinstance(self.rows, dict):
            for position in self.keys:
                if position not in self._indexes:
                    self.index(position)
            return self
        if self._persistent is None:
            self.content_digest(names)
            rows = PersistentMap(self.rows, ascending=True)
            indexes = {
                at: _make_index_persistent(self.index(at)) for at in range(len(self.declared.legs))
            }
            twin = RelationTable(
                self.declared,
                rows,
                _find_by_legs(rows, self, indexes),
                indexes,
                self._last,
                self.keys,
            )
            twin.digest = self.digest
            self._persistent = twin  # seen by other threads only when it is whole
        return self._persistent

    def add(self, row: int, legs: Legs, names: Mapping[int, str]) -> None:
        """Add a tuple that is not there yet."""
        if row > self._last:
            self._last = row
        else:
            self._unsorted = True
        self.rows[row] = legs
        if self._map is not None:
            self._map[legs] = row
        for position, index in self._indexes.items():
            add_to(index, legs[position], row)
        if self.digest is not None or self._older_facts is not None:
            self._note(legs, True, names)

    def remove(self, row: int, names: Mapping[int, str]) -> None:
        legs = self.rows.pop(row)
        if self._map is not None:
            del self._map[legs]
        for position, index in self._indexes.items():
            take_from(index, legs[position], row)
        self._note(legs, False, names)

    def seal(self) -> None:
        """Put the tuples in order, and forbid further changes."""
        self.sealed = True
        self._sort()

    def _sort(self) -> None:
        if self._unsorted and isinstance(self.rows, dict):
            self.rows = dict(sorted(self.rows.items()))
        self._unsorted = False

    def index(self, position: int) -> Index:
        """Return for each element the tuples that have it in the leg at `position`."""
        found = self._indexes.get(position)
        if found is None:
            self._sort()
            found = group_ids((legs[position], row) for row, legs in self.rows.items())
            self._indexes[position] = found
        return found

    def has_shared_key(self, legs: Legs) -> bool:
        """Return True if another tuple has the same element in a functional leg."""
        if len(self.rows) > 1:
            for position in self.keys:
                if len(self.index(position)[legs[position]]) > 1:
                    return True
        return False

    def content_digest(self, names: Mapping[int, str]) -> int:
        """Return the sum of the hashes of all tuples by names."""
        if self.digest is None:
            tuples = self.rows.values()
            self.digest = sum(hash(tuple([names[leg] for leg in legs])) for legs in tuples)
        return self.digest

    def facts(self, names: Mapping[int, str]) -> frozenset[Fact]:
        """Return the tuples by element names; these never change, so the result is cached."""
        if self._facts is None:
            if self._older_facts is None or not self._can_name_changes(names):
                self._facts = frozenset(self._to_facts(self.rows.values(), names))
            else:
                changed = self._older_facts.difference(self._to_facts(self._changes, names))
                there = [legs for legs, present in self._changes.items() if present]
                self._facts = changed.union(self._to_facts(there, names))
        return self._facts

    def _note(self, legs: Legs, present: bool, names: Mapping[int, str]) -> None:
        if self._older_facts is not None:
            self._changes = self._changes.set(legs, present)
        if self.digest is not None:
            content = hash(tuple([names[leg] for leg in legs]))
            self.digest += content if present else -content

    def _can_name_changes(self, names: Mapping[int, str]) -> bool:
        """Return True if the elements of all changed tuples still have names."""
        return all(leg in names for legs in self._changes for leg in legs)

    def _to_facts(self, tuples: Iterable[Legs], names: Mapping[int, str]) -> list[Fact]:
        relation = self.declared.name
        return [Fact(relation, tuple([names[leg] for leg in legs])) for legs in tuples]

    def __reduce__(self) -> tuple[Any, ...]:
        return (RelationTable, (self.declared, dict(self.rows.items())))


_UNCHANGED: "Map[Legs, bool]" = Map()


def _make_index_persistent(index: Index) -> Index:
    if isinstance(index, dict) and len(index) > SMALL:
        return PersistentMap(index)
    return index


def _find_by_legs(
    rows: MutableMapping[int, Legs], older: RelationTable, indexes: Mapping[int, Index]
) -> MutableMapping[Legs, int] | LegsByKey | None:
    """Make the map from legs to tuples for a copy with given rows; None to build it from these."""
    if older.keys and not isinstance(rows, dict):
        return LegsByKey(rows, indexes[older.keys[0]], older.keys[0])
    return None if older._map is None else evolve(older._map)
