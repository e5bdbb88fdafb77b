# SPDX-License-Identifier: Apache-2.0
"""Persistent maps, sets and buckets: the tables of successive states are made of them.

A `PersistentMap` is a dict that never changes again (the base) together with what differs from it
(the overlay, a hash array mapped trie: Bagwell, *Ideal Hash Trees*, 2001, in the implementation
`immutables.Map`). Copying takes constant time; changing a copy takes time and memory logarithmic in
the size of the overlay. Small maps are plain dicts, which are faster while copying them is cheap.

Only the maker of a copy changes it. A map that a published value (an instance, a scene graph) holds
never changes again.

A bucket holds the ids that an index has at one key, ascending: a tuple while there are few, a
`PersistentSet` otherwise.
"""

from collections.abc import (
    Collection,
    ItemsView,
    Iterable,
    Iterator,
    MutableMapping,
    Set,
    ValuesView,
)
from typing import Any, Generic, TypeAlias, TypeVar

from immutables import Map

SMALL = 128  # Size up to which a map is a dict that is copied whenever it changes
_FOLD = 8  # Divisor: an overlay larger than 1/_FOLD of its base is folded into a new base
_LARGE_BUCKET = 32  # Size above which a bucket is a persistent set instead of a tuple

K = TypeVar("K")
V = TypeVar("V")

_GONE: Any = object()
_MISSING: Any = object()
_EMPTY: "Map[Any, Any]" = Map()


class Base(Generic[K, V]):
    """A dict that many maps share and none changes; `writes` counts those since the last fold."""

    __slots__ = ("entries", "writes")

    def __init__(self, entries: dict[K, V]) -> None:
        self.entries = entries
        self.writes = 0


class PersistentMap(MutableMapping[K, V]):
    """A map that is copied in constant time.

    Iteration follows the order of a dict that got the same changes with new keys in ascending
    order. If `ascending` is set, iteration always follows ascending keys. Thus the order depends
    only on the history of the entries.
    """

    __slots__ = ("_ascending", "_base", "_overlay", "_size")

    def __init__(self, entries: dict[K, V], ascending: bool = False) -> None:
        """Make a map over `entries`, which it takes over: nobody may change that dict any more."""
        self._base = Base(entries)
        self._overlay: Map[K, V] = _EMPTY
        self._size = len(entries)
        self._ascending = ascending

    def copy(self) -> "PersistentMap[K, V]":
        """Return a map with the same entries that can be changed independently."""
        overlay, base = self._overlay, self._base
        limit = max(SMALL, len(base.entries) // _FOLD)
        # The second condition amortises the cost: among many siblings with long overlays, only as
        # many are folded as writes have paid for.
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
        """The part that this map shares with others."""
        return self._base

    def changes(self) -> Iterator[tuple[K, bool]]:
        """Yield the keys at which the map may differ from its base, with True if it has them."""
        return ((key, value is not _GONE) for key, value in self._overlay.items())

    def __getitem__(self, key: K) -> V:
        found: V = self._overlay.get(key, _MISSING)
        if found is _MISSING:
            return self._base.entries[key]
        if found is _GONE:
            raise KeyError(key)
        return found

    def get(self, key: K, default: Any = None) -> Any:
        """Return the value at `key`, or `default` without one."""
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
        return iter(self._merge())

    def items(self) -> ItemsView[K, V]:
        return self._merge().items()

    def values(self) -> ValuesView[V]:
        return self._merge().values()

    def _merge(self) -> dict[K, V]:
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
        # The base first: for a reader in another thread, the old overlay changes nothing in it.
        self._base = Base(self._merge())
        self._overlay = _EMPTY

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, PersistentMap):
            return bool(self._merge() == other)
        if self._size != other._size:
            return False
        if self._base is not other._base:
            return self._merge() == other._merge()
        return self._overlay is other._overlay or all(
            self.get(key, _MISSING) == other.get(key, _MISSING)
            for overlay in (self._overlay, other._overlay)
            for key in overlay
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (PersistentMap, (dict(self._merge()), self._ascending))

    def __repr__(self) -> str:
        return f"PersistentMap({self._merge()!r})"


class PersistentSet(Set[int]):
    """An ascending set of ids; changed copies share almost everything."""

    __slots__ = ("entries",)

    def __init__(self, entries: PersistentMap[int, None]) -> None:
        """Make the set of the keys of `entries`."""
        self.entries = entries

    def __contains__(self, id_: object) -> bool:
        return id_ in self.entries

    def __iter__(self) -> Iterator[int]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def evolve(mapping: MutableMapping[K, V], ascending: bool = False) -> MutableMapping[K, V]:
    """Return a copy that may be changed; the original must not change from then on."""
    if isinstance(mapping, dict):
        return dict(mapping) if len(mapping) <= SMALL else PersistentMap(mapping, ascending)
    assert isinstance(mapping, PersistentMap)
    return mapping.copy() if len(mapping) > SMALL // 2 else dict(mapping.items())


def last_key(mapping: MutableMapping[int, V]) -> int:
    """Return the greatest key of a dict whose keys ascend; 0 for any other map."""
    return next(reversed(mapping), 0) if isinstance(mapping, dict) else 0


Bucket: TypeAlias = Collection[int]


def with_member(bucket: Bucket, id_: int) -> Bucket:
    """Return a bucket (not empty) with one more id, which it lacks."""
    if isinstance(bucket, tuple):
        if len(bucket) < _LARGE_BUCKET:
            return (*bucket, id_) if bucket[-1] < id_ else tuple(sorted((*bucket, id_)))
        return _bucket(sorted((*bucket, id_)))
    assert isinstance(bucket, PersistentSet)
    entries = bucket.entries.copy()
    entries[id_] = None
    return PersistentSet(entries)


def without_member(bucket: Bucket, id_: int) -> Bucket:
    """Return a bucket without an id, which it has."""
    if isinstance(bucket, tuple) or len(bucket) <= _LARGE_BUCKET // 2:
        return tuple([other for other in bucket if other != id_])
    assert isinstance(bucket, PersistentSet)
    entries = bucket.entries.copy()
    del entries[id_]
    return PersistentSet(entries)


def add_to(index: MutableMapping[K, Bucket], key: K, id_: int) -> None:
    bucket = index.get(key)
    index[key] = (id_,) if bucket is None else with_member(bucket, id_)


def take_from(index: MutableMapping[K, Bucket], key: K, id_: int) -> None:
    """Take an id out of the bucket at a key, and remove the bucket once it is empty."""
    rest = without_member(index[key], id_)
    if rest:
        index[key] = rest
    else:
        del index[key]


def group_ids(pairs: Iterable[tuple[K, int]]) -> dict[K, Bucket]:
    """Build the index of (key, id) pairs whose ids ascend."""
    lists: dict[K, list[int]] = {}
    for key, id_ in pairs:
        lists.setdefault(key, []).append(id_)
    return {key: _bucket(ids) for key, ids in lists.items()}


def _bucket(ids: Collection[int]) -> Bucket:
    if len(ids) <= _LARGE_BUCKET:
        return tuple(ids)
    return PersistentSet(PersistentMap(dict.fromkeys(ids), ascending=True))
