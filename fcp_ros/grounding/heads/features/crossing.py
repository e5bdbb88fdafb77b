# SPDX-License-Identifier: Apache-2.0
"""Products of the vectors of both sides of many pairs, which have few distinct words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Rows = NDArray[np.intp]

CROWDED = 8
"""Products of all left with all right words, for each pair, up to which all are computed."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The distinct words of pairs.

    Args:
        words: each once.
        left: place of each pair's left side among the words.
        right: the same for the right side.
        lefts: the places that stand on the left.
        rights: those on the right.
        row: place of each pair's left side in `lefts`.
        column: of its right side in `rights`.
    """

    words: tuple[str, ...]
    left: Rows
    right: Rows
    lefts: Rows
    rights: Rows
    row: Rows
    column: Rows

    def multiply(self, a: Array, b: Array) -> Array:
        """Compute the product of each left word's vector in `a` with its right one's in `b`.

        Args:
            a: a vector for each word.
            b: another.
        """
        if self._is_crowded:
            return np.asarray((a[self.lefts] @ b[self.rights].T)[self.row, self.column])
        return np.asarray(np.einsum("nd,nd->n", a[self.left], b[self.right]))

    def multiply_all(self, vectors: Array) -> Array:
        """Compute the products of all vectors of the left with all of the right word.

        Args:
            vectors: of each word, shape (words, count, dimension).

        Returns:
            Shape (pairs, count, count).
        """
        if not self._is_crowded:
            return np.asarray(vectors[self.left] @ vectors[self.right].transpose(0, 2, 1))
        _, count, width = vectors.shape
        lefts = vectors[self.lefts].reshape(-1, width)
        every = lefts @ vectors[self.rights].reshape(-1, width).T
        grid = every.reshape(len(self.lefts), count, len(self.rights), count)
        return np.asarray(grid[self.row, :, self.column])

    @property
    def _is_crowded(self) -> bool:
        return len(self.lefts) * len(self.rights) <= CROWDED * len(self.left)


def cross_words(pairs: Sequence[tuple[str, str]]) -> Crossing:
    """Find the distinct words of pairs."""
    places: dict[str, int] = {}
    left = np.array([places.setdefault(a, len(places)) for a, _ in pairs], np.intp)
    right = np.array([places.setdefault(b, len(places)) for _, b in pairs], np.intp)
    lefts, row = np.unique(left, return_inverse=True)
    rights, column = np.unique(right, return_inverse=True)
    return Crossing(tuple(places), left, right, lefts, rights, row, column)
