# SPDX-License-Identifier: Apache-2.0
"""One forward pass for many prompts and their tries, after a cached prefix.

The visible tokens are given by a mask of shape (1, 1, tokens, prefix + tokens), which transformers
passes to eager and to sdpa attention unchanged. So the mask must also contain sliding windows, and
models with layers of both kinds take one mask for each kind. Not every architecture honours the
mask: the check in scorer.py finds out, and plain_pass.py serves those models more slowly.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.packing import PackedPass, count_common_prefix, pack
from fcp_ros.grounding.language_model.score_reading import NextTokens, TrieLogits

Tokens = tuple[int, ...]
KeysAndValues = Sequence[tuple[Any, Any]]
"""Keys and values of each layer; shape (1, heads, tokens, width) each."""


class PrefixCache:
    """Cache of the keys and values of prefixes; the least recently used are dropped.

    If a cached prefix begins with the wanted one, a slice of it is returned.

    Args:
        count: most prefixes; a domain has a handful of predicates.
    """

    def __init__(self, count: int = 8) -> None:
        self._count = count
        self._entries: OrderedDict[Tokens, KeysAndValues] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, prefix: Tokens, compute: Callable[[], KeysAndValues]) -> KeysAndValues:
        """Return the prefix's keys and values, computed if no cached prefix begins with it."""
        for tokens in self._entries:
            if count_common_prefix((tokens, prefix)) == len(prefix):
                self._entries.move_to_end(tokens)
                length = len(prefix)
                return [(k[..., :length, :], v[..., :length, :]) for k, v in self._entries[tokens]]
        computed = compute()
        self._entries[prefix] = computed
        while len(self._entries) > self._count:
            self._entries.popitem(last=False)
        return computed

    def clear(self) -> None:
        """Drop all prefixes, to free memory."""
        self._entries.clear()


class TreePass:
    """Runs packed passes of one model.

    Args:
        loaded: the model.
        reader: reads its logits.
    """

    def __init__(self, loaded: LanguageModel, reader: TrieLogits) -> None:
        self._loaded = loaded
        self._reader = reader
        self.prefixes = PrefixCache()

    def run(self, prefix: Tokens, tails: Sequence[Sequence[int]], temperature: float) -> NextTokens:
        """Compute the probabilities after each prompt in one forward pass, or two for a new prefix.

        Args:
            prefix: tokens that all prompts begin with; may be empty.
            tails: the tokens of each prompt after the prefix, at least one.
            temperature: see `TrieLogits.read`.
        """
        import torch

        packed = pack(tails, self._loaded.trie, len(prefix))
        with torch.inference_mode():
            logits = self._compute_logits(prefix, packed)
            return self._reader.read(logits.view(*packed.rows.shape, -1), temperature)

    def _compute_logits(self, prefix: Tokens, packed: PackedPass) -> Any:
        """Compute the logits of all rows of the pass; shape (rows, vocabulary)."""
        import torch
        from transformers import DynamicCache

        loaded = self._loaded
        # Trap: a cache made with the model's configuration drops keys outside a sliding window,
        # and then no longer fits the mask.
        cache = DynamicCache()
        if prefix:
            kept = self.prefixes.get(prefix, lambda: self._read_prefix(prefix))
            for layer, (keys, values) in enumerate(kept):
                cache.update(keys, values, layer)
        rows = torch.from_numpy(packed.rows.reshape(-1)).to(loaded.device)
        keep = {"logits_to_keep": rows} if can_select_rows(loaded.model) else {}
        logits = loaded.model(
            input_ids=self._to_row(packed.tokens),
            position_ids=self._to_row(packed.positions),
            attention_mask=self._build_mask(len(prefix), packed),
            past_key_values=cache,
            use_cache=True,
            **keep,
        ).logits[0]
        return logits if keep else logits[rows]

    def _read_prefix(self, prefix: Tokens) -> KeysAndValues:
        from transformers import DynamicCache

        cache = DynamicCache()
        self._loaded.model.base_model(
            input_ids=self._to_row(np.array(prefix)), past_key_values=cache, use_cache=True
        )
        return [(layer.keys, layer.values) for layer in cache.layers]

    def _build_mask(self, prefix_length: int, packed: PackedPass) -> Any:
        """Build the mask in the form that the model's layers expect."""
        import torch

        attention = self._loaded.attention
        seen = torch.from_numpy(packed.visible).to(self._loaded.device)
        seen = torch.nn.functional.pad(seen, (prefix_length, 0), value=True)
        if not attention.sliding or packed.positions.max() < attention.sliding:
            near = seen
        else:
            own = self._to_row(packed.positions)[0]
            behind = torch.arange(prefix_length, device=own.device)
            near = seen & (own[:, None] - torch.cat([behind, own])[None] < attention.sliding)
        if attention.sliding and attention.mixed:
            return {
                "full_attention": self._convert_mask(seen),
                "sliding_attention": self._convert_mask(near),
            }
        return self._convert_mask(near)

    def _convert_mask(self, seen: Any) -> Any:
        """Convert to booleans (sdpa) or to an addend of the attention scores (others)."""
        import torch

        model = self._loaded.model
        if getattr(model.config, "_attn_implementation", "") == "sdpa":
            return seen[None, None]
        added = torch.zeros(seen.shape, dtype=model.dtype, device=seen.device)
        return added.masked_fill_(~seen, torch.finfo(model.dtype).min)[None, None]

    def _to_row(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(np.asarray(numbers, dtype=np.int64)).to(self._loaded.device)[None]


def can_select_rows(model: Any) -> bool:
    """Return True if a model can compute the logits of selected places only."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters
