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

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.features.crossing import cross_words
from fcp_ros.grounding.heads.features.shared_words import SHARED_WORDS, compare_all_words
from fcp_ros.grounding.heads.features.word_table import PHRASINGS, WordTable
from fcp_ros.grounding.models.sentence_encoder import Encode

Array = NDArray[np.float32]
Pairs = Sequence[tuple[str, str]]

BANDS = ((0, 4), (4, 16), (16, 48), (48, 96))
"""Ranges of principal components; the cosine in each is a feature."""
COMPONENTS = BANDS[-1][1]
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
        crossing = cross_words(pairs)
        table = self._table
        rows = table.find_rows(crossing.words)
        phrased, heads, projected = table.phrased[rows], table.heads[rows], table.projected[rows]
        first, hubs = phrased[:, 0], table.hubs[rows]
        columns = [
            crossing.multiply_all(phrased).reshape(len(pairs), len(PHRASINGS) ** 2),
            hubs[crossing.left],
            hubs[crossing.right],
            crossing.multiply(heads, heads)[:, None],
            crossing.multiply(heads, first)[:, None],
            crossing.multiply(first, heads)[:, None],
            *(crossing.multiply(band, band)[:, None] for band in _normalise_bands(projected)),
            compare_all_words(crossing.words, crossing.left, crossing.right),
        ]
        own = np.concatenate(columns, axis=1, dtype=np.float32)
        if self.scaling is not None:
            own = (own - self.scaling.mean) * self.scaling.factor
        sides = projected[crossing.left], projected[crossing.right]
        return np.concatenate([own, *sides], axis=1, dtype=np.float32)

    def compare(self, pairs: Pairs) -> Array:
        """Compute the cosines of "a <left>" and "a <right>"."""
        crossing = cross_words(pairs)
        rows = self._table.find_rows(crossing.words)
        first = self._table.phrased[rows, 0]
        return crossing.multiply(first, first)


def _normalise_bands(projected: Array) -> list[Array]:
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
