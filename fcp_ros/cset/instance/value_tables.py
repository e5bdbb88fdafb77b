# SPDX-License-Identifier: Apache-2.0
"""What elements have one value of: the functions and the attributes of an instance."""

from collections.abc import Callable, Hashable, Iterable, Mapping, MutableMapping
from typing import Any, Generic, TypeVar

from fcp_ros.cset.instance.columns import Column, columns_of
from fcp_ros.cset.schema.schema import AttributeValue
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

V = TypeVar("V")
T = TypeVar("T", bound="ValueTable[Any]")


class ValueTable(Generic[V]):
    """One value for each of some ids.

    Attributes:
        values: value by id, ascending once the table is sealed.
        digest: hash of the content by names, as far as it is known.
        derived: what others compute from the table and keep with it.
        sealed: whether it may not be changed any more.
    """

    __slots__ = ("_last", "_persistent", "_unsorted", "derived", "digest", "sealed", "values")

    def __init__(self, values: MutableMapping[int, V]) -> None:
        self.values = values
        self.digest: int | None = None
        self.derived: dict[object, Any] = {}
        self._persistent: Any = None
        self._last = last_key(values) if values else 0
        self._unsorted = False
        self.sealed = False

    def _copy_of(self: T, source: T) -> T:
        table = type(self)(evolve(source.values, ascending=True))
        table.digest = source.digest
        return table

    def _is_large(self) -> bool:
        """Whether copies are to be made of a persistent twin."""
        return len(self.values) > SMALL and isinstance(self.values, dict)

    def _put(self, id_: int, value: V) -> None:
        if id_ > self._last:
            self._last = id_
        elif id_ not in self.values:
            self._unsorted = True
        self.values[id_] = value

    def seal(self) -> None:
        """Put the values in order, now that all changes are made."""
        self.sealed = True
        self._sort()

    def _sort(self) -> None:
        if self._unsorted and isinstance(self.values, dict):
            self.values = dict(sorted(self.values.items()))
        self._unsorted = False

    def _renamed(self, older: Hashable, newer: Hashable) -> None:
        """Keep the digest up to date: one entry by names gives way to another, None for none."""
        if self.digest is not None:
            gone = 0 if older is None else hash(older)
            self.digest += (0 if newer is None else hash(newer)) - gone


class FunctionTable(ValueTable[int]):
    """The values of one function, with its preimage index."""

    __slots__ = ("_columns", "_preimages")

    def __init__(self, values: MutableMapping[int, int]) -> None:
        super().__init__(values)
        self._preimages: MutableMapping[int, Bucket] | None = None
        self._columns: Column | None = None

    def copy(self, names: Mapping[int, str]) -> "FunctionTable":
        """A copy that may be changed; this table may not, from then on.

        Args:
            names: of the elements that the table is about.
        """
        source = self
        if self._is_large():
            if self._persistent is None:
                self.content_digest(names)
                assert isinstance(self.values, dict)
                twin = FunctionTable(PersistentMap(self.values, ascending=True))
                twin.digest, twin._preimages = self.digest, self.preimages()
                self._persistent = twin
            source = self._persistent
        table = self._copy_of(source)
        table._preimages = None if source._preimages is None else evolve(source._preimages)
        return table

    def set(self, element: int, value: int, names: Mapping[int, str]) -> None:
        """Set the value at an element."""
        older = self.values.get(element)
        if self._preimages is not None:
            if older is not None:
                take_from(self._preimages, older, element)
            add_to(self._preimages, value, element)
        if self.digest is not None:
            name = names[element]
            entry = None if older is None else (name, names[older])
            self._renamed(entry, (name, names[value]))
        self._put(element, value)

    def unset(self, element: int, names: Mapping[int, str]) -> None:
        """Forget the value at an element."""
        older = self.values.pop(element, None)
        if older is None:
            return
        if self._preimages is not None:
            take_from(self._preimages, older, element)
        if self.digest is not None:
            self._renamed((names[element], names[older]), None)

    def preimages(self) -> MutableMapping[int, Bucket]:
        """For each value the elements that have it."""
        if self._preimages is None:
            self._sort()
            self._preimages = group_ids((value, key) for key, value in self.values.items())
        return self._preimages

    def columns(self) -> Column:
        """A row (element, value) for each element, by id; it cannot be written to."""
        if self._columns is None:
            self._columns = columns_of(self.values, 2, _numbers)
        return self._columns

    def content_digest(self, names: Mapping[int, str]) -> int:
        """The sum of the hashes of all (name, name of the value) pairs."""
        if self.digest is None:
            self.digest = sum(hash((names[e], names[v])) for e, v in self.values.items())
        return self.digest

    def __reduce__(self) -> tuple[Any, ...]:
        return (FunctionTable, (dict(self.values.items()),))


class AttributeTable(ValueTable[AttributeValue]):
    """The values of one attribute, of elements and of tuples."""

    __slots__ = ()

    def copy(self, key_of: Callable[[int], Hashable]) -> "AttributeTable":
        """A copy that may be changed; this table may not, from then on.

        Args:
            key_of: what an element or a tuple is by names.
        """
        source = self
        if self._is_large():
            if self._persistent is None:
                self.content_digest(key_of)
                assert isinstance(self.values, dict)
                self._persistent = AttributeTable(PersistentMap(self.values, ascending=True))
                self._persistent.digest = self.digest
            source = self._persistent
        return self._copy_of(source)

    def set(self, id_: int, value: AttributeValue, key_of: Callable[[int], Hashable]) -> None:
        """Set the value of an element or tuple."""
        if self.digest is not None:
            key, older = key_of(id_), self.values.get(id_)
            self._renamed(None if older is None else (key, older), (key, value))
        self._put(id_, value)

    def unset(self, id_: int, key_of: Callable[[int], Hashable]) -> None:
        """Forget the value of an element or tuple."""
        older = self.values.pop(id_, None)
        if older is not None and self.digest is not None:
            self._renamed((key_of(id_), older), None)

    def content_digest(self, key_of: Callable[[int], Hashable]) -> int:
        """The sum of the hashes of all (element or tuple by names, value) pairs."""
        if self.digest is None:
            self.digest = sum(hash((key_of(e), value)) for e, value in self.values.items())
        return self.digest

    def __reduce__(self) -> tuple[Any, ...]:
        return (AttributeTable, (dict(self.values.items()),))


def _numbers(values: Iterable[int]) -> Iterable[int]:
    return values
