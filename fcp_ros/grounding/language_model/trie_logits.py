# SPDX-License-Identifier: Apache-2.0
"""From the logits at the nodes of a trie to the probabilities that the trie asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from fcp_ros.grounding.language_model.score_reading import NextTokens
from fcp_ros.grounding.language_model.score_trie import ScoreTrie

AT_A_TIME = 1 << 25
"""Numbers that are turned into float32 at a time."""


class TrieLogits:
    """Reads rows of logits for one trie.

    Args:
        trie: the trie.
        device: where the logits are.
    """

    def __init__(self, trie: ScoreTrie, device: str) -> None:
        import torch

        def on_device(numbers: list[int]) -> Any:
            return torch.tensor(numbers, dtype=torch.long, device=device)

        self._nodes = on_device([edge.node for edge in trie.edges])
        self._tokens = on_device([edge.token for edge in trie.edges])
        self._spoiling = on_device(list(trie.spoiling))
        self._looked_past = [n for n, node in enumerate(trie.nodes) if node.score is not None]
        self._rows = on_device(self._looked_past)

    def read(self, logits: Any, temperature: float) -> NextTokens:
        """The next-token probabilities at the nodes.

        Args:
            logits: shape (prompts, nodes, vocabulary), any floating type.
            temperature: that the logits are divided by, > 0; 1 leaves the model as it is.
        """
        import torch

        prompts, nodes, vocabulary = logits.shape
        step = max(1, AT_A_TIME // (nodes * vocabulary))
        edges = np.empty((prompts, len(self._tokens)))
        spoiled = np.zeros((prompts, nodes))
        for start in range(0, prompts, step):
            part = logits[start : start + step].float()
            if temperature != 1.0:
                part = part / temperature
            whole = torch.logsumexp(part, dim=-1)
            chosen = part[:, self._nodes, self._tokens] - whole[:, self._nodes]
            edges[start : start + step] = chosen.exp().double().cpu().numpy()
            if self._looked_past:
                past = part[:, self._rows].index_select(-1, self._spoiling)
                chance = (torch.logsumexp(past, dim=-1) - whole[:, self._rows]).exp()
                spoiled[start : start + step, self._looked_past] = chance.double().cpu().numpy()
        return NextTokens(edges, spoiled)
