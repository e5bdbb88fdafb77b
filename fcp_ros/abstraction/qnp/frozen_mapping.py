# SPDX-License-Identifier: Apache-2.0
"""A small mapping that never changes, keeps its order and can be hashed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FrozenMapping(Mapping[K, V], Generic[K, V]):
    """A mapping that never changes; equal to any mapping with the same entries.

    Iteration follows the order of the entries it was made from. Changed copies cost linear time:
    for large tables, `foundation` has others.
    """

    __slots__ = ("_entries", "_hash")

    def __init__(self, entries: Mapping[K, V] | None = None) -> None:
        """Copy the entries. `entries`: the contents; None for an empty mapping."""
        self._entries = dict(entries or {})
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._entries.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenMapping({self._entries!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Not the hash: those of strings differ from process to process.
        return FrozenMapping, (self._entries,)
