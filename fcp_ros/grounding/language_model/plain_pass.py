# SPDX-License-Identifier: Apache-2.0
"""The slower ways for models without a tree mask, one prompt at a time.

*Branches*: the prompt is read once, its cache (keys and values, or a state) is copied for each path
of the trie, and one batch reads the paths. *Rows*: each path after the whole prompt, which every
causal model understands. Paths are padded at their end, where a causal model doesn't look. The
first prompt is read both ways; branches are used from then on if the two agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.score_reading import (
    NextTokens,
    TrieLogits,
    choose_tolerance,
    measure_difference,
)
from fcp_ros.grounding.language_model.tree_pass import can_select_rows
from fcp_ros.grounding.models.torch_device import is_out_of_memory


class PlainPass:
    """Asks one model about one prompt at a time.

    Args:
        loaded: the model.
        reader: reads its logits.
        may_branch: try branches; if not, each path is read with the whole prompt.
    """

    def __init__(
        self, loaded: LanguageModel, reader: TrieLogits, *, may_branch: bool = True
    ) -> None:
        self._loaded = loaded
        self._reader = reader
        self.branches = may_branch
        self._compared = False
        trie = loaded.trie
        self._paths = [trie.find_path(node) for node in trie.find_leaves()]
        places = {
            path[:n]: (p, n) for p, path in enumerate(self._paths) for n in range(len(path) + 1)
        }
        self._where = [places[trie.find_path(node)] for node in range(len(trie.nodes))]
        """For each node, a path that visits it, and the number of tokens of the path up to it."""

    def run(self, prompt: Sequence[int], token_budget: int, temperature: float) -> NextTokens:
        """Compute the probabilities after one prompt.

        Args:
            prompt: all its tokens.
            token_budget: most tokens of a batch; a batch has at least one row.
            temperature: see `TrieLogits.read`.
        """
        import torch

        with torch.inference_mode():
            fits = len(self._paths) * self._loaded.trie.depth <= token_budget
            by_branches = self._branch(prompt, temperature) if self.branches and fits else None
            if by_branches is not None and self._compared:
                return by_branches
            read = self._read(self._compute_rows(prompt, token_budget), temperature)
            if by_branches is not None:
                difference = measure_difference(by_branches.edges, read.edges)
                self.branches = difference <= choose_tolerance(self._loaded.precision)
                self._compared = True
            return read

    def _read(self, logits: Any, temperature: float) -> NextTokens:
        """Read logits at the steps of each path, shape (paths, depth + 1, vocabulary)."""
        paths, steps = zip(*self._where, strict=True)
        return self._reader.read(logits[list(paths), list(steps)][None], temperature)

    def _branch(self, prompt: Sequence[int], temperature: float) -> NextTokens | None:
        """Read the paths as branches of one reading of the prompt; None if the model can't."""
        import torch

        try:
            model = self._loaded.model
            keep = {"logits_to_keep": 1} if can_select_rows(model) else {}
            start = model(input_ids=self._to_tensor([prompt]), use_cache=True, **keep)
            kept = start.past_key_values
            kept.reorder_cache(self._to_tensor([0] * len(self._paths)))
            ends = model(
                input_ids=self._to_tensor(self._pad([()] * len(self._paths), self._paths)),
                past_key_values=kept,
                use_cache=True,
            ).logits
            first = start.logits[:, -1:].expand(len(self._paths), -1, -1)
            return self._read(torch.cat([first, ends], dim=1), temperature)
        except Exception as error:
            if is_out_of_memory(error):
                raise
            self.branches = False  # no such cache, or one that can't be copied
            return None

    def _compute_rows(self, prompt: Sequence[int], token_budget: int) -> Any:
        """Compute the logits after the prompt; shape (paths, depth + 1, vocabulary)."""
        import torch

        model, depth = self._loaded.model, self._loaded.trie.depth
        keep = {"logits_to_keep": depth + 1} if can_select_rows(model) else {}
        count = max(1, token_budget // (len(prompt) + depth))
        found = []
        for start in range(0, len(self._paths), count):
            paths = self._paths[start : start + count]
            rows = self._pad([prompt] * len(paths), paths)
            tokens = self._to_tensor(rows)
            logits = model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                use_cache=False,
                **keep,
            ).logits
            found.append(logits[:, -(depth + 1) :])
        return torch.cat(found)

    def _pad(
        self, starts: Sequence[Sequence[int]], paths: Sequence[tuple[int, ...]]
    ) -> list[list[int]]:
        """Join starts and paths to rows of one length; the padding token doesn't matter."""
        depth = self._loaded.trie.depth
        return [
            [*start, *path, *[path[-1] if path else 0] * (depth - len(path))]
            for start, path in zip(starts, paths, strict=True)
        ]

    def _to_tensor(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(np.array(numbers, dtype=np.int64)).to(self._loaded.device)
