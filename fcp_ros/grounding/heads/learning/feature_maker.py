# SPDX-License-Identifier: Apache-2.0
"""The interface between a training and the encoder that it trains heads for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from fcp_ros.grounding.heads.features.hidden_states import StatePlaces
from fcp_ros.grounding.heads.head import PairFeatures
from fcp_ros.grounding.models.sentence_encoder import Encode

Pairs = Sequence[tuple[str, str]]
Report = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and how much there is."""


class FeatureMaker(Protocol):
    """Makes the features of the pairs of all sets of a training."""

    @property
    def model(self) -> str:
        """Name and fingerprint of the model."""
        ...

    @property
    def weights(self) -> str:
        """Fingerprint of the model's weights."""
        ...

    @property
    def places(self) -> StatePlaces | None:
        """The hidden states that are read; None for a sentence model."""
        ...

    @property
    def encode(self) -> Encode | None:
        """Vectors of phrases; None for a causal model."""
        ...

    def prepare(self, training: Mapping[str, Pairs], others: Mapping[str, Pairs]) -> None:
        """Compute all that needs the model, and keep it on disk.

        Args:
            training: the pairs of each set that will be learned from.
            others: further pairs of each set, which will be scored.
        """
        ...

    def make(self, name: str, training: Pairs) -> PairFeatures:
        """Make the features of a set, fitted on its training part."""
        ...

    def close(self) -> None:
        """Release the files."""
        ...
