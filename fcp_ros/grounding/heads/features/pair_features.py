# SPDX-License-Identifier: Apache-2.0
"""The features of a pair that a head sees: cosines of phrasings, words in common, the two sides.

Each side is put into the same few phrasings. The model was trained on questions with their answers,
so that "What do you use for drinking?" and "You can use a mug." are close to each other. The first
block of features of a pair are

- the cosine of every phrasing of the left with every phrasing of the right side;
- each side's mean cosine with all words of the training ("hubs" are close to everything);
- cosines that involve the head words alone ("glass" of "wine glass");
- cosines in four bands of the principal components (the first hold the broad kind of thing, later
  ones finer differences);
- the words themselves: same head word, one phrase contained in the other, shared words. The model
  takes "cod liver oil" for much like "cod", and only this says that it is another thing.

The second block are the coordinates of both sides in the principal components. The sides are not
interchangeable: a bottle may do for a vase better than a vase for a bottle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.features.word_table import PHRASINGS, WordTable
from fcp_ros.grounding.judged.words import to_singular
from fcp_ros.grounding.models.sentence_encoder import Encode

Array = NDArray[np.float32]
Rows = NDArray[np.intp]
Pairs = Sequence[tuple[str, str]]

BANDS = ((0, 4), (4, 16), (16, 48), (48, 96))
"""Ranges of principal components; the cosine in each is a feature."""
COMPONENTS = BANDS[-1][1]
SHARED_WORDS = 8
"""Number of features that come from the words themselves."""
COSINES = len(PHRASINGS) ** 2 + 2 * len(PHRASINGS) + 3 + len(BANDS)
FEATURES = COSINES + SHARED_WORDS
"""Number of features of the first block."""
MOST_RAM_WORDS = 4096
"""Words whose vectors are kept at hand."""


@dataclass(frozen=True, slots=True)
class Basis:
    """Hubs and principal directions, fixed on the words of the training.

    Args:
        hubs: mean vector of all words in each phrasing, shape (phrasings, dimension).
        components: principal directions of the words' mean vector over the phrasings, shape
            (dimension, COMPONENTS), scaled so that projections have a mean squared length of 1.
    """

    hubs: Array
    components: Array


@dataclass(frozen=True, slots=True)
class Scaling:
    """Shift and factor of each feature of the first block; shape (FEATURES,) each."""

    mean: Array
    factor: Array


def fit_basis(phrased: Array) -> Basis:
    """Fit the hubs and principal directions of the words of a training set.

    Args:
        phrased: their vectors in each phrasing, shape (words, phrasings, dimension).
    """
    hubs = np.asarray(phrased.mean(axis=0), np.float32)
    centred = phrased.mean(axis=1) - hubs.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T.astype(np.float64) @ centred.astype(np.float64))
    components = directions[:, ::-1][:, :COMPONENTS]
    if components.shape[1] < COMPONENTS:  # fewer dimensions than components: pad with zeros
        components = np.pad(components, ((0, 0), (0, COMPONENTS - components.shape[1])))
    length = np.sqrt(((centred @ components) ** 2).sum(axis=1).mean())
    # In the half precision of the file, so that heads are trained on what they will see.
    halved = (components / max(length, 1e-9)).astype(np.float16)
    return Basis(hubs, halved.astype(np.float32))


class SentenceFeatures:
    """The features of the pairs of one set, by a sentence model. For one thread at a time.

    Args:
        encode: the model.
        basis: of the set's words.
        scaling: of the first block; None leaves it as it is.
    """

    widths = (FEATURES, 2 * COMPONENTS)
    sides = (False, True)

    def __init__(self, encode: Encode, basis: Basis, scaling: Scaling | None = None) -> None:
        self.basis = basis
        self.scaling = scaling
        self._table = WordTable(encode, basis.hubs, basis.components, MOST_RAM_WORDS)

    def compute(self, pairs: Pairs) -> Array:
        """Compute the features of pairs, shape (len(pairs), sum of the widths)."""
        left, right = self._find_rows(pairs)
        table = self._table
        projected, bands = table.projected, self._normalise_bands(table.projected)
        first, heads = table.phrased[:, 0], table.heads
        columns = [
            self._cross(left, right).reshape(len(pairs), len(PHRASINGS) ** 2),
            table.hubs[left],
            table.hubs[right],
            _multiply_rows(heads, left, heads, right)[:, None],
            _multiply_rows(heads, left, first, right)[:, None],
            _multiply_rows(first, left, heads, right)[:, None],
            *(_multiply_rows(band, left, band, right)[:, None] for band in bands),
            np.array([compare_words(*pair) for pair in pairs], np.float32).reshape(
                -1, SHARED_WORDS
            ),
        ]
        own = np.concatenate(columns, axis=1, dtype=np.float32)
        if self.scaling is not None:
            own = (own - self.scaling.mean) * self.scaling.factor
        return np.concatenate([own, projected[left], projected[right]], axis=1, dtype=np.float32)

    def compare(self, pairs: Pairs) -> Array:
        """Compute the cosines of "a <left>" and "a <right>"."""
        left, right = self._find_rows(pairs)
        first = self._table.phrased[:, 0]
        return _multiply_rows(first, left, first, right)

    def _find_rows(self, pairs: Pairs) -> tuple[Rows, Rows]:
        rows = self._table.find_rows([word for pair in pairs for word in pair])
        return rows[::2], rows[1::2]

    def _cross(self, left: Rows, right: Rows) -> Array:
        """Compute the cosines of all phrasings, shape (pairs, phrasings, phrasings)."""
        phrased = self._table.phrased
        lefts, a = np.unique(left, return_inverse=True)
        rights, b = np.unique(right, return_inverse=True)
        if len(lefts) * len(rights) > 8 * len(left):
            found = phrased[left] @ phrased[right].transpose(0, 2, 1)
            return np.asarray(found, np.float32)
        # Few words in many pairs: every word with every other at once.
        width, count = phrased.shape[2], len(PHRASINGS)
        every = phrased[lefts].reshape(-1, width) @ phrased[rights].reshape(-1, width).T
        grid = every.reshape(len(lefts), count, len(rights), count)
        return np.asarray(grid[a, :, b], np.float32)

    def _normalise_bands(self, projected: Array) -> list[Array]:
        found = []
        for start, end in BANDS:
            band = projected[:, start:end]
            found.append(band / np.maximum(np.linalg.norm(band, axis=1, keepdims=True), 1e-6))
        return found


def fit_scaling(features: Array) -> Scaling:
    """Scale features to equal spread, and a pair's sum of squares to 1 on average.

    Args:
        features: of the pairs of the training, unscaled, with both blocks.
    """
    own = features[:, :FEATURES]
    factor = 1.0 / (np.maximum(own.std(axis=0), 1e-3) * np.sqrt(FEATURES))
    # Shared words are 0 or 1: scaling them by their spread would reward rarity.
    factor[-SHARED_WORDS:] = 1.5 / np.sqrt(FEATURES)
    return Scaling(np.asarray(own.mean(axis=0), np.float32), np.asarray(factor, np.float32))


def _multiply_rows(a: Array, left: Rows, b: Array, right: Rows) -> Array:
    return np.asarray(np.einsum("nd,nd->n", a[left], b[right]), np.float32)


def compare_words(left: str, right: str) -> tuple[float, ...]:
    """Compare the words of two sides."""
    (a, every_a), (b, every_b) = _split_words(left), _split_words(right)
    common = len(every_a & every_b)
    return (
        float(a[-1] == b[-1]),
        float(a[-1] in every_b),
        float(b[-1] in every_a),
        common / (len(every_a) + len(every_b) - common),
        float(every_a < every_b),
        float(every_b < every_a),
        float(len(a) > 1),
        float(len(b) > 1),
    )


@lru_cache(maxsize=65_536)
def _split_words(side: str) -> tuple[tuple[str, ...], frozenset[str]]:
    words = tuple(to_singular(word) for word in side.split()) or ("",)
    return words, frozenset(words)
