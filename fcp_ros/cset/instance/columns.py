# SPDX-License-Identifier: Apache-2.0
"""Maps from ids as arrays. What successive states share is converted once."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.persistent_map import PersistentMap

Column: TypeAlias = NDArray[np.int64]

V = TypeVar("V")


def columns_of(
    mapping: Mapping[int, V], width: int, flat: Callable[[Iterable[V]], Iterable[int]]
) -> Column:
    """A row (id, *numbers) for each entry, by ascending id; the array cannot be written to.

    Args:
        mapping: what each id stands for.
        width: of the rows, the id included.
        flat: gives the numbers of all the values in one sequence.
    """
    if not isinstance(mapping, PersistentMap):
        return _array(mapping.keys(), mapping.values(), width, flat)
    base = mapping.base
    if base.array is None:
        base.array = _array(base.entries.keys(), base.entries.values(), width, flat)
    older: Column = base.array
    changes = sorted(mapping.changes())
    if not changes:
        return older
    kept = _without(older, np.array([key for key, _ in changes], dtype=np.int64))
    keys = [key for key, present in changes if present]
    fresh = _array(keys, [mapping[key] for key in keys], width, flat)
    return _frozen(_joined(kept, fresh))


def _array(
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
    return _frozen(rows)


def _without(rows: Column, keys: Column) -> Column:
    """The rows with other keys; both ascend."""
    positions = np.searchsorted(rows[:, 0], keys)
    inside = positions < len(rows)
    positions, keys = positions[inside], keys[inside]
    keep = np.ones(len(rows), dtype=bool)
    keep[positions[rows[positions, 0] == keys]] = False
    return rows[keep]


def _joined(first: Column, second: Column) -> Column:
    """All rows by ascending key."""
    if not len(first) or not len(second) or first[-1, 0] < second[0, 0]:
        return np.concatenate((first, second))
    places = np.searchsorted(first[:, 0], second[:, 0])
    return np.insert(first, places, second, axis=0)


def _frozen(rows: Column) -> Column:
    rows.setflags(write=False)
    return rows
