# SPDX-License-Identifier: Apache-2.0
"""Buckets: the ids that an index holds at one key, ascending. Large ones are persistent sets."""

from collections.abc import Collection, Iterable, MutableMapping
from typing import TypeAlias, TypeVar

from fcp_ros.cset.instance.persistent_map import PersistentMap, PersistentSet

Bucket: TypeAlias = Collection[int]

_LARGE = 32

K = TypeVar("K")


def with_member(bucket: Bucket, id_: int) -> Bucket:
    """The bucket, which is not empty, with one more id that it lacks."""
    if isinstance(bucket, tuple):
        if len(bucket) < _LARGE:
            return (*bucket, id_) if bucket[-1] < id_ else tuple(sorted((*bucket, id_)))
        return _bucket(sorted((*bucket, id_)))
    assert isinstance(bucket, PersistentSet)
    entries = bucket.entries.copy()
    entries[id_] = None
    return PersistentSet(entries)


def without_member(bucket: Bucket, id_: int) -> Bucket:
    """The bucket without an id that it has."""
    if isinstance(bucket, tuple) or len(bucket) <= _LARGE // 2:
        return tuple([other for other in bucket if other != id_])
    assert isinstance(bucket, PersistentSet)
    entries = bucket.entries.copy()
    del entries[id_]
    return PersistentSet(entries)


def add_to(index: MutableMapping[K, Bucket], key: K, id_: int) -> None:
    """Put an id into the bucket at `key`."""
    bucket = index.get(key)
    index[key] = (id_,) if bucket is None else with_member(bucket, id_)


def take_from(index: MutableMapping[K, Bucket], key: K, id_: int) -> None:
    """Take an id out of the bucket at `key`, which goes when it is empty."""
    rest = without_member(index[key], id_)
    if rest:
        index[key] = rest
    else:
        del index[key]


def grouped(pairs: Iterable[tuple[K, int]]) -> dict[K, Bucket]:
    """The index of (key, id) pairs, whose ids ascend."""
    lists: dict[K, list[int]] = {}
    for key, id_ in pairs:
        lists.setdefault(key, []).append(id_)
    return {key: _bucket(ids) for key, ids in lists.items()}


def _bucket(ids: Collection[int]) -> Bucket:
    if len(ids) <= _LARGE:
        return tuple(ids)
    return PersistentSet(PersistentMap(dict.fromkeys(ids), ascending=True))
