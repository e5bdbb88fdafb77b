# SPDX-License-Identifier: Apache-2.0
"""Tables of an instance: its elements, and the values of its functions and attributes."""

from collections.abc import Callable, Hashable, Mapping, MutableMapping
from typing import Any, Generic, TypeVar

from fcp_ros.cset.schema import AttributeValue, Schema
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


class ElementTable:
    """The elements, with their types and names."""

    __slots__ = (
        "_arrays",
        "_by_type",
        "_members",
        "_persistent",
        "derived",
        "digest",
        "ids",
        "names",
        "sealed",
        "types",
    )

    def __init__(
        self,
        types: MutableMapping[int, str],
        names: MutableMapping[int, str],
        ids: MutableMapping[str, int],
        members: MutableMapping[str, Bucket] | None = None,
    ) -> None:
        self.types = types
        self.names = names
        self.ids = ids
        self.digest: int | None = None  # hash of the content by names; None if not computed
        self.derived: dict[object, Any] = {}
        self.sealed = False
        self._members = members
        self._by_type: dict[tuple[str, bool], tuple[int, ...]] = {}
        self._persistent: ElementTable | None = None

    def copy(self) -> "ElementTable":
        """Return a copy that may be changed; this table may not, from then on."""
        source = self._make_persistent()
        table = ElementTable(
            evolve(source.types, ascending=True),
            evolve(source.names, ascending=True),
            evolve(source.ids),
            None if source._members is None else evolve(source._members),
        )
        table.digest = source.digest
        return table

    def _make_persistent(self) -> "ElementTable":
        """Return a table with the same content and cheap copies."""
        if len(self.types) <= SMALL or not isinstance(self.types, dict):
            return self
        if self._persistent is None:
            self.content_digest()
            assert isinstance(self.names, dict)
            assert isinstance(self.ids, dict)
            self._persistent = ElementTable(
                PersistentMap(self.types, ascending=True),
                PersistentMap(self.names, ascending=True),
                PersistentMap(self.ids),
                self.members(),
            )
            self._persistent.digest = self.digest
        return self._persistent

    def add(self, element: int, type_: str, name: str) -> None:
        """Add an element, whose id is above all others."""
        self.types[element] = type_
        self.names[element] = name
        self.ids[name] = element
        if self._members is not None:
            add_to(self._members, type_, element)
        if self.digest is not None:
            self.digest += hash((name, type_))

    def remove(self, element: int) -> None:
        type_, name = self.types.pop(element), self.names.pop(element)
        del self.ids[name]
        if self._members is not None:
            take_from(self._members, type_, element)
        if self.digest is not None:
            self.digest -= hash((name, type_))

    def seal(self) -> None:
        """Forbid further changes."""
        self.sealed = True

    def members(self) -> MutableMapping[str, Bucket]:
        if self._members is None:
            self._members = group_ids((type_, element) for element, type_ in self.types.items())
        return self._members

    def count(self, type_: str, schema: Schema) -> int:
        """Count the elements of `type_` or a subtype."""
        members = self.members()
        return sum(len(members.get(own, ())) for own in schema.subtypes(type_))

    def of_type(self, type_: str, subtypes: bool, schema: Schema) -> tuple[int, ...]:
        """Return the elements of `type_`, in the order in which they were added."""
        key = (type_, subtypes)
        found = self._by_type.get(key)
        if found is None:
            found = _sort_ids(self._find_buckets(type_, subtypes, schema))
            self._by_type[key] = found
        return found

    def content_digest(self) -> int:
        """Return the sum of the hashes of all (name, type) pairs."""
        if self.digest is None:
            pairs = zip(self.names.values(), self.types.values(), strict=True)
            self.digest = sum(map(hash, pairs))
        return self.digest

    def content(self) -> Mapping[str, str]:
        return dict(zip(self.names.values(), self.types.values(), strict=True))

    def _find_buckets(self, type_: str, subtypes: bool, schema: Schema) -> list[Bucket]:
        members = self.members()
        wanted = schema.subtypes(type_) if subtypes else (type_,)
        return [bucket for own in wanted if (bucket := members.get(own))]

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (dict(self.types.items()), dict(self.names.items()), dict(self.ids.items()))
        return (ElementTable, parts)


def _sort_ids(buckets: list[Bucket]) -> tuple[int, ...]:
    if len(buckets) == 1:
        return tuple(buckets[0])
    return tuple(sorted(id_ for bucket in buckets for id_ in bucket))


V = TypeVar("V")
T = TypeVar("T", bound="ValueTable[Any]")


class ValueTable(Generic[V]):
    """One value for each of some ids."""

    __slots__ = ("_last", "_persistent", "_unsorted", "derived", "digest", "sealed", "values")

    def __init__(self, values: MutableMapping[int, V]) -> None:
        self.values = values  # value by id, ascending once the table is sealed
        self.digest: int | None = None  # hash of the content by names; None if not computed
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
        """Return True if copies are made from a persistent twin."""
        return len(self.values) > SMALL and isinstance(self.values, dict)

    def _put(self, id_: int, value: V) -> None:
        if id_ > self._last:
            self._last = id_
        elif id_ not in self.values:
            self._unsorted = True
        self.values[id_] = value

    def seal(self) -> None:
        """Put the values in order, and forbid further changes."""
        self.sealed = True
        self._sort()

    def _sort(self) -> None:
        if self._unsorted and isinstance(self.values, dict):
            self.values = dict(sorted(self.values.items()))
        self._unsorted = False

    def _update_digest(self, older: Hashable, newer: Hashable) -> None:
        """Replace one entry by another in the digest; None for no entry."""
        if self.digest is not None:
            gone = 0 if older is None else hash(older)
            self.digest += (0 if newer is None else hash(newer)) - gone


class FunctionTable(ValueTable[int]):
    """The values of one function, with its preimage index."""

    __slots__ = ("_preimages",)

    def __init__(self, values: MutableMapping[int, int]) -> None:
        super().__init__(values)
        self._preimages: MutableMapping[int, Bucket] | None = None

    def copy(self, names: Mapping[int, str]) -> "FunctionTable":
        """Return a copy that may be changed; this table may not, from then on."""
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
        older = self.values.get(element)
        if self._preimages is not None:
            if older is not None:
                take_from(self._preimages, older, element)
            add_to(self._preimages, value, element)
        if self.digest is not None:
            name = names[element]
            entry = None if older is None else (name, names[older])
            self._update_digest(entry, (name, names[value]))
        self._put(element, value)

    def unset(self, element: int, names: Mapping[int, str]) -> None:
        older = self.values.pop(element, None)
        if older is None:
            return
        if self._preimages is not None:
            take_from(self._preimages, older, element)
        if self.digest is not None:
            self._update_digest((names[element], names[older]), None)

    def preimages(self) -> MutableMapping[int, Bucket]:
        if self._preimages is None:
            self._sort()
            self._preimages = group_ids((value, key) for key, value in self.values.items())
        return self._preimages

    def content_digest(self, names: Mapping[int, str]) -> int:
        """Return the sum of the hashes of all (name, name of the value) pairs."""
        if self.digest is None:
            self.digest = sum(hash((names[e], names[v])) for e, v in self.values.items())
        return self.digest

    def __reduce__(self) -> tuple[Any, ...]:
        return (FunctionTable, (dict(self.values.items()),))


class AttributeTable(ValueTable[AttributeValue]):
    """The values of one attribute, of elements and of tuples."""

    __slots__ = ()

    def copy(self, key_of: Callable[[int], Hashable]) -> "AttributeTable":
        """Return a copy that may be changed; this table may not, from then on."""
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
        if self.digest is not None:
            key, older = key_of(id_), self.values.get(id_)
            self._update_digest(None if older is None else (key, older), (key, value))
        self._put(id_, value)

    def unset(self, id_: int, key_of: Callable[[int], Hashable]) -> None:
        """Forget the value of an element or tuple."""
        older = self.values.pop(id_, None)
        if older is not None and self.digest is not None:
            self._update_digest((key_of(id_), older), None)

    def content_digest(self, key_of: Callable[[int], Hashable]) -> int:
        """Return the sum of the hashes of all (element or tuple by names, value) pairs."""
        if self.digest is None:
            self.digest = sum(hash((key_of(e), value)) for e, value in self.values.items())
        return self.digest

    def __reduce__(self) -> tuple[Any, ...]:
        return (AttributeTable, (dict(self.values.items()),))
