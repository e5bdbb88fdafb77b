# SPDX-License-Identifier: Apache-2.0
"""The features of a pair that a head sees: hidden states of a language model, fewer of them.

The states of the question about the pair (hidden_states.py) are shifted and projected to the
principal directions of the questions of the training.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.features.hidden_states import (
    StatePlaces,
    StateReader,
    load_state_reader,
    load_tokenizer,
    read_width,
)
from fcp_ros.grounding.heads.features.questions import QuestionForm, tokenize_questions
from fcp_ros.grounding.models.model_folder import (
    check_model_folder,
    compute_fingerprint,
    compute_weights_fingerprint,
)
from fcp_ros.grounding.protocol.options import Device, Precision

Array = NDArray[np.float32]
Pairs = Sequence[tuple[str, str]]
ReadStates = Callable[[QuestionForm, Pairs], Array]
"""Returns the states of the questions about pairs, one pair a row."""


class StateEncoder:
    """Reads the states of questions by the model of a folder, loaded at the first of them.

    Args:
        folder: the model, or the name of a fetched one.
        device: where it runs.
        precision: of its computations.

    Raises:
        GroundingError: the folder holds no model that may be loaded.
    """

    def __init__(
        self,
        folder: Path,
        device: Device = Device.AUTO,
        precision: Precision = Precision.AUTO,
    ) -> None:
        self.folder = check_model_folder(folder)
        self.model = compute_fingerprint(self.folder)
        self._device = device
        self._precision = precision
        self._loaded: dict[StatePlaces, StateReader] = {}
        self._tokenizer: Any = None
        self._lock = threading.Lock()

    @property
    def weights(self) -> str:
        """Fingerprint of the weights, which heads are trained for."""
        return compute_weights_fingerprint(self.folder)

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return bool(self._loaded)

    @property
    def width(self) -> int:
        """Numbers of a token's state."""
        return read_width(self.folder)

    def load_tokenizer(self) -> Any:
        """Load the model's tokenizer, once."""
        if self._tokenizer is None:
            self._tokenizer = load_tokenizer(self.folder)
        return self._tokenizer

    def make_reading(self, places: StatePlaces) -> ReadStates:
        """Make the reading of the states at some places."""

        def read(form: QuestionForm, pairs: Pairs) -> Array:
            with self._lock:
                tokens = tokenize_questions(self.load_tokenizer(), form, pairs)
                return self._load(places).read(tokens.prefix, tokens.tails)

        return read

    def _load(self, places: StatePlaces) -> StateReader:
        """Load the model up to the last of some places, once."""
        if places not in self._loaded:
            self._loaded[places] = load_state_reader(
                self.folder, self._device, self._precision, places
            )
        return self._loaded[places]


@dataclass(frozen=True, slots=True)
class StateReduction:
    """A shift and a projection of states.

    Args:
        mean: shape (states,).
        factor: on each state, shape (states,), such that the features of a pair have a mean squared
            length of about 1.
        projection: shape (states, features).
    """

    mean: Array
    factor: Array
    projection: Array

    def apply(self, states: Array) -> Array:
        """Reduce states, shape (pairs, states), to features."""
        return np.asarray(((states - self.mean) * self.factor) @ self.projection, np.float32)


@dataclass(frozen=True, slots=True)
class StateFeatures:
    """The features of the pairs of one set.

    Args:
        read: reads states.
        form: the set's question.
        reduction: of the states.
    """

    read: ReadStates
    form: QuestionForm
    reduction: StateReduction

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of columns of each block: there is one block."""
        return (self.reduction.projection.shape[1],)

    @property
    def sides(self) -> tuple[bool, ...]:
        """No block holds both sides."""
        return (False,)

    def compute(self, pairs: Pairs) -> Array:
        """Compute the features of pairs."""
        return self.reduction.apply(self.read(self.form, pairs))

    def compare(self, pairs: Pairs) -> Array:
        """Return zeros: there is no cosine of the two sides."""
        return np.zeros(len(pairs), np.float32)
