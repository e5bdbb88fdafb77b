# SPDX-License-Identifier: Apache-2.0
"""The heads of a model: their file, and the encoder that gives the features of pairs.

The file is chosen by the encoder's weights among those that the package ships, unless one is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fcp_ros.grounding.heads.features.encoders import HeadEncoder, make_encoder
from fcp_ros.grounding.heads.head import Head
from fcp_ros.grounding.heads.head_file import (
    PACKAGED_FOLDER,
    find_packaged_heads,
    hash_file,
    load_heads,
    read_weights,
)
from fcp_ros.grounding.model_files.store import ModelState, find_ready_folder, find_state
from fcp_ros.grounding.models.model_folder import compute_weights_fingerprint
from fcp_ros.grounding.models.sentence_encoder import (
    BETTER_MODEL,
    PACKAGED_MODEL,
    SentenceEncoder,
    find_default_model,
)
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device, Precision


class HeadSource:
    """The heads of one encoder.

    Args:
        encoder: the model.
        file: of its heads.

    Raises:
        GroundingError: the file can't be read.
    """

    def __init__(self, encoder: HeadEncoder, file: Path) -> None:
        self._encoder = encoder
        self.file = file
        self.hash = hash_file(file)

    @property
    def model(self) -> str:
        """Name and fingerprint of the encoder."""
        return self._encoder.model

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return self._encoder.is_loaded

    @property
    def is_english_only(self) -> bool:
        """True for a sentence model; those that heads are trained for know English."""
        return isinstance(self._encoder, SentenceEncoder)

    def load(self) -> Mapping[str, Head]:
        """Read the heads; the model is loaded at the first question."""
        return load_heads(self.file, self._encoder).by_name


def choose_model(model: str, heads: Path | None) -> str:
    """Return a model's name, or where it is "" the name of one that can be used.

    Args:
        model: name or folder, or "".
        heads: file of heads; those of a sentence model that is here choose this model, so that
            heads that were trained before another default was fetched stay in use.
    """
    if model:
        return model
    wanted = read_weights(heads.expanduser()) if heads is not None else ""
    for name in (BETTER_MODEL, PACKAGED_MODEL):
        is_here = find_state(name) in (ModelState.READY, ModelState.INSTALLED)
        if wanted and is_here and compute_weights_fingerprint(find_ready_folder(name)) == wanted:
            return name
    return find_default_model()


def find_source(
    model: str,
    heads: Path | None = None,
    device: Device = Device.AUTO,
    precision: Precision = Precision.AUTO,
) -> HeadSource:
    """Find the heads of a model.

    Args:
        model: name or folder; "" is the one that the file of heads is for, or the default one.
        heads: their file; None: the packaged one.
        device: where the model runs.
        precision: of a causal model.

    Raises:
        GroundingError: the model is missing, or there are no heads for it, with what to do.
    """
    encoder = make_encoder(choose_model(model, heads), device, precision)
    file = heads or find_packaged_heads(encoder.weights)
    if file is not None:
        return HeadSource(encoder, file)
    raise GroundingError(
        GroundingCode.MODEL_NOT_FOUND,
        f"no heads are trained for {model}; train them with `fcp grounding train --model {model} "
        "-o heads` and give that file as the option heads, or use another model "
        f"({_list_models()})",
    )


def _list_models() -> str:
    return ", ".join(sorted(file.stem for file in PACKAGED_FOLDER.iterdir()))
