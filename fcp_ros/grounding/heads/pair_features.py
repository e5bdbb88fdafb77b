# SPDX-License-Identifier: Apache-2.0
"""The features of a pair that a head sees: cosines of phrasings, and words in common.

Each side is put into the same few phrasings. The model was trained on questions with their answers,
so that "What do you use for drinking?" and "You can use a mug." are close to each other. The
features of a pair are

- the cosine of every phrasing of the left with every phrasing of the right side;
- each side's mean cosine with all words of the training ("hubs" are close to everything);
- cosines that involve the head words alone ("glass" of "wine glass");
- cosines in four bands of the principal components (the first hold the broad kind of thing, later
  ones finer differences);
- the words themselves: same head word, one phrase contained in the other, shared words. The model
  takes "cod liver oil" for much like "cod", and only this says that it is another thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judged.words import find_head_word, to_singular
from fcp_ros.grounding.models.sentence_encoder import Encode

Array = NDArray[np.float32]
Pairs = Sequence[tuple[str, str]]

PHRASINGS = ("a {}", "You can use a {}.", "What do you use for {}?", "It is used for {}.")
BANDS = ((0, 4), (4, 16), (16, 48), (48, 96))
"""Ranges of principal components; the cosine in each is a feature."""
COMPONENTS = BANDS[-1][1]
SHARED_WORDS = 8
"""Number of features that come from the words themselves."""


def count_features() -> int:
    """Count the features of a pair."""
    phrasings = len(PHRASINGS)
    return phrasings * phrasings + 2 * phrasings + 3 + len(BANDS) + SHARED_WORDS


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

    @property
    def mean(self) -> Array:
        """Mean vector over words and phrasings, shape (dimension,)."""
        return np.asarray(self.hubs.mean(axis=0), np.float32)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """The vectors of some words.

    Args:
        places: each word's row.
        phrased: unit vectors, shape (words, phrasings, dimension).
        heads: unit vectors of "a <head word>", shape (words, dimension).
    """

    places: dict[str, int]
    phrased: Array
    heads: Array

    def find_rows(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Find the rows of these words."""
        return np.array([self.places[word] for word in words], np.intp)

    def project(self, basis: Basis) -> Array:
        """Compute the coordinates in a basis, shape (words, COMPONENTS)."""
        centred = self.phrased.mean(axis=1) - basis.mean
        return np.asarray(centred @ basis.components, np.float32)


def encode_words(words: Sequence[str], encode: Encode) -> WordVectors:
    """Encode words, each once; one call of `encode` for all of them."""
    distinct = list(dict.fromkeys(words))
    phrases = [phrasing.format(word) for word in distinct for phrasing in PHRASINGS]
    heads = [PHRASINGS[0].format(find_head_word(word)) for word in distinct]
    vectors = encode([*phrases, *heads])
    count = len(phrases)
    return WordVectors(
        {word: place for place, word in enumerate(distinct)},
        vectors[:count].reshape(len(distinct), len(PHRASINGS), -1),
        vectors[count:],
    )


def fit_basis(words: WordVectors) -> Basis:
    """Fit the hubs and principal directions of the words of a training set."""
    hubs = np.asarray(words.phrased.mean(axis=0), np.float32)
    centred = words.phrased.mean(axis=1) - hubs.mean(axis=0)
    _, _, directions = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    components = directions[:COMPONENTS].T
    if components.shape[1] < COMPONENTS:  # fewer words than components: pad with zeros
        missing = COMPONENTS - components.shape[1]
        components = np.pad(components, ((0, 0), (0, missing)))
    length = np.sqrt(((centred @ components) ** 2).sum(axis=1).mean())
    return Basis(hubs, np.asarray(components / max(length, 1e-9), np.float32))


def compute_features(pairs: Pairs, words: WordVectors, basis: Basis) -> Array:
    """Compute the features of pairs, shape (len(pairs), count_features())."""
    left = words.find_rows([pair[0] for pair in pairs])
    right = words.find_rows([pair[1] for pair in pairs])
    crossed = np.einsum("npd,nqd->npq", words.phrased[left], words.phrased[right])
    hubs = np.einsum("wpd,pd->wp", words.phrased, basis.hubs)
    first = words.phrased[:, 0]
    heads = words.heads
    columns = [
        crossed.reshape(len(pairs), len(PHRASINGS) ** 2),
        hubs[left],
        hubs[right],
        _multiply_rows(heads[left], heads[right])[:, None],
        _multiply_rows(heads[left], first[right])[:, None],
        _multiply_rows(first[left], heads[right])[:, None],
        _compute_band_cosines(words.project(basis), left, right),
        np.array([_compare_words(*pair) for pair in pairs], np.float32).reshape(-1, SHARED_WORDS),
    ]
    return np.concatenate(columns, axis=1, dtype=np.float32)


def _multiply_rows(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("nd,nd->n", a, b), np.float32)


def _compute_band_cosines(
    projected: Array, left: NDArray[np.intp], right: NDArray[np.intp]
) -> Array:
    columns = []
    for start, end in BANDS:
        band = projected[:, start:end]
        unit = band / np.maximum(np.linalg.norm(band, axis=1, keepdims=True), 1e-6)
        columns.append(_multiply_rows(unit[left], unit[right]))
    return np.stack(columns, axis=1)


def _compare_words(left: str, right: str) -> tuple[float, ...]:
    a, b = ([to_singular(word) for word in side.split()] for side in (left, right))
    common, every = set(a) & set(b), set(a) | set(b)
    return (
        float(a[-1] == b[-1]),
        float(a[-1] in b),
        float(b[-1] in a),
        len(common) / len(every),
        float(set(a) < set(b)),
        float(set(b) < set(a)),
        float(len(a) > 1),
        float(len(b) > 1),
    )
