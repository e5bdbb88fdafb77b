# SPDX-License-Identifier: Apache-2.0
"""One forward pass for many prompts after a cached prefix, with a mask of who sees what.

The visible tokens are given by a mask of shape (1, 1, tokens, prefix + tokens), which transformers
passes to eager and to sdpa attention unchanged. So the mask must also contain sliding windows, and
models with layers of both kinds take one mask for each kind. Not every architecture honours the
mask: whoever uses this compares an answer with a pass of its own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.loading import Attention
from fcp_ros.grounding.language_model.packing import PackedPass, count_common_prefix

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


class PackedForward:
    """Runs packed passes of one model.

    Args:
        model: of transformers, with or without an output layer.
        attention: the reach of its layers.
        device: device of the model.
    """

    def __init__(self, model: Any, attention: Attention, device: str) -> None:
        self._model = model
        self._attention = attention
        self._device = device
        self.prefixes = PrefixCache()

    def run(self, prefix: Tokens, packed: PackedPass, **options: Any) -> Any:
        """Run one pass, and one before it for a new prefix; return the model's output.

        Args:
            prefix: tokens that all prompts begin with; may be empty.
            packed: the tokens after the prefix.
            options: further arguments of the model.
        """
        from transformers import DynamicCache

        # Trap: a cache made with the model's configuration drops keys outside a sliding window,
        # and then no longer fits the mask.
        cache = DynamicCache()
        if prefix:
            kept = self.prefixes.get(prefix, lambda: self._read_prefix(prefix))
            for layer, (keys, values) in enumerate(kept):
                cache.update(keys, values, layer)
        return self._model(
            input_ids=self._to_row(packed.tokens),
            position_ids=self._to_row(packed.positions),
            attention_mask=self._build_mask(len(prefix), packed),
            past_key_values=cache,
            use_cache=True,
            **options,
        )

    def _read_prefix(self, prefix: Tokens) -> KeysAndValues:
        from transformers import DynamicCache

        cache = DynamicCache()
        self._model.base_model(
            input_ids=self._to_row(np.array(prefix)), past_key_values=cache, use_cache=True
        )
        return [(layer.keys, layer.values) for layer in cache.layers]

    def _build_mask(self, prefix_length: int, packed: PackedPass) -> Any:
        """Build the mask in the form that the model's layers expect."""
        import torch

        attention = self._attention
        seen = torch.from_numpy(packed.visible).to(self._device)
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

        model = self._model
        if getattr(model.config, "_attn_implementation", "") == "sdpa":
            return seen[None, None]
        added = torch.zeros(seen.shape, dtype=model.dtype, device=seen.device)
        return added.masked_fill_(~seen, torch.finfo(model.dtype).min)[None, None]

    def _to_row(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(np.asarray(numbers, dtype=np.int64)).to(self._device)[None]
