# SPDX-License-Identifier: Apache-2.0
"""The slower ways that serve models without a tree mask, one prompt at a time.

*Branches*: the prompt is read once, what the model made of it (keys and values, or a state) is
copied for each path of the trie, and one batch reads the paths. *Rows*: each path behind the whole
prompt, which every causal model understands. Paths are padded at their end, where a causal model
doesn't look. The first prompt goes both ways, and branches are used if they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.agreement import relative_difference, tolerance
from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.score_reading import NextTokens
from fcp_ros.grounding.language_model.tree_pass import keeps_rows
from fcp_ros.grounding.language_model.trie_logits import TrieLogits
from fcp_ros.grounding.models.out_of_memory import is_out_of_memory


class PlainPass:
    """Asks one model about one prompt after the other.

    Args:
        loaded: the model.
        reader: reads its logits.
        may_branch: whether branches are tried; if not, each path is read with the whole prompt.
    """

    def __init__(
        self, loaded: LanguageModel, reader: TrieLogits, *, may_branch: bool = True
    ) -> None:
        self._loaded = loaded
        self._reader = reader
        self.branches = may_branch
        self._compared = False
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

        with torch.inference_mode():
            fits = len(self._paths) * self._loaded.trie.depth <= token_budget
            branched = self._branched(prompt, temperature) if self.branches and fits else None
            if branched is not None and self._compared:
                return branched
            read = self._read(self._rows(prompt, token_budget), temperature)
            if branched is not None:
                difference = relative_difference(branched.edges, read.edges)
                self.branches = difference <= tolerance(self._loaded.precision)
                self._compared = True
            return read

    def _read(self, logits: Any, temperature: float) -> NextTokens:
        """From logits at the steps of each path, shape (paths, depth + 1, vocabulary)."""
        paths, steps = zip(*self._where, strict=True)
        return self._reader.read(logits[list(paths), list(steps)][None], temperature)

    def _branched(self, prompt: Sequence[int], temperature: float) -> NextTokens | None:
        """The paths as branches of one reading of the prompt; None where the model can't."""
        import torch

        try:
            model = self._loaded.model
            keep = {"logits_to_keep": 1} if keeps_rows(model) else {}
            start = model(input_ids=self._tensor([prompt]), use_cache=True, **keep)
            kept = start.past_key_values
            kept.reorder_cache(self._tensor([0] * len(self._paths)))
            ends = model(
                input_ids=self._tensor(self._padded([()] * len(self._paths), self._paths)),
                past_key_values=kept,
                use_cache=True,
            ).logits
            first = start.logits[:, -1:].expand(len(self._paths), -1, -1)
            return self._read(torch.cat([first, ends], dim=1), temperature)
        except Exception as error:
            if is_out_of_memory(error):
                raise
            self.branches = False  # no such cache, or not one that can be copied
            return None

    def _rows(self, prompt: Sequence[int], token_budget: int) -> Any:
        """Logits from the end of the prompt on; shape (paths, depth + 1, vocabulary)."""
        import torch

        model, depth = self._loaded.model, self._loaded.trie.depth
        keep = {"logits_to_keep": depth + 1} if keeps_rows(model) else {}
        count = max(1, token_budget // (len(prompt) + depth))
        found = []
        for start in range(0, len(self._paths), count):
            paths = self._paths[start : start + count]
            rows = self._padded([prompt] * len(paths), paths)
            tokens = self._tensor(rows)
            logits = model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                use_cache=False,
                **keep,
            ).logits
            found.append(logits[:, -(depth + 1) :])
        return torch.cat(found)

    def _padded(
        self, starts: Sequence[Sequence[int]], paths: Sequence[tuple[int, ...]]
    ) -> list[list[int]]:
        """Starts and paths in rows of one length; which token pads doesn't matter."""
        depth = self._loaded.trie.depth
        return [
            [*start, *path, *[path[-1] if path else 0] * (depth - len(path))]
            for start, path in zip(starts, paths, strict=True)
        ]

    def _tensor(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(np.array(numbers, dtype=np.int64)).to(self._loaded.device)
