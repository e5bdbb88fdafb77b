# SPDX-License-Identifier: Apache-2.0
"""One forward pass for many prompts after a cached prefix, with a mask of who sees what.

The visible tokens are given by a mask of shape (1, 1, tokens, prefix + tokens), which transformers
passes to eager and to sdpa attention unchanged. So the mask must also contain sliding windows, and
models with layers of both kinds take one mask for each kind. Not every architecture honours the
mask: whoever uses this compares an answer with a pass of its own, and refuses the model (see
`refuse_architecture`) if they differ.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import (
    Attention,
    LanguageModel,
    NextTokens,
    ScoreTrie,
    TrieLogits,
)
from fcp_ros.grounding.models.torch_device import free_memory, is_out_of_memory

Integers = NDArray[np.int64]
Result = TypeVar("Result")

CPU_TOKENS = 512
"""A CPU gains nothing from longer passes, whose attention grows with the square of the length."""
LEAST_TOKENS = 16


class TokenBudget:
    """The most tokens of a pass, and half of them whenever the memory does not hold one.

    `release`: drops what can be computed again. `report`: is told about each halving.
    """

    def __init__(
        self,
        tokens: int,
        device: str,
        release: Callable[[], None],
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.tokens = tokens if device != "cpu" else min(tokens, CPU_TOKENS)
        self._device = device
        self._release = release
        self._report = report

    def run(self, read: Callable[[], Result | None], divisible: bool) -> Result | None:
        """Read a pass; None if it must be tried again with fewer tokens; else MODEL_FAILED."""
        try:
            return read()
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        # Trap: inside the handler, the error's frames would keep the memory in use.
        if not divisible or self.tokens <= LEAST_TOKENS:
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the device {self._device!r} has no memory left for a single question "
                f"({reason}); stop what else uses it, or use a smaller model or a model server "
                "(endpoint)",
            )
        self._release()
        free_memory(self._device)
        self.tokens //= 2
        self._report(f"out of memory: from now on at most {self.tokens} tokens a pass ({reason})")
        return None


@dataclass(frozen=True, slots=True)
class PackedPass:
    """Input of one forward pass after a cached prefix."""

    tokens: Integers  # shape (length,)
    positions: Integers  # of the tokens, counting the prefix; shape (length,)
    # True if a token (row) sees a token of this pass (column); shape (length, length). All tokens
    # see the whole prefix.
    visible: NDArray[np.bool_]
    # for each prompt and node of the trie, the index of the token with its logits; shape (prompts,
    # nodes)
    rows: Integers


def plan_passes(
    lengths: Sequence[int], nodes: int, token_budget: int, row_budget: int
) -> list[list[int]]:
    """Distribute prompts over passes: first-fit, the longest first; each index in one of them.

    `lengths`: tokens of each prompt's own part, at least 1. `nodes` of the trie: the root is the
    prompt's last token, at no extra cost. A prompt longer than the budget gets a pass of its own;
    `row_budget`: most rows of logits of a pass, but at least those of one prompt.
    """
    most = max(1, row_budget // nodes)
    passes: list[list[int]] = []
    room: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        needed = lengths[index] + nodes - 1
        place = next((p for p, free in enumerate(room) if free >= needed), -1)
        if place < 0:
            passes.append([])
            room.append(token_budget)
        passes[place].append(index)
        room[place] = room[place] - needed if len(passes[place]) < most else 0
    return passes


def pack(prompts: Sequence[Sequence[int]], trie: ScoreTrie, prefix_length: int) -> PackedPass:
    """Pack prompts (tokens after the prefix, at least one each) into the arrays of one pass."""
    nodes = len(trie.nodes)
    branches = [node.token for node in trie.nodes[1:]]
    depths = np.array([node.depth for node in trie.nodes[1:]], dtype=np.int64)
    below = _mark_ancestors(trie)
    length = sum(map(len, prompts)) + len(prompts) * (nodes - 1)
    tokens = np.empty(length, dtype=np.int64)
    positions = np.empty(length, dtype=np.int64)
    visible = np.zeros((length, length), dtype=np.bool_)
    rows = np.empty((len(prompts), nodes), dtype=np.int64)
    start = 0
    for index, prompt in enumerate(prompts):
        middle, end = start + len(prompt), start + len(prompt) + nodes - 1
        tokens[start:end] = [*prompt, *branches]
        positions[start:middle] = prefix_length + np.arange(len(prompt))
        positions[middle:end] = prefix_length + len(prompt) - 1 + depths
        visible[start:middle, start:middle] = np.tri(len(prompt), dtype=np.bool_)
        visible[middle:end, start:middle] = True
        visible[middle:end, middle:end] = below
        rows[index, 0] = middle - 1
        rows[index, 1:] = np.arange(middle, end)
        start = end
    return PackedPass(tokens, positions, visible, rows)


def _mark_ancestors(trie: ScoreTrie) -> NDArray[np.bool_]:
    """Mark the nodes below the root that each one sees: itself and its ancestors."""
    count = len(trie.nodes) - 1
    below = np.eye(count, dtype=np.bool_)
    for index, node in enumerate(trie.nodes[1:]):
        if node.parent > 0:
            below[index] |= below[node.parent - 1]
    return below


def count_common_prefix(sequences: Sequence[list[int]] | Sequence[tuple[int, ...]]) -> int:
    """Count the initial tokens that all sequences share; 0 for no sequences."""
    if not sequences:
        return 0
    # The lexicographically least and greatest differ at the first place where any two differ.
    first, last = min(map(tuple, sequences)), max(map(tuple, sequences))
    for place, (a, b) in enumerate(zip(first, last, strict=False)):
        if a != b:
            return place
    return min(len(first), len(last))


# --- the logits of many prompts and their tries, from one packed forward pass ---


class TreePass:
    """Runs packed passes of one model."""

    def __init__(self, loaded: LanguageModel, reader: TrieLogits) -> None:
        self._loaded = loaded
        self._reader = reader
        self._forward = PackedForward(loaded.model, loaded.attention, loaded.device)

    @property
    def prefixes(self) -> PrefixCache:
        """The keys and values of prefixes that were read."""
        return self._forward.prefixes

    def run(self, prefix: Tokens, tails: Sequence[Sequence[int]], temperature: float) -> NextTokens:
        """Compute the probabilities after each prompt in one pass, or two for a new prefix."""
        import torch

        packed = pack(tails, self._loaded.trie, len(prefix))
        rows = torch.from_numpy(packed.rows.reshape(-1)).to(self._loaded.device)
        keep = {"logits_to_keep": rows} if can_select_rows(self._loaded.model) else {}
        with torch.inference_mode():
            logits = self._forward.run(prefix, packed, **keep).logits[0]
            logits = logits if keep else logits[rows]
            return self._reader.read(logits.view(*packed.rows.shape, -1), temperature)


def refuse_architecture(model: Any, reason: str) -> GroundingError:
    """Build the error about a model that can't read packed questions."""
    return GroundingError(
        GroundingCode.NOT_A_MODEL,
        f"a {type(model).__name__} does not honour the mask of questions that are read together "
        f"({reason.splitlines()[0][:200]}); use a model of another architecture, or let a model "
        "server ask it (endpoint)",
    )


@contextmanager
def refuse_failing(model: Any) -> Iterator[None]:
    """Refuse a model that fails: one without support for mask or cache may raise anything."""
    try:
        yield
    except Exception as error:
        if isinstance(error, GroundingError) or is_out_of_memory(error):
            raise
        raise refuse_architecture(model, f"{type(error).__name__}: {error}") from error


def can_select_rows(model: Any) -> bool:
    """Return True if a model can compute the logits of selected places only."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters


# --- one forward pass for many prompts after a cached prefix, with a mask of who sees what ---

Tokens = tuple[int, ...]
KeysAndValues = Sequence[tuple[Any, Any]]
"""Keys and values of each layer; shape (1, heads, tokens, width) each."""


class PrefixCache:
    """Cache of the keys and values of prefixes; the least recently used are dropped.

    If a cached prefix begins with the wanted one, a slice of it is returned.
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
    """Runs packed passes of one model of transformers, with or without an output layer."""

    def __init__(self, model: Any, attention: Attention, device: str) -> None:
        self._model = model
        self._attention = attention
        self._device = device
        self.prefixes = PrefixCache()

    def run(self, prefix: Tokens, packed: PackedPass, **options: Any) -> Any:
        """Run one pass, and one before it for a new prefix (may be empty); return its output."""
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
