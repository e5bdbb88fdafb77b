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
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.state_features import StateEncoder
from fcp_ros.grounding.judgement_set import find_head_word, to_singular
from fcp_ros.grounding.language_model.causal_model import read_architectures
from fcp_ros.grounding.models.model_folder import check_model_folder
from fcp_ros.grounding.models.sentence_encoder import (
    PACKAGED_MODEL,
    Encode,
    SentenceEncoder,
    find_default_model,
)
from fcp_ros.grounding.options import Device, Precision

HeadEncoder = SentenceEncoder | StateEncoder
SENTENCE_MODULES = "modules.json"  # A file that sentence-transformers writes beside every model


def is_causal(folder: Path) -> bool:
    """Return True if a checked folder holds a causal language model."""
    if (folder / SENTENCE_MODULES).is_file():
        return False
    return any(name.endswith(("CausalLM", "LMHeadModel")) for name in read_architectures(folder))


def make_encoder(
    model: str, device: Device = Device.AUTO, precision: Precision = Precision.AUTO
) -> HeadEncoder:
    """Make the encoder of a model: a folder, a fetched one's name, "" for the default one."""
    model = model or find_default_model()
    if model == PACKAGED_MODEL:
        return SentenceEncoder(None, device)
    if is_causal(check_model_folder(Path(model))):
        return StateEncoder(Path(model), device, precision)
    return SentenceEncoder(Path(model), device)


# --- the vectors of words in a few phrasings ---

Array = NDArray[np.float32]

PHRASINGS = ("a {}", "You can use a {}.", "What do you use for {}?")


def list_phrases(words: Sequence[str]) -> list[str]:
    """List the phrases that are encoded for words: all phrasings of each, then its head word."""
    phrases = [phrasing.format(word) for word in words for phrasing in PHRASINGS]
    return [*phrases, *(PHRASINGS[0].format(find_head_word(word)) for word in words)]


def encode_words(words: Sequence[str], encode: Encode) -> tuple[Array, Array]:
    """Encode words in one call: (words, phrasings, dimension), and "a <head word>" of each."""
    vectors = encode(list_phrases(words))
    count = len(words) * len(PHRASINGS)
    return vectors[:count].reshape(len(words), len(PHRASINGS), -1), vectors[count:]


class WordTable:
    """One row for each word that was asked about; with more than `most` it begins anew.

    `hubs`: mean vector of all words in each phrasing, shape (phrasings, dimension). `components`:
    principal directions, shape (dimension, components).
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


# --- words that the two sides of a pair share; a plural is the same word ---

SHARED_WORDS = 8  # Number of features
Rows = NDArray[np.intp]


def compare_all_words(phrases: Sequence[str], left: Rows, right: Rows) -> NDArray[np.float32]:
    """Compare the words of the sides of many pairs, shape (pairs, SHARED_WORDS).

    Same head, the left head in the right side, the right one in the left, share of the words that
    both have, left part of right, right part of left, left and right have several. `left` and
    `right` are places among the phrases.
    """
    words = [_split_words(phrase) for phrase in phrases]
    numbers: dict[str, int] = {}
    distinct = [sorted({numbers.setdefault(word, len(numbers)) for word in some}) for some in words]
    counts = np.array([len(some) for some in distinct], np.intp)
    # Short rows are filled up with numbers that no word has; those of both sides differ.
    table = np.full((len(phrases), int(counts.max(initial=0))), -1, np.int64)
    for row, some in enumerate(distinct):
        table[row, : len(some)] = some
    heads = np.array([numbers[some[-1]] for some in words], np.int64)
    is_long = np.array([len(some) > 1 for some in words])
    a, b = table[left], np.where(table < 0, -2, table)[right]
    common = np.zeros(len(left), np.intp)
    for column in range(a.shape[1]):
        common += (a[:, column, None] == b).any(axis=1)
    of_a, of_b = counts[left], counts[right]
    columns = (
        heads[left] == heads[right],
        (heads[left, None] == b).any(axis=1),
        (heads[right, None] == a).any(axis=1),
        common / (of_a + of_b - common),
        (common == of_a) & (of_a < of_b),
        (common == of_b) & (of_b < of_a),
        is_long[left],
        is_long[right],
    )
    return np.stack(columns, axis=1, dtype=np.float32)


def _split_words(side: str) -> tuple[str, ...]:
    return tuple(to_singular(word) for word in side.split()) or ("",)


# --- products of the vectors of both sides of many pairs, which have few distinct words ---


CROWDED = 8
"""Products of all left with all right words, for each pair, up to which all are computed."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The distinct words of pairs."""

    words: tuple[str, ...]
    left: Rows  # place of each pair's left side among the words
    right: Rows  # the same for the right side
    lefts: Rows  # the places that stand on the left
    rights: Rows
    row: Rows  # place of each pair's left side in `lefts`
    column: Rows  # of its right side in `rights`

    def multiply(self, a: Array, b: Array) -> Array:
        """Compute the product of each left word's vector in `a` with its right one's in `b`."""
        if self._is_crowded:
            return np.asarray((a[self.lefts] @ b[self.rights].T)[self.row, self.column])
        return np.asarray(np.einsum("nd,nd->n", a[self.left], b[self.right]))

    def multiply_all(self, vectors: Array) -> Array:
        """Multiply all vectors (words, count, dimension) of both sides: (pairs, count, count)."""
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
    places: dict[str, int] = {}
    left = np.array([places.setdefault(a, len(places)) for a, _ in pairs], np.intp)
    right = np.array([places.setdefault(b, len(places)) for _, b in pairs], np.intp)
    lefts, row = np.unique(left, return_inverse=True)
    rights, column = np.unique(right, return_inverse=True)
    return Crossing(tuple(places), left, right, lefts, rights, row, column)


# --- the features of a pair that a head sees ---

Pairs = Sequence[tuple[str, str]]

BANDS = ((0, 4), (4, 16), (16, 48), (48, 96))
"""Ranges of principal components; the cosine in each is a feature."""
COMPONENTS = BANDS[-1][1]
COSINES = len(PHRASINGS) ** 2 + 2 * len(PHRASINGS) + 3 + len(BANDS)
FEATURES = COSINES + SHARED_WORDS  # Number of features of the first block
MOST_RAM_WORDS = 4096  # Words whose vectors are kept at hand


@dataclass(frozen=True, slots=True)
class Basis:
    """Hubs and principal directions, fixed on the words of the training."""

    hubs: Array  # mean vector of all words in each phrasing, shape (phrasings, dimension)
    # principal directions of the words' mean vector over the phrasings, shape (dimension,
    # COMPONENTS), scaled so that projections have a mean squared length of 1
    components: Array


@dataclass(frozen=True, slots=True)
class Scaling:
    """Shift and factor of each feature of the first block; shape (FEATURES,) each."""

    mean: Array
    factor: Array


def fit_basis(phrased: Array) -> Basis:
    """Fit hubs and principal directions of words, shape (words, phrasings, dimension)."""
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
    """The features of the pairs of one set, by a sentence model. For one thread at a time."""

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
    """Scale both blocks to equal spread of features, and a pair's sum of squares to about 1."""
    own = features[:, :FEATURES]
    factor = 1.0 / (np.maximum(own.std(axis=0), 1e-3) * np.sqrt(FEATURES))
    # Shared words are 0 or 1: scaling them by their spread would reward rarity.
    factor[-SHARED_WORDS:] = 1.5 / np.sqrt(FEATURES)
    return Scaling(np.asarray(own.mean(axis=0), np.float32), np.asarray(factor, np.float32))
