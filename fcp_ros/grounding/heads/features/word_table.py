# SPDX-License-Identifier: Apache-2.0
"""The vectors of words in a few phrasings, and what is computed from each word alone, at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judged.words import find_head_word
from fcp_ros.grounding.models.sentence_encoder import Encode

Array = NDArray[np.float32]

PHRASINGS = ("a {}", "You can use a {}.", "What do you use for {}?")


def list_phrases(words: Sequence[str]) -> list[str]:
    """List the phrases that are encoded for words: all phrasings of each, then its head word."""
    phrases = [phrasing.format(word) for word in words for phrasing in PHRASINGS]
    return [*phrases, *(PHRASINGS[0].format(find_head_word(word)) for word in words)]


def encode_words(words: Sequence[str], encode: Encode) -> tuple[Array, Array]:
    """Encode words in one call.

    Returns:
        Unit vectors in each phrasing, shape (words, phrasings, dimension), and of "a <head word>".
    """
    vectors = encode(list_phrases(words))
    count = len(words) * len(PHRASINGS)
    return vectors[:count].reshape(len(words), len(PHRASINGS), -1), vectors[count:]


class WordTable:
    """One row for each word that was asked about.

    Args:
        encode: the model.
        hubs: mean vector of all words in each phrasing, shape (phrasings, dimension).
        components: principal directions, shape (dimension, components).
        most: words that are kept; with more the table begins anew. A batch may have more.
    """

    def __init__(self, encode: Encode, hubs: Array, components: Array, most: int) -> None:
        self._encode = encode
        self._hubs = hubs
        self._components = components
        self._most = most
        self._places: dict[str, int] = {}
        self._phrased = np.zeros((0, *hubs.shape), np.float32)
        self._derived = np.zeros((0, sum(self._widths)), np.float32)

    @property
    def phrased(self) -> Array:
        """Unit vectors in each phrasing, shape (words, phrasings, dimension)."""
        return self._phrased[: len(self._places)]

    @property
    def heads(self) -> Array:
        """Unit vectors of "a <head word>", shape (words, dimension)."""
        return self._take(0)

    @property
    def hubs(self) -> Array:
        """Cosines with the hubs, shape (words, phrasings)."""
        return self._take(1)

    @property
    def projected(self) -> Array:
        """Coordinates in the principal directions, shape (words, components)."""
        return self._take(2)

    def find_rows(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Find the rows of words, after encoding the new ones in one call."""
        places = [self._places.get(word, -1) for word in words]
        if -1 in places:
            self._add_new(words)
            places = [self._places[word] for word in words]
        return np.array(places, np.intp)

    @property
    def _widths(self) -> tuple[int, int, int]:
        return self._hubs.shape[1], self._hubs.shape[0], self._components.shape[1]

    def _take(self, part: int) -> Array:
        start = sum(self._widths[:part])
        return self._derived[: len(self._places), start : start + self._widths[part]]

    def _add_new(self, words: Sequence[str]) -> None:
        new = [word for word in dict.fromkeys(words) if word not in self._places]
        if len(new) + len(self._places) > self._most:
            self._places.clear()
            new = list(dict.fromkeys(words))
        self._add(new)

    def _add(self, words: Sequence[str]) -> None:
        phrased, heads = encode_words(words, self._encode)
        projected = (phrased.mean(axis=1) - self._hubs.mean(axis=0)) @ self._components
        hubs = np.einsum("wpd,pd->wp", phrased, self._hubs)
        start, end = len(self._places), len(self._places) + len(words)
        if end > len(self._phrased):  # grown by half, so that growing costs little in all
            room = max(64, end + end // 2)
            self._phrased = _grow(self._phrased, room)
            self._derived = _grow(self._derived, room)
        self._phrased[start:end] = phrased
        self._derived[start:end] = np.concatenate([heads, hubs, projected], axis=1)
        self._places.update({word: start + place for place, word in enumerate(words)})


def _grow(array: Array, rows: int) -> Array:
    grown = np.zeros((rows, *array.shape[1:]), np.float32)
    grown[: len(array)] = array
    return grown
