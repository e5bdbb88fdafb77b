# SPDX-License-Identifier: Apache-2.0
"""The logits of many prompts and their tries, from one packed forward pass.

The check in scorer.py finds out if the architecture honours the mask, and plain_pass.py serves
those models that don't, more slowly.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.packed_forward import PackedForward, PrefixCache, Tokens
from fcp_ros.grounding.language_model.packing import pack
from fcp_ros.grounding.language_model.score_reading import NextTokens, TrieLogits


class TreePass:
    """Runs packed passes of one model.

    Args:
        loaded: the model.
        reader: reads its logits.
    """

    def __init__(self, loaded: LanguageModel, reader: TrieLogits) -> None:
        self._loaded = loaded
        self._reader = reader
        self._forward = PackedForward(loaded.model, loaded.attention, loaded.device)

    @property
    def prefixes(self) -> PrefixCache:
        """The keys and values of prefixes that were read."""
        return self._forward.prefixes

    def run(self, prefix: Tokens, tails: Sequence[Sequence[int]], temperature: float) -> NextTokens:
        """Compute the probabilities after each prompt in one forward pass, or two for a new prefix.

        Args:
            prefix: tokens that all prompts begin with; may be empty.
            tails: the tokens of each prompt after the prefix, at least one.
            temperature: see `TrieLogits.read`.
        """
        import torch

        packed = pack(tails, self._loaded.trie, len(prefix))
        rows = torch.from_numpy(packed.rows.reshape(-1)).to(self._loaded.device)
        keep = {"logits_to_keep": rows} if can_select_rows(self._loaded.model) else {}
        with torch.inference_mode():
            logits = self._forward.run(prefix, packed, **keep).logits[0]
            logits = logits if keep else logits[rows]
            return self._reader.read(logits.view(*packed.rows.shape, -1), temperature)


def can_select_rows(model: Any) -> bool:
    """Return True if a model can compute the logits of selected places only."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters
