# SPDX-License-Identifier: Apache-2.0
"""The slow way that every causal model understands: each path of the trie behind each prompt.

A batch holds paths of one prompt; the shorter ones are padded at their end, where a causal model
doesn't look. It serves models that don't take a tree mask, and checks the fast way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.score_reading import NextTokens
from fcp_ros.grounding.language_model.tree_pass import keeps_rows
from fcp_ros.grounding.language_model.trie_logits import TrieLogits


class PlainPass:
    """Runs padded batches of one model.

    Args:
        loaded: the model.
        reader: reads its logits.
    """

    def __init__(self, loaded: LanguageModel, reader: TrieLogits) -> None:
        self._loaded = loaded
        self._reader = reader
        trie = loaded.trie
        self._paths = [trie.path(node) for node in trie.last_nodes()]
        places = {
            path[:n]: (p, n) for p, path in enumerate(self._paths) for n in range(len(path) + 1)
        }
        self._where = [places[trie.path(node)] for node in range(len(trie.nodes))]
        """For each node, a path that visits it, and how many tokens of the path lead to it."""

    def run(self, prompt: Sequence[int], token_budget: int, temperature: float) -> NextTokens:
        """What follows one prompt.

        Args:
            prompt: all its tokens.
            token_budget: tokens that a batch may hold; a batch has at least one row.
            temperature: see `TrieLogits.read`.
        """
        import torch

        rows = max(1, token_budget // (len(prompt) + self._loaded.trie.depth))
        with torch.inference_mode():
            logits = torch.cat(
                [
                    self._batch(prompt, self._paths[start : start + rows])
                    for start in range(0, len(self._paths), rows)
                ]
            )
            paths, steps = zip(*self._where, strict=True)
            return self._reader.read(logits[list(paths), list(steps)][None], temperature)

    def _batch(self, prompt: Sequence[int], paths: Sequence[tuple[int, ...]]) -> Any:
        """Logits from the end of the prompt on; shape (paths, depth + 1, vocabulary)."""
        import torch

        loaded = self._loaded
        depth = loaded.trie.depth
        tokens = np.full((len(paths), len(prompt) + depth), prompt[-1], dtype=np.int64)
        seen = np.ones_like(tokens)
        tokens[:, : len(prompt)] = prompt
        for row, path in enumerate(paths):
            tokens[row, len(prompt) : len(prompt) + len(path)] = path
            seen[row, len(prompt) + len(path) :] = 0
        keep = {"logits_to_keep": depth + 1} if keeps_rows(loaded.model) else {}
        logits = loaded.model(
            input_ids=torch.from_numpy(tokens).to(loaded.device),
            attention_mask=torch.from_numpy(seen).to(loaded.device),
            use_cache=False,
            **keep,
        ).logits
        return logits[:, -(depth + 1) :]
