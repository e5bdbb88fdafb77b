# SPDX-License-Identifier: Apache-2.0
"""Which elements an instance has, with their types and names."""

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

import numpy as np

from fcp_ros.cset.instance.columns import Column, columns_of
from fcp_ros.cset.schema.schema import Schema
from fcp_ros.foundation.persistent_map import (
    SMALL,
    Bucket,
    PersistentMap,
    PersistentSet,
    add_to,
    evolve,
    group_ids,
    take_from,
)


class ElementTable:
    """Which elements there are: their types and names.

    Attributes:
        types: own type by id.
        names: name by id.
        ids: id by name.
        digest: hash of the content by names, as far as it is known.
        derived: what others compute from the table and keep with it.
        sealed: whether it may not be changed any more.
    """

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
        self.digest: int | None = None
        self.derived: dict[object, Any] = {}
        self.sealed = False
        self._members = members
        self._by_type: dict[tuple[str, bool], tuple[int, ...]] = {}
        self._arrays: dict[tuple[str, bool], Column] = {}
        self._persistent: ElementTable | None = None

    def copy(self) -> "ElementTable":
        """A copy that may be changed; this table may not, from then on."""
        source = self._shared()
        table = ElementTable(
            evolve(source.types, ascending=True),
            evolve(source.names, ascending=True),
            evolve(source.ids),
            None if source._members is None else evolve(source._members),
        )
        table.digest = source.digest
        return table

    def _shared(self) -> "ElementTable":
        """This table as one of which copies are cheap."""
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
        """Remove an element."""
        type_, name = self.types.pop(element), self.names.pop(element)
        del self.ids[name]
        if self._members is not None:
            take_from(self._members, type_, element)
        if self.digest is not None:
            self.digest -= hash((name, type_))

    def seal(self) -> None:
        """Say that all changes are made."""
        self.sealed = True

    def members(self) -> MutableMapping[str, Bucket]:
        """The elements of each type that has any of its own."""
        if self._members is None:
            self._members = group_ids((type_, element) for element, type_ in self.types.items())
        return self._members

    def count(self, type_: str, schema: Schema) -> int:
        """How many elements are of `type_` or a subtype."""
        members = self.members()
        return sum(len(members.get(own, ())) for own in schema.subtypes(type_))

    def of_type(self, type_: str, subtypes: bool, schema: Schema) -> tuple[int, ...]:
        """The elements of `type_`, in the order in which they were added."""
        key = (type_, subtypes)
        found = self._by_type.get(key)
        if found is None:
            found = _ascending(self._buckets(type_, subtypes, schema))
            self._by_type[key] = found
        return found

    def ids_of(self, type_: str, subtypes: bool, schema: Schema) -> Column:
        """The ids of `of_type`, ascending, as an array that cannot be written to."""
        key = (type_, subtypes)
        found = self._arrays.get(key)
        if found is None:
            parts = [_column(bucket) for bucket in self._buckets(type_, subtypes, schema)]
            found = parts[0] if len(parts) == 1 else np.sort(np.concatenate([_NONE, *parts]))
            found.setflags(write=False)
            self._arrays[key] = found
        return found

    def content_digest(self) -> int:
        """The sum of the hashes of all (name, type) pairs."""
        if self.digest is None:
            pairs = zip(self.names.values(), self.types.values(), strict=True)
            self.digest = sum(map(hash, pairs))
        return self.digest

    def content(self) -> Mapping[str, str]:
        """Types by name."""
        return dict(zip(self.names.values(), self.types.values(), strict=True))

    def _buckets(self, type_: str, subtypes: bool, schema: Schema) -> list[Bucket]:
        members = self.members()
        wanted = schema.subtypes(type_) if subtypes else (type_,)
        return [bucket for own in wanted if (bucket := members.get(own))]

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (dict(self.types.items()), dict(self.names.items()), dict(self.ids.items()))
        return (ElementTable, parts)


_NONE: Column = np.empty(0, dtype=np.int64)


def _ascending(buckets: list[Bucket]) -> tuple[int, ...]:
    if len(buckets) == 1:
        return tuple(buckets[0])
    return tuple(sorted(id_ for bucket in buckets for id_ in bucket))


def _column(bucket: Bucket) -> Column:
    if isinstance(bucket, PersistentSet):
        return columns_of(bucket.entries, 1, _no_numbers)[:, 0]
    return np.array(tuple(bucket), dtype=np.int64)


def _no_numbers(values: Iterable[None]) -> Iterable[int]:
    return ()
