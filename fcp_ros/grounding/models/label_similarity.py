# SPDX-License-Identifier: Apache-2.0
"""Labels compared by a sentence model, which is imported when somebody compares some.

Each node may have to, and hardly any ever does: the encoder brings 60 modules, pydantic among them,
a tenth of a second and 10 MB at the start of each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.binding.similar_labels import NoSimilarity
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.grounding.options import Device


class EmbeddingLabelSimilarity:
    """Cosine similarity of labels by a model (MiniLM: its cosines fit the callers' thresholds).

    Loaded at the first question; each label is encoded once. Thread-safe.
    """

    def __init__(self, folder: Path | None = None, device: Device = Device.AUTO) -> None:
        self._folder = folder
        self._device = device
        self._encode: Callable[[Sequence[str]], NDArray[np.float32]] | None = None
        self._lock = threading.Lock()

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        """Compute cosines, shape (len(labels), len(known)); NoSimilarity without a model."""
        if not labels or not known:
            return np.zeros((len(labels), len(known)), np.float32)
        vectors = self.encode([*labels, *known])
        table: NDArray[np.float32] = vectors[: len(labels)] @ vectors[len(labels) :].T
        return table

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute the unit vectors of texts, one a row; NoSimilarity without a model."""
        try:
            return self._load_once()(list(texts))
        except GroundingError as error:
            raise NoSimilarity(str(error)) from error

    def _load_once(self) -> Callable[[Sequence[str]], NDArray[np.float32]]:
        from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder

        with self._lock:
            if self._encode is None:
                self._encode = SentenceEncoder(self._folder, self._device).encode
            return self._encode
