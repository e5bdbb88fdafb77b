# SPDX-License-Identifier: Apache-2.0
"""The encoder of a model's name: a sentence model, or a causal one whose hidden states are read."""

from __future__ import annotations

import json
from pathlib import Path

from fcp_ros.grounding.heads.features.state_features import StateEncoder
from fcp_ros.grounding.models.model_folder import CONFIG, check_model_folder
from fcp_ros.grounding.models.sentence_encoder import (
    PACKAGED_MODEL,
    SentenceEncoder,
    find_default_model,
)
from fcp_ros.grounding.protocol.options import Device, Precision

HeadEncoder = SentenceEncoder | StateEncoder
SENTENCE_MODULES = "modules.json"
"""A file that sentence-transformers writes beside every model."""


def is_causal(folder: Path) -> bool:
    """Return True if a checked folder holds a causal language model."""
    if (folder / SENTENCE_MODULES).is_file():
        return False
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    names = [str(name) for name in config.get("architectures") or ()]
    return any(name.endswith(("CausalLM", "LMHeadModel")) for name in names)


def make_encoder(
    model: str, device: Device = Device.AUTO, precision: Precision = Precision.AUTO
) -> HeadEncoder:
    """Make the encoder of a model.

    Args:
        model: a folder, or the name of a fetched model; "" is the default sentence model.
        device: where it runs.
        precision: of a causal model's computations.

    Raises:
        GroundingError: there is no such model, or it can't be used; if it was not fetched, with the
            command that fetches it.
    """
    model = model or find_default_model()
    if model == PACKAGED_MODEL:
        return SentenceEncoder(None, device)
    if is_causal(check_model_folder(Path(model))):
        return StateEncoder(Path(model), device, precision)
    return SentenceEncoder(Path(model), device)
