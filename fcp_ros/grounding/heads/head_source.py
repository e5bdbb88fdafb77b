# SPDX-License-Identifier: Apache-2.0
"""Sources of heads: the file of one encoder, or a stack of several.

The file is chosen by the encoder's weights among those that the package ships, unless one is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from fcp_ros.grounding.heads.features.encoders import HeadEncoder, make_encoder
from fcp_ros.grounding.heads.head import PairScorer
from fcp_ros.grounding.heads.head_file import (
    PACKAGED_FOLDER,
    find_packaged_heads,
    hash_file,
    load_heads,
    read_weights,
)
from fcp_ros.grounding.heads.stack import (
    Stack,
    StackedScorer,
    find_member_heads,
    find_packaged_stack,
    read_stack,
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

PLUS = "+"
"""Joins the names of the models of a stack."""


class HeadSource(Protocol):
    """Gives heads."""

    @property
    def file(self) -> Path:
        """The file that names the heads, for messages."""
        ...

    @property
    def model(self) -> str:
        """Name and fingerprint of the encoder or the encoders."""
        ...

    @property
    def hash(self) -> str:
        """Changes with the heads."""
        ...

    @property
    def is_loaded(self) -> bool:
        """True if all models are in memory."""
        ...

    @property
    def is_english_only(self) -> bool:
        """True if no model knows other languages."""
        ...

    def load(self) -> Mapping[str, PairScorer]:
        """Read the heads, by the names of their sets."""
        ...


class SingleSource:
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

    def load(self) -> Mapping[str, PairScorer]:
        """Read the heads; the model is loaded at the first question."""
        return load_heads(self.file, self._encoder).by_name


class StackSource:
    """The heads of several encoders, and the weights of each.

    Args:
        file: of the stack, with the heads of its members beside it or among the packaged ones.
        stack: what the file says.
        encoders: of the members, in the order of the stack.

    Raises:
        GroundingError: the heads of a member are missing or were exchanged.
    """

    def __init__(self, file: Path, stack: Stack, encoders: list[HeadEncoder]) -> None:
        self.file = file
        self.hash = hash_file(file)
        self._stack = stack
        self._encoders = encoders
        self._members = [
            SingleSource(encoder, find_member_heads(encoder.weights, file.parent))
            for encoder in encoders
        ]
        for member, wanted in zip(self._members, stack.heads, strict=True):
            if member.hash != wanted:
                raise GroundingError(
                    GroundingCode.NOT_A_MODEL,
                    f"the stack {file} was trained with other heads than those in {member.file}; "
                    "train it again with `fcp grounding train --model A+B`",
                )

    @property
    def model(self) -> str:
        """Names and fingerprints of the encoders."""
        return PLUS.join(encoder.model for encoder in self._encoders)

    @property
    def is_loaded(self) -> bool:
        """True if all models are in memory."""
        return all(encoder.is_loaded for encoder in self._encoders)

    @property
    def is_english_only(self) -> bool:
        """True if no member knows other languages."""
        return all(member.is_english_only for member in self._members)

    def load(self) -> Mapping[str, PairScorer]:
        """Read the heads of all members."""
        loaded = [member.load() for member in self._members]
        return {
            name: StackedScorer(weighting, tuple(heads[name] for heads in loaded))
            for name, weighting in self._stack.sets.items()
        }


def split_model(model: str) -> list[str]:
    """Split the name of a stack, "a+b", into those of its members; another name is one member."""
    return [model] if PLUS not in model or Path(model).exists() else model.split(PLUS)


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
    """Find the heads of a model, or of several whose names are joined by a plus.

    Args:
        model: name or folder; "" is the one that the file of heads is for, or the default one.
        heads: file of heads, or of a stack; None: the packaged ones.
        device: where models run.
        precision: of causal models.

    Raises:
        GroundingError: a model is missing, or there are no heads for it, with what to do.
    """
    names = split_model(choose_model(model, heads))
    encoders = [make_encoder(name, device, precision) for name in names]
    weights = [encoder.weights for encoder in encoders]
    if len(encoders) == 1:
        file = heads or find_packaged_heads(weights[0])
        if file is not None:
            return SingleSource(encoders[0], file)
    else:
        file = heads or find_packaged_stack(weights)
        if file is not None:
            stack = read_stack(file)
            return StackSource(file, stack, stack.order(encoders, file))
    raise GroundingError(
        GroundingCode.MODEL_NOT_FOUND,
        f"no heads are trained for {model}; train them with `fcp grounding train --model {model} "
        "-o heads` and give that file as the option heads, or use another model "
        f"({_list_models()})",
    )


def _list_models() -> str:
    return ", ".join(sorted(file.stem for file in PACKAGED_FOLDER.iterdir()))
