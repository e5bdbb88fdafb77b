# SPDX-License-Identifier: Apache-2.0
"""Maps and sets whose copies share: what the tables of successive states are made of.

A `PersistentMap` is a dict that never changes again (the base), and what differs from it (the
overlay, a hash array mapped trie: Bagwell, *Ideal Hash Trees*, 2001, as `immutables.Map` has it).
Copying one takes constant time; changing a copy takes time and memory logarithmic in the size of
the overlay. Small maps are plain dicts, which are faster as long as copying them costs nothing.

Only the maker of a copy changes it; what an instance holds is never changed again.
"""

from collections.abc import ItemsView, Iterator, MutableMapping, Set, ValuesView
from typing import Any, Generic, TypeVar

from immutables import Map

SMALL = 128
"""Up to this size, a map is a dict that is copied whenever it changes."""

_FOLD = 8
"""An overlay is folded into a new base when it exceeds this fraction of the base."""

K = TypeVar("K")
V = TypeVar("V")

_GONE: Any = object()
_MISSING: Any = object()
_EMPTY: "Map[Any, Any]" = Map()


class Base(Generic[K, V]):
    """A dict that many maps share and none changes.

    Attributes:
        entries: the dict.
        writes: how often maps over it were changed since the last fold.
        array: the entries as an array, where somebody has asked for it (see columns.py).
    """

    __slots__ = ("array", "entries", "writes")

    def __init__(self, entries: dict[K, V]) -> None:
        self.entries = entries
        self.writes = 0
        self.array: Any = None


class PersistentMap(MutableMapping[K, V]):
    """A map with copies in constant time.

    It iterates in the order of a dict to which the changes were made with new keys in ascending
    order; where keys are to ascend always (`ascending`), new ones are put in their places. So the
    order depends on nothing but the entries' history.
    """

    __slots__ = ("_ascending", "_base", "_overlay", "_size")

    def __init__(self, entries: dict[K, V], ascending: bool = False) -> None:
        """A map over `entries`, which it takes over: nobody may change that dict any more.

        Args:
            entries: what the map holds.
            ascending: whether to iterate by ascending keys; those of `entries` must ascend.
        """
        self._base = Base(entries)
        self._overlay: Map[K, V] = _EMPTY
        self._size = len(entries)
        self._ascending = ascending

    def copy(self) -> "PersistentMap[K, V]":
        """A map with the same entries that can be changed independently."""
        overlay, base = self._overlay, self._base
        limit = max(SMALL, len(base.entries) // _FOLD)
        # The second condition spreads the costs: of many siblings with long overlays, only so many
        # are folded as writes have paid for.
        if len(overlay) > limit and base.writes > limit:
            self._fold()
        other: PersistentMap[K, V] = PersistentMap.__new__(PersistentMap)
        other._base = self._base
        other._overlay = self._overlay
        other._size = self._size
        other._ascending = self._ascending
        return other

    @property
    def base(self) -> Base[K, V]:
        """What this map shares with others."""
        return self._base

    def changes(self) -> Iterator[tuple[K, bool]]:
        """The keys at which the map may differ from its base, each with whether it is there."""
        return ((key, value is not _GONE) for key, value in self._overlay.items())

    def __getitem__(self, key: K) -> V:
        found: V = self._overlay.get(key, _MISSING)
        if found is _MISSING:
            return self._base.entries[key]
        if found is _GONE:
            raise KeyError(key)
        return found

    def get(self, key: K, default: Any = None) -> Any:
        """The value at `key`, or `default` where there is none."""
        found = self._overlay.get(key, _MISSING)
        if found is _MISSING:
            return self._base.entries.get(key, default)
        return default if found is _GONE else found

    def __contains__(self, key: object) -> bool:
        found = self._overlay.get(key, _MISSING)  # type: ignore[arg-type]
        return key in self._base.entries if found is _MISSING else found is not _GONE

    def __len__(self) -> int:
        return self._size

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self:
            self._size += 1
        self._overlay = self._overlay.set(key, value)
        self._base.writes += 1

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._size -= 1
        if key in self._base.entries:
            self._overlay = self._overlay.set(key, _GONE)
        else:
            self._overlay = self._overlay.delete(key)
        self._base.writes += 1

    def __iter__(self) -> Iterator[K]:
        return iter(self._merged())

    def items(self) -> ItemsView[K, V]:
        """The entries as they are now."""
        return self._merged().items()

    def values(self) -> ValuesView[V]:
        """The values as they are now."""
        return self._merged().values()

    def _merged(self) -> dict[K, V]:
        """Base and overlay as one dict."""
        base = self._base.entries
        if not self._overlay:
            return base
        merged = dict(base)
        fresh: dict[Any, V] = {}
        for key, value in self._overlay.items():
            if value is _GONE:
                merged.pop(key, None)
            elif key in base:
                merged[key] = value
            else:
                fresh[key] = value
        if fresh:
            keys = sorted(fresh)
            if self._ascending and merged and next(reversed(merged)) > keys[0]:  # type: ignore[operator]
                merged.update(fresh)
                return {key: merged[key] for key in sorted(merged)}  # type: ignore[type-var]
            merged.update((key, fresh[key]) for key in keys)
        return merged

    def _fold(self) -> None:
        # The base goes first: to a reader in another thread, the old overlay changes nothing in it.
        self._base = Base(self._merged())
        self._overlay = _EMPTY

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, PersistentMap):
            return bool(self._merged() == other)
        if self._size != other._size:
            return False
        if self._base is not other._base:
            return self._merged() == other._merged()
        return self._overlay is other._overlay or all(
            self.get(key, _MISSING) == other.get(key, _MISSING)
            for overlay in (self._overlay, other._overlay)
            for key in overlay
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (PersistentMap, (dict(self._merged()), self._ascending))

    def __repr__(self) -> str:
        return f"PersistentMap({self._merged()!r})"


class PersistentSet(Set[int]):
    """A set of ids, ascending, of which a changed copy shares almost all."""

    __slots__ = ("entries",)

    def __init__(self, entries: PersistentMap[int, None]) -> None:
        """The set of the keys of `entries`."""
        self.entries = entries

    def __contains__(self, id_: object) -> bool:
        return id_ in self.entries

    def __iter__(self) -> Iterator[int]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def evolved(mapping: MutableMapping[K, V], ascending: bool = False) -> MutableMapping[K, V]:
    """A copy that may be changed; what was copied may not, from then on.

    Args:
        mapping: a dict or a `PersistentMap`.
        ascending: whether its keys ascend, and are to go on so.
    """
    if isinstance(mapping, dict):
        return dict(mapping) if len(mapping) <= SMALL else PersistentMap(mapping, ascending)
    assert isinstance(mapping, PersistentMap)
    return mapping.copy() if len(mapping) > SMALL // 2 else dict(mapping.items())


def last_key(mapping: MutableMapping[int, V]) -> int:
    """The greatest key of a dict whose keys ascend; 0 for any other map."""
    return next(reversed(mapping), 0) if isinstance(mapping, dict) else 0
