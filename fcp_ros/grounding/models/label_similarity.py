# SPDX-License-Identifier: Apache-2.0
"""Similarity of category labels in meaning, by their sentence embeddings."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.binding.similar_labels import NoSimilarity
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.options import Device


class EmbeddingLabelSimilarity:
    """Cosine similarity of labels; nothing is loaded before the first question.

    Each label is encoded once, all new ones of a question in one model call. Thread-safe.

    Args:
        folder: a sentence-transformers model; None: MiniLM, for whose cosines the callers'
            thresholds were chosen.
        device: the device of the model.
    """

    def __init__(self, folder: Path | None = None, device: Device = Device.AUTO) -> None:
        self._folder = folder
        self._device = device
        self._encoder: SentenceEncoder | None = None
        self._lock = threading.Lock()

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        """Compute cosines, shape (len(labels), len(known)).

        Raises:
            NoSimilarity: there is no model, or it can't be loaded.
        """
        if not labels or not known:
            return np.zeros((len(labels), len(known)), np.float32)
        vectors = self.encode([*labels, *known])
        table: NDArray[np.float32] = vectors[: len(labels)] @ vectors[len(labels) :].T
        return table

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute the unit vectors of texts, one a row.

        Raises:
            NoSimilarity: there is no model, or it can't be loaded.
        """
        try:
            return self._load_once().encode(list(texts))
        except GroundingError as error:
            raise NoSimilarity(str(error)) from error

    def _load_once(self) -> SentenceEncoder:
        with self._lock:
            if self._encoder is None:
                self._encoder = SentenceEncoder(self._folder, self._device)
            return self._encoder
