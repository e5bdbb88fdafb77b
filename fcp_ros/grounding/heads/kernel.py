# SPDX-License-Identifier: Apache-2.0
"""Likeness of rows of features: sums of bells, one for each block of columns. Only numpy.

A block may hold the features of both sides of a pair, one half each. Its bell is then the product
of the bells of the halves, which are computed once for each word, however many pairs it is in.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Rows = NDArray[np.intp]

CHUNK = 256
"""Rows that are compared at a time; their likeness fits into a processor's cache."""
CROWDED = 4
"""Pairs of all words with all words, for each pair that is asked, up to which all are computed."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Likeness of rows of features.

    Args:
        widths: number of columns of each block.
        sharpness: of each block, > 0; 1 / (2 * squared width of the bell).
        sides: for each block, True if it holds both sides, one half each; empty: none does.
    """

    widths: tuple[int, ...]
    sharpness: tuple[float, ...]
    sides: tuple[bool, ...] = ()

    def compute(self, rows: Array, others: Array) -> Array:
        """Compute the likeness of rows to others, shape (len(rows), len(others))."""
        total = np.zeros((len(rows), len(others)), np.float32)
        for block, sharpness, _ in self._list_blocks():
            total += compute_bells(rows[:, block], others[:, block], sharpness)
        return total

    def weigh(self, rows: Array, others: Array, weights: Array, words: tuple[Rows, Rows]) -> Array:
        """Compute the likeness of rows to others, times weights; shape (rows, weights' columns).

        Args:
            rows: features of pairs.
            others: features of other pairs.
            weights: of the others, shape (others, columns).
            words: for each row, a number of its left and of its right side; equal ones have equal
                features in the blocks of sides.
        """
        total = np.zeros((len(rows), weights.shape[1]), np.float32)
        for block, sharpness, of_sides in self._list_blocks():
            own, their = rows[:, block], others[:, block]
            if of_sides:
                total += _weigh_sides(own, their, sharpness, weights, words)
                continue
            for start in range(0, len(rows), CHUNK):
                part = slice(start, start + CHUNK)
                total[part] += compute_bells(own[part], their, sharpness) @ weights
        return total

    def sharpen(self, factor: float) -> Kernel:
        """Multiply all sharpness by a factor."""
        return replace(self, sharpness=tuple(factor * value for value in self.sharpness))

    def _list_blocks(self) -> list[tuple[slice, float, bool]]:
        edges = np.cumsum((0, *self.widths)).tolist()
        sides = self.sides or (False,) * len(self.widths)
        blocks = [slice(a, b) for a, b in itertools.pairwise(edges)]
        return list(zip(blocks, self.sharpness, sides, strict=True))


def compute_bells(a: Array, b: Array, sharpness: float) -> Array:
    """Compute exp(-sharpness * |a_i - b_j|^2), shape (len(a), len(b))."""
    # The norms are two more columns of the product: no pass over the large result.
    squares = [np.einsum("nd,nd->n", rows, rows)[:, None] for rows in (a, b)]
    one_a, one_b = np.ones_like(squares[0]), np.ones_like(squares[1])
    left = np.concatenate([2.0 * a, -squares[0], -one_a], axis=1) * np.float32(sharpness)
    right = np.concatenate([b, one_b, squares[1]], axis=1)
    found = np.asarray(left, np.float32) @ np.asarray(right, np.float32).T
    np.minimum(found, 0.0, out=found)
    return np.asarray(np.exp(found, out=found), np.float32)


def _weigh_sides(
    rows: Array, others: Array, sharpness: float, weights: Array, words: tuple[Rows, Rows]
) -> Array:
    half = rows.shape[1] // 2
    bells, places = [], []
    for side, numbers in zip((slice(0, half), slice(half, None)), words, strict=True):
        _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
        bells.append(compute_bells(rows[first, side], others[:, side], sharpness))
        places.append(place)
    (lefts, rights), (left, right) = bells, places
    total = np.zeros((len(rows), weights.shape[1]), np.float32)
    if len(lefts) * len(rights) <= CROWDED * len(rows):
        for column in range(weights.shape[1]):
            every = (lefts * weights[:, column]) @ rights.T
            total[:, column] = every[left, right]
        return total
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        total[part] = (lefts[left[part]] * rights[right[part]]) @ weights
    return total
