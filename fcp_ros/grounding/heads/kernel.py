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

CHUNK = 128
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
        for block, sharpness, _ in self.list_blocks():
            total += compute_bells(rows[:, block], others[:, block], sharpness)
        return total

    def sharpen(self, factor: float) -> Kernel:
        """Multiply all sharpness by a factor."""
        return replace(self, sharpness=tuple(factor * value for value in self.sharpness))

    def list_blocks(self) -> list[tuple[slice, float, bool]]:
        """List the columns, the sharpness and `sides` of each block."""
        edges = np.cumsum((0, *self.widths)).tolist()
        sides = self.sides or (False,) * len(self.widths)
        blocks = [slice(a, b) for a, b in itertools.pairwise(edges)]
        return list(zip(blocks, self.sharpness, sides, strict=True))


@dataclass(frozen=True, slots=True)
class ReducedSupports:
    """Fewer supports for the blocks of whole pairs, with weights of their own.

    Args:
        places: of the supports that are kept.
        weights: shape (kept, columns).
    """

    places: Rows
    weights: Array


class WeighedSupports:
    """Rows with weights, prepared for others to be compared with them again and again.

    Args:
        kernel: the likeness.
        supports: features of pairs, shape (supports, features).
        weights: of the supports, shape (supports, columns).
        reduced: what stands for them in the blocks of whole pairs; None: all of them.
    """

    def __init__(
        self,
        kernel: Kernel,
        supports: Array,
        weights: Array,
        reduced: ReducedSupports | None = None,
    ) -> None:
        self._weights = weights
        self._whole_weights = weights if reduced is None else reduced.weights
        whole = supports if reduced is None else supports[reduced.places]
        self._blocks: list[tuple[slice, float, tuple[Array, ...]]] = []
        for block, sharpness, of_sides in kernel.list_blocks():
            parts = np.split(supports[:, block], 2, axis=1) if of_sides else [whole[:, block]]
            extended = tuple(np.ascontiguousarray(_extend_right(part).T) for part in parts)
            self._blocks.append((block, sharpness, extended))

    def weigh(self, rows: Array, words: tuple[Rows, Rows]) -> Array:
        """Compute the likeness of rows to the supports, times weights; shape (rows, columns).

        Args:
            rows: features of pairs.
            words: for each row, a number of its left and of its right side; equal ones have equal
                features in the blocks of sides.
        """
        total = np.zeros((len(rows), self._weights.shape[1]), np.float32)
        for block, sharpness, supports in self._blocks:
            own = rows[:, block]
            if len(supports) == 1:
                total += self._weigh_rows(_extend_left(own, sharpness), supports[0])
            else:
                total += self._weigh_sides(own, sharpness, supports, words)
        return total

    def _weigh_rows(self, rows: Array, supports: Array) -> Array:
        weights = self._whole_weights
        total = np.empty((len(rows), weights.shape[1]), np.float32)
        bells = np.empty((min(CHUNK, len(rows)), supports.shape[1]), np.float32)
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            own = rows[part]
            total[part] = _compute_bells(own, supports, bells[: len(own)]) @ weights
        return total

    def _weigh_sides(
        self, rows: Array, sharpness: float, supports: tuple[Array, ...], words: tuple[Rows, Rows]
    ) -> Array:
        bells, places = [], []
        halves = np.split(rows, 2, axis=1)
        for half, theirs, numbers in zip(halves, supports, words, strict=True):
            _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
            bells.append(_compute_bells(_extend_left(half[first], sharpness), theirs))
            places.append(place)
        (lefts, rights), (left, right) = bells, places
        weights = self._weights
        total = np.empty((len(rows), weights.shape[1]), np.float32)
        if len(lefts) * len(rights) <= CROWDED * len(rows):
            for column in range(weights.shape[1]):
                every = (lefts * weights[:, column]) @ rights.T
                total[:, column] = every[left, right]
            return total
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            total[part] = (lefts[left[part]] * rights[right[part]]) @ weights
        return total


def compute_bells(a: Array, b: Array, sharpness: float) -> Array:
    """Compute exp(-sharpness * |a_i - b_j|^2), shape (len(a), len(b))."""
    found = _extend_left(a, sharpness) @ _extend_right(b).T
    np.minimum(found, 0.0, out=found)  # a bell of equal rows is 1, whatever the rounding
    return np.asarray(np.exp(found, out=found), np.float32)


def _compute_bells(left: Array, right: Array, out: Array | None = None) -> Array:
    """Compute the bells of extended rows."""
    found = np.matmul(left, right, out=out)
    return np.asarray(np.exp(found, out=found), np.float32)


def _extend_left(rows: Array, sharpness: float) -> Array:
    """Add the squared norms as columns: so the product of both has no pass over a large result."""
    squares = np.einsum("nd,nd->n", rows, rows)[:, None]
    extended = np.concatenate([2.0 * rows, -squares, -np.ones_like(squares)], axis=1)
    return np.asarray(extended * np.float32(sharpness), np.float32)


def _extend_right(rows: Array) -> Array:
    squares = np.einsum("nd,nd->n", rows, rows)[:, None]
    return np.concatenate([rows, np.ones_like(squares), squares], axis=1, dtype=np.float32)
