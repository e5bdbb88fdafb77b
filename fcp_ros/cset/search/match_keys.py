# SPDX-License-Identifier: Apache-2.0
"""Sets of matches that share what they have in common with the sets that they came from.

A match is kept as its key: the images of the pattern's slots, in order. A set is a frozen base, and
a persistent map that says which keys joined it or left it since; when that has grown to a part of
the base, a new base is made, so that a change costs the same on average however large the set is.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from immutables import Map

Key: TypeAlias = tuple[int, ...]

_SMALLEST = 64
_FRACTION = 8


class MatchKeys(Collection[Key]):
    """An immutable set of keys."""

    __slots__ = ("_base", "_changes", "_count")

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        """The set of these keys."""
        self._base: dict[Key, None] = dict.fromkeys(keys)
        self._changes: Map[Key, bool] = Map()
        self._count = len(self._base)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: object) -> bool:
        present = self._changes.get(key)  # type: ignore[call-overload]
        return key in self._base if present is None else bool(present)

    def __iter__(self) -> Iterator[Key]:
        """The keys, in an order that is the same in every process."""
        changes = self._changes
        if not changes:
            yield from self._base
            return
        for key in self._base:
            if changes.get(key, True):
                yield key
        for key, present in changes.items():
            if present and key not in self._base:
                yield key

    def changed(self, without: Iterable[Key], including: Iterable[Key]) -> "MatchKeys":
        """The set without some keys, which it has, and with others, which it has not.

        Args:
            without: keys of this set.
            including: keys that are not in this set.
        """
        count = self._count
        changes = self._changes.mutate()
        for key in without:
            changes[key] = False
            count -= 1
        for key in including:
            changes[key] = True
            count += 1
        result = MatchKeys.__new__(MatchKeys)
        result._base, result._changes, result._count = self._base, changes.finish(), count
        if len(result._changes) > max(_SMALLEST, len(self._base) // _FRACTION):
            return MatchKeys(result)
        return result
