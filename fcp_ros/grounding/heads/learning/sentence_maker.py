# SPDX-License-Identifier: Apache-2.0
"""The features of a training by a sentence model: each phrase is encoded once, kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from fcp_ros.grounding.heads.features.pair_features import (
    Array,
    SentenceFeatures,
    fit_basis,
    fit_scaling,
)
from fcp_ros.grounding.heads.features.word_table import encode_words, list_phrases
from fcp_ros.grounding.heads.learning.feature_maker import Pairs, Report
from fcp_ros.grounding.heads.learning.feature_store import FeatureStore
from fcp_ros.grounding.models.sentence_encoder import Encode

BATCH = 512
AT_A_TIME = 4000
"""Pairs whose features are in memory together, while the scaling is fitted."""


class PhraseEncoder(Protocol):
    """A sentence model."""

    @property
    def model(self) -> str:
        """Name and fingerprint."""
        ...

    @property
    def weights(self) -> str:
        """Fingerprint of the weights."""
        ...

    def encode(self, phrases: Sequence[str]) -> Array:
        """Encode phrases to unit vectors."""
        ...


class SentenceMaker:
    """Makes the features of pairs by a sentence model.

    Args:
        encoder: the model.
        folder: of the vectors on disk.
        report: is told how it goes.
    """

    places = None

    def __init__(self, encoder: PhraseEncoder, folder: Path, report: Report) -> None:
        self.model = encoder.model
        self.weights = encoder.weights
        self._encoder = encoder
        self._report = report
        width = encoder.encode(["a mug"]).shape[1]
        self._store = FeatureStore(folder, f"phrases|{encoder.weights}", width)

    @property
    def encode(self) -> Encode:
        """The vectors of phrases from the disk; new ones are computed and kept."""
        return self._encode

    def prepare(self, training: Mapping[str, Pairs], others: Mapping[str, Pairs]) -> None:
        """Encode all phrases."""
        pairs_of_all = [pair for pairs in (*training.values(), *others.values()) for pair in pairs]
        words = sorted({word for pair in pairs_of_all for word in pair})
        phrases = [*list_phrases(words), *words]
        self._fill(phrases, lambda done, every: self._report("phrases", done, every))

    def make(self, name: str, training: Pairs) -> SentenceFeatures:
        """Fit basis and scaling on the training part of a set."""
        words = list(dict.fromkeys(word for pair in training for word in pair))
        basis = fit_basis(encode_words(words, self._encode)[0])
        plain = SentenceFeatures(self._encode, basis)
        sample = training[:: max(1, len(training) // AT_A_TIME)]
        return SentenceFeatures(self._encode, basis, fit_scaling(plain.compute(sample)))

    def close(self) -> None:
        """Release the file."""
        self._store.close()

    def _encode(self, phrases: Sequence[str]) -> Array:
        self._fill(phrases, lambda _done, _all: None)
        return self._store.read(phrases)

    def _fill(self, phrases: Sequence[str], report: Callable[[int, int], None]) -> None:
        self._store.fill(phrases, self._encoder.encode, BATCH, report)
