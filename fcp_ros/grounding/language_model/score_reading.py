# SPDX-License-Identifier: Apache-2.0
"""Score probabilities from a model's logits at the nodes of a score trie.

`TrieLogits` turns logits into the next-token probabilities that the trie needs;
`sum_scores` applies the reading rule of score_trie.py to them: the probability of a score is the
sum, over all paths that write it, of the product of their tokens' probabilities; where the number
is looked past, times the probability that no spoiling token follows. `measure_difference` compares
two ways to compute the same probabilities.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.language_model.score_trie import ScoreTrie
from fcp_ros.grounding.protocol.judgement import SCORE_COUNT
from fcp_ros.grounding.protocol.options import Precision

Floats = NDArray[np.float64]

NO_SCORE = -1


@dataclass(frozen=True, slots=True)
class NextTokens:
    """Next-token probabilities at the nodes of a trie, for several prompts.

    Args:
        edges: probability of each edge's token at its node; shape (prompts, edges).
        spoiled: probability that a spoiling token follows; shape (prompts, nodes).
    """

    edges: Floats
    spoiled: Floats


def sum_scores(trie: ScoreTrie, next_tokens: NextTokens) -> Floats:
    """Compute the probability of each score; the remainder to 1 is "no score".

    Args:
        trie: the ways to write a score.
        next_tokens: of any number of prompts.

    Returns:
        Shape (prompts, 101). NaN if the model computed NaN.
    """
    count = len(next_tokens.edges)
    reached = np.zeros((count, len(trie.nodes)))
    reached[:, 0] = 1.0
    scores = np.zeros((count, SCORE_COUNT))
    # Invariant: edges are in the order of their nodes and parents precede their children, so
    # `reached` of a node is final before its edges are visited.
    for index, edge in enumerate(trie.edges):
        chance = reached[:, edge.node] * next_tokens.edges[:, index]
        if edge.child >= 0:
            reached[:, edge.child] = chance
        else:
            scores[:, edge.score] += chance
    for index, node in enumerate(trie.nodes):
        if node.score is not None:
            ends = np.maximum(0.0, 1.0 - next_tokens.spoiled[:, index])
            scores[:, node.score] += reached[:, index] * ends
    return scores


def draw_scores(probabilities: Floats, count: int, seed: int, context_key: str) -> list[int]:
    """Draw scores with the same distribution as free sampling of an answer's tokens.

    Args:
        probabilities: of the scores at the sampling temperature, shape (101,); the remainder to 1
            is the probability of an answer without a score.
        count: number of draws.
        seed: of the draws.
        context_key: the question; each one has draws of its own.

    Returns:
        Scores, NO_SCORE for an answer without one.
    """
    digest = hashlib.sha256(f"{seed}:{context_key}".encode()).digest()
    generator = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    places = np.searchsorted(np.cumsum(probabilities), generator.random(count), side="right")
    return [int(place) if place < SCORE_COUNT else NO_SCORE for place in places]


AT_A_TIME = 1 << 25
"""Most logits that are converted to float32 at a time."""


class TrieLogits:
    """Reads rows of logits for one trie.

    Args:
        trie: the trie.
        device: device of the logits.
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
        """Compute the next-token probabilities at the nodes.

        Args:
            logits: shape (prompts, nodes, vocabulary), any floating type.
            temperature: divisor of the logits, > 0; 1 leaves the model unchanged.
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


LEAST_PROBABILITY = 1e-30
WHOLE_PRECISION_TOLERANCE = 2e-3
HALF_PRECISION_TOLERANCE = 0.1
"""In units of the standard deviation of the log-probabilities of a row. Measured on tiny models of
up to 16 layers: rounding makes 2e-6 in float32 and 2e-2 in bfloat16, a wrong mask 0.2 to 1."""


def choose_tolerance(precision: Precision) -> float:
    """Return the largest difference that rounding explains."""
    exact = precision is Precision.FLOAT32
    return WHOLE_PRECISION_TOLERANCE if exact else HALF_PRECISION_TOLERANCE


def measure_difference(a: Floats, b: Floats) -> float:
    """Compute the root mean square difference of log-probabilities, relative to their variation.

    0 for NaN: that is reported with the answers, and must not be mistaken for a wrong mask.
    """
    logs = [np.log(np.maximum(values, LEAST_PROBABILITY)) for values in (a, b)]
    variation = float(np.std(logs[1])) or 1.0
    difference = float(np.sqrt(np.mean((logs[0] - logs[1]) ** 2))) / variation
    return 0.0 if np.isnan(difference) else difference
