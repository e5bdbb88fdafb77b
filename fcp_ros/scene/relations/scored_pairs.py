# SPDX-License-Identifier: Apache-2.0
"""Pairs of boxes for which a condition holds, scored, and the best pair of each item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.shapes.boxes import Flags, Floats, Indices

BARELY = 0.5  # Confidence of a condition that just holds; one that holds clearly has 1

TIE = 9
"""Decimals of sort keys (m, m2, m3): what is equal but for rounding is a tie, which ids decide."""


def to_confidence(clearness: Floats) -> Floats:
    """Map clearness to confidence in [0.5, 1]: 0 (just so) to 0.5, 1 or more (clearly) to 1."""
    share: Floats = BARELY + (1.0 - BARELY) * np.clip(clearness, 0.0, 1.0)
    return share


def share_left(amount: Floats, most: float) -> Floats:
    """Return the unused share of an allowance: 1 for an amount of 0, 0 for the most."""
    return 1.0 - amount / most if most > 0.0 else np.ones_like(amount)


def share_of(margin: Floats, whole: float) -> Floats:
    """Return a margin (m) as a share of the one that counts as clear; 1 if that is 0."""
    return margin / whole if whole > 0.0 else np.ones_like(margin)


@dataclass(frozen=True)
class ScoredPairs:
    """k pairs for which a condition holds."""

    item: Indices  # Numbers of the items, shape (k,)
    other: Indices  # Numbers of the things that they lie on, are inside of, ..., shape (k,)
    primary: Floats  # First sort key among several others of one item: the least is best
    secondary: Floats  # Second sort key; after that the lesser id wins
    confidence: Floats  # In [0, 1]

    def take(self, which: Flags | Indices) -> ScoredPairs:
        return ScoredPairs(
            self.item[which],
            self.other[which],
            self.primary[which],
            self.secondary[which],
            self.confidence[which],
        )

    @staticmethod
    def empty() -> ScoredPairs:
        """Return no pairs."""
        numbers, values = np.zeros(0, dtype=np.intp), np.zeros(0)
        return ScoredPairs(numbers, numbers, values, values, values)

    @staticmethod
    def concatenate(parts: Sequence[ScoredPairs]) -> ScoredPairs:
        return ScoredPairs(
            np.concatenate([part.item for part in parts]),
            np.concatenate([part.other for part in parts]),
            np.concatenate([part.primary for part in parts]),
            np.concatenate([part.secondary for part in parts]),
            np.concatenate([part.confidence for part in parts]),
        )


def select_best(pairs: ScoredPairs, ids: Sequence[str]) -> ScoredPairs:
    """Select the best pair of each item, items ascending."""
    if not len(pairs.item):
        return pairs
    first_key, second_key = (np.round(key, TIE) for key in (pairs.primary, pairs.secondary))
    order = np.lexsort((second_key, first_key, pairs.item))
    is_first = _mark_changes(pairs.item[order])
    first = np.flatnonzero(is_first)
    if len(first) == len(order):
        return pairs.take(order)
    lead = first[np.cumsum(is_first) - 1]
    primary, secondary = first_key[order], second_key[order]
    tied = (primary == primary[lead]) & (secondary == secondary[lead])
    if np.count_nonzero(tied) == len(first):
        return pairs.take(order[first])
    order = order[tied]
    order = order[np.lexsort((rank_ids(pairs.other[order], ids), pairs.item[order]))]
    return pairs.take(order[_mark_changes(pairs.item[order])])


def _mark_changes(numbers: Indices) -> Flags:
    """Mark the numbers that differ from the one before; the first does."""
    changes = np.ones(len(numbers), dtype=np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=changes[1:])
    return changes


def rank_ids(numbers: Indices, ids: Sequence[str]) -> NDArray[np.intp]:
    """Return the rank of each number's id among the ids of all these numbers."""
    present, which = np.unique(numbers, return_inverse=True)
    names = [ids[number] for number in present.tolist()]
    rank = np.empty(len(names), dtype=np.intp)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return rank[which]


class BestPairs:
    """A collector of pairs, batch by batch, that keeps the best of each item in bounded memory."""

    def __init__(self, ids: Sequence[str], at_once: int = 1 << 19) -> None:
        self._ids = ids
        self._at_once = at_once
        self._parts: list[ScoredPairs] = []
        self._count = 0

    def add(self, pairs: ScoredPairs) -> None:
        if not len(pairs.item):
            return
        self._parts.append(pairs)
        self._count += len(pairs.item)
        if self._count > self._at_once:
            best = select_best(ScoredPairs.concatenate(self._parts), self._ids)
            self._parts, self._count = [best], 0  # the best do not count: one an item

    def best(self) -> ScoredPairs | None:
        """Return the best pair of each item; None without any."""
        if not self._parts:
            return None
        return select_best(ScoredPairs.concatenate(self._parts), self._ids)
