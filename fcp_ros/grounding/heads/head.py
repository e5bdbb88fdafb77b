# SPDX-License-Identifier: Apache-2.0
"""A trained head: the degree of a pair from its likeness to judged pairs. Only numpy.

The score of a pair is kernel ridge regression on a few hundred to thousand *supports*, judged
pairs that were drawn when the head was trained (training.py):

    score = mean + sum_s weight_s * (near(f, f_s) + near(l, l_s) * near(r, r_s))
    near(a, b) = exp(-|a - b|^2 / 2)

with the pair's scaled features f (pair_features.py) and its sides' projections l and r. The first
term says how pairs with such cosines were judged, the second how things like the left were
judged for purposes like the right. The sides are not interchangeable: a bottle may do for a
vase better than a vase for a bottle. A monotone piecewise linear map makes the score a degree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.degree_map import DegreeMap
from fcp_ros.grounding.heads.pair_features import (
    Array,
    Basis,
    Pairs,
    compute_features,
    encode_words,
)
from fcp_ros.grounding.models.sentence_encoder import Encode

CHUNK = 512
"""Pairs that are scored at a time, to bound the memory."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Shift and factor of each feature; shape (features,) each."""

    mean: Array
    factor: Array

    def apply(self, features: Array) -> Array:
        """Scale features to a mean squared length of about 1."""
        return np.asarray((features - self.mean) * self.factor, np.float32)


@dataclass(frozen=True, slots=True)
class Supports:
    """Judged pairs that new ones are compared with.

    Args:
        features: scaled, shape (supports, features).
        words: projections of the words in them, shape (words, COMPONENTS).
        left: each support's left side, a row of `words`; shape (supports,).
        right: each support's right side.
    """

    features: Array
    words: Array
    left: NDArray[np.int32]
    right: NDArray[np.int32]

    def compute_kernel(
        self, features: Array, words: Array, left: NDArray[np.intp], right: NDArray[np.intp]
    ) -> Array:
        """Compute the likeness of pairs to the supports, shape (pairs, supports).

        Args:
            features: of the pairs, scaled.
            words: projections of the words in the pairs.
            left: each pair's left side, a row of `words`.
            right: each pair's right side.
        """
        word_likeness = _compute_likeness(words, self.words)
        sides = word_likeness[left][:, self.left] * word_likeness[right][:, self.right]
        return _compute_likeness(features, self.features) + sides


@dataclass(frozen=True, slots=True)
class Head:
    """Judges pairs of one kind.

    Args:
        name: of the set of judgements: "substitution".
        columns: names of the sides: ("item", "wanted").
        basis: of the features.
        scaling: of the features.
        supports: what pairs are compared with.
        weights: of the supports, shape (supports,).
        mean: score of a pair unlike all judged ones.
        degree_map: from score to degree.
    """

    name: str
    columns: tuple[str, str]
    basis: Basis
    scaling: Scaling
    supports: Supports
    weights: Array
    mean: float
    degree_map: DegreeMap

    def score(self, pairs: Pairs, encode: Encode) -> list[float]:
        """Score pairs in plain spelling, before the map."""
        if not pairs:
            return []
        words = encode_words([word for pair in pairs for word in pair], encode)
        projected = words.project(self.basis)
        scores: list[float] = []
        for start in range(0, len(pairs), CHUNK):
            part = pairs[start : start + CHUNK]
            features = self.scaling.apply(compute_features(part, words, self.basis))
            left = words.find_rows([pair[0] for pair in part])
            right = words.find_rows([pair[1] for pair in part])
            likeness = self.supports.compute_kernel(features, projected, left, right)
            scores.extend((likeness @ self.weights + self.mean).tolist())
        return scores

    def judge(self, pairs: Pairs, encode: Encode) -> list[float]:
        """Judge pairs by the score alone, including pairs that were judged themselves."""
        return [self.degree_map.apply(score) for score in self.score(pairs, encode)]


def _compute_likeness(a: Array, b: Array) -> Array:
    """Compute exp(-|a_i - b_j|^2 / 2), shape (len(a), len(b))."""
    squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None] - 2.0 * (a @ b.T)
    return np.asarray(np.exp(-0.5 * np.maximum(squares, 0.0)), np.float32)
