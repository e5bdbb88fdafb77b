# SPDX-License-Identifier: Apache-2.0
"""Maps from ids as arrays; parts that successive states share are converted once."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.persistent_map import PersistentMap

Column: TypeAlias = NDArray[np.int64]

V = TypeVar("V")


def to_columns(
    mapping: Mapping[int, V], width: int, flat: Callable[[Iterable[V]], Iterable[int]]
) -> Column:
    """Return a row (id, *numbers) for each entry, by ascending id, in a read-only array.

    Args:
        mapping: a value for each id.
        width: of the rows, the id included.
        flat: gives the numbers of all the values in one sequence.
    """
    if not isinstance(mapping, PersistentMap):
        return _fill(mapping.keys(), mapping.values(), width, flat)
    base = mapping.base
    if base.array is None:
        base.array = _fill(base.entries.keys(), base.entries.values(), width, flat)
    older: Column = base.array
    changes = sorted(mapping.changes())
    if not changes:
        return older
    kept = _drop_keys(older, np.array([key for key, _ in changes], dtype=np.int64))
    keys = [key for key, present in changes if present]
    fresh = _fill(keys, [mapping[key] for key in keys], width, flat)
    return _freeze(_merge_rows(kept, fresh))


def _fill(
    keys: Collection[int],
    values: Iterable[V],
    width: int,
    flat: Callable[[Iterable[V]], Iterable[int]],
) -> Column:
    rows = np.empty((len(keys), width), dtype=np.int64)
    rows[:, 0] = np.fromiter(keys, np.int64, len(keys))
    if width > 1:
        numbers = np.fromiter(flat(values), np.int64, len(keys) * (width - 1))
        rows[:, 1:] = numbers.reshape(-1, width - 1)
    return _freeze(rows)


def _drop_keys(rows: Column, keys: Column) -> Column:
    """Return the rows with other keys; both ascend."""
    positions = np.searchsorted(rows[:, 0], keys)
    inside = positions < len(rows)
    positions, keys = positions[inside], keys[inside]
    keep = np.ones(len(rows), dtype=bool)
    keep[positions[rows[positions, 0] == keys]] = False
    return rows[keep]


def _merge_rows(first: Column, second: Column) -> Column:
    """Return all rows by ascending key."""
    if not len(first) or not len(second) or first[-1, 0] < second[0, 0]:
        return np.concatenate((first, second))
    places = np.searchsorted(first[:, 0], second[:, 0])
    return np.insert(first, places, second, axis=0)


def _freeze(rows: Column) -> Column:
    rows.setflags(write=False)
    return rows
