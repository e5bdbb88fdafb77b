# SPDX-License-Identifier: Apache-2.0
"""One forward pass for many prompts and their tries, behind a prefix that was read before.

Which token sees which is said by a mask of shape (1, 1, tokens, prefix + tokens), which
transformers hands to eager and to sdpa attention as it is: sliding windows, too, have to be in it,
and models with layers of both kinds take one mask for each kind. Not every architecture asks the
mask: self_check.py finds out, and plain_pass.py does it the slow way.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.kept_prefixes import KeptPrefixes, KeysAndValues, Tokens
from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.packing import PackedPass, pack
from fcp_ros.grounding.language_model.score_reading import NextTokens
from fcp_ros.grounding.language_model.trie_logits import TrieLogits


class TreePass:
    """Runs packed passes of one model.

    Args:
        loaded: the model.
        reader: reads its logits.
    """

    def __init__(self, loaded: LanguageModel, reader: TrieLogits) -> None:
        self._loaded = loaded
        self._reader = reader
        self.prefixes = KeptPrefixes()

    def run(self, prefix: Tokens, tails: Sequence[Sequence[int]], temperature: float) -> NextTokens:
        """What follows each prompt, in one forward pass (two if the prefix is new).

        Args:
            prefix: tokens that all prompts begin with; may be empty.
            tails: of each prompt the tokens behind the prefix, at least one.
            temperature: see `TrieLogits.read`.
        """
        import torch

        packed = pack(tails, self._loaded.trie, len(prefix))
        with torch.inference_mode():
            logits = self._logits(prefix, packed)
            return self._reader.read(logits.view(*packed.rows.shape, -1), temperature)

    def _logits(self, prefix: Tokens, packed: PackedPass) -> Any:
        """The logits of all rows of the pass; shape (rows, vocabulary)."""
        import torch
        from transformers import DynamicCache

        loaded = self._loaded
        # Made without the model's configuration: a cache that forgets what is behind a sliding
        # window would not fit the mask.
        cache = DynamicCache()
        if prefix:
            kept = self.prefixes.get(prefix, lambda: self._read_prefix(prefix))
            for layer, (keys, values) in enumerate(kept):
                cache.update(keys, values, layer)
        rows = torch.from_numpy(packed.rows.reshape(-1)).to(loaded.device)
        keep = {"logits_to_keep": rows} if keeps_rows(loaded.model) else {}
        logits = loaded.model(
            input_ids=self._row(packed.tokens),
            position_ids=self._row(packed.positions),
            attention_mask=self._mask(len(prefix), packed),
            past_key_values=cache,
            use_cache=True,
            **keep,
        ).logits[0]
        return logits if keep else logits[rows]

    def _read_prefix(self, prefix: Tokens) -> KeysAndValues:
        from transformers import DynamicCache

        cache = DynamicCache()
        self._loaded.model.base_model(
            input_ids=self._row(np.array(prefix)), past_key_values=cache, use_cache=True
        )
        return [(layer.keys, layer.values) for layer in cache.layers]

    def _mask(self, prefix_length: int, packed: PackedPass) -> Any:
        """What each token sees, in the form that the model's layers ask for."""
        import torch

        attention = self._loaded.attention
        seen = torch.from_numpy(packed.visible).to(self._loaded.device)
        seen = torch.nn.functional.pad(seen, (prefix_length, 0), value=True)
        if not attention.sliding or packed.positions.max() < attention.sliding:
            near = seen
        else:
            own = self._row(packed.positions)[0]
            behind = torch.arange(prefix_length, device=own.device)
            near = seen & (own[:, None] - torch.cat([behind, own])[None] < attention.sliding)
        if attention.sliding and attention.mixed:
            return {
                "full_attention": self._form(seen),
                "sliding_attention": self._form(near),
            }
        return self._form(near)

    def _form(self, seen: Any) -> Any:
        """True where a token is seen (sdpa), or what is added to the scores (others)."""
        import torch

        model = self._loaded.model
        if getattr(model.config, "_attn_implementation", "") == "sdpa":
            return seen[None, None]
        added = torch.zeros(seen.shape, dtype=model.dtype, device=seen.device)
        return added.masked_fill_(~seen, torch.finfo(model.dtype).min)[None, None]

    def _row(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(np.asarray(numbers, dtype=np.int64)).to(self._loaded.device)[None]


def keeps_rows(model: Any) -> bool:
    """Whether a model can be told to compute the logits of some places only."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters
