# SPDX-License-Identifier: Apache-2.0
"""Pairs of boxes for which a condition holds, how clearly it does, and the best one an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.shapes.boxes import Flags, Floats, Indices

BARELY = 0.5
"""Confidence of a condition that just holds; one that holds clearly has 1."""


def confidence_of(clearness: Floats) -> Floats:
    """Confidence in [0.5, 1] from how clearly a condition holds: 0 just so, 1 (or more) clearly."""
    share: Floats = BARELY + (1.0 - BARELY) * np.clip(clearness, 0.0, 1.0)
    return share


def left_of(amount: Floats, most: float) -> Floats:
    """How much (as a share) of what is allowed is left: 1 for an amount of 0, 0 for the most."""
    return 1.0 - amount / most if most > 0.0 else np.ones_like(amount)


def share_of(margin: Floats, whole: float) -> Floats:
    """A margin (m) as a share of the one that is clear; every margin is, of none."""
    return margin / whole if whole > 0.0 else np.ones_like(margin)


@dataclass(frozen=True)
class Found:
    """k pairs for which a condition holds.

    Attributes:
        item: Numbers of the items, shape (k,).
        other: Numbers of what they lie on, are inside of, ..., shape (k,).
        first: What decides between several others of one item: the least is best.
        second: What decides where ``first`` is equal; after that the lesser id does.
        confidence: In [0, 1].
    """

    item: Indices
    other: Indices
    first: Floats
    second: Floats
    confidence: Floats

    def where(self, keep: Flags | Indices) -> Found:
        """Some of the pairs."""
        return Found(
            self.item[keep],
            self.other[keep],
            self.first[keep],
            self.second[keep],
            self.confidence[keep],
        )

    @staticmethod
    def none() -> Found:
        """No pairs."""
        numbers, values = np.zeros(0, dtype=np.intp), np.zeros(0)
        return Found(numbers, numbers, values, values, values)

    @staticmethod
    def joined(parts: Sequence[Found]) -> Found:
        """All pairs of several; at least one part."""
        return Found(
            np.concatenate([part.item for part in parts]),
            np.concatenate([part.other for part in parts]),
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.second for part in parts]),
            np.concatenate([part.confidence for part in parts]),
        )


def best_of_each(found: Found, ids: Sequence[str]) -> Found:
    """The best pair of each item, items ascending."""
    if not len(found.item):
        return found
    order = np.lexsort((found.second, found.first, found.item))
    ranked = found.where(order)
    leads = np.flatnonzero(np.diff(ranked.item, prepend=-1) != 0)
    group = np.cumsum(np.diff(ranked.item, prepend=-1) != 0) - 1
    tied = (ranked.first == ranked.first[leads][group]) & (
        ranked.second == ranked.second[leads][group]
    )
    if np.count_nonzero(tied) == len(leads):
        return ranked.where(leads)
    ranked = ranked.where(tied)
    ranked = ranked.where(np.lexsort((rank_of_ids(ranked.other, ids), ranked.item)))
    return ranked.where(np.flatnonzero(np.diff(ranked.item, prepend=-1) != 0))


def rank_of_ids(numbers: Indices, ids: Sequence[str]) -> NDArray[np.intp]:
    """Where each number's id stands among the ids of all these numbers."""
    present, which = np.unique(numbers, return_inverse=True)
    names = [ids[number] for number in present.tolist()]
    rank = np.empty(len(names), dtype=np.intp)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return rank[which]


class BestOfEach:
    """Collects pairs a batch at a time and keeps the best of each item; memory stays bounded."""

    def __init__(self, ids: Sequence[str], at_once: int = 1 << 19) -> None:
        self._ids = ids
        self._at_once = at_once
        self._parts: list[Found] = []
        self._held = 0

    def add(self, found: Found) -> None:
        """More pairs."""
        if not len(found.item):
            return
        self._parts.append(found)
        self._held += len(found.item)
        if self._held > self._at_once:
            best = best_of_each(Found.joined(self._parts), self._ids)
            self._parts, self._held = [best], 0  # what is kept does not count: one an item

    def best(self) -> Found | None:
        """The best pair of each item; None without any."""
        return best_of_each(Found.joined(self._parts), self._ids) if self._parts else None
