# SPDX-License-Identifier: Apache-2.0
"""From a model's next-token probabilities at the trie's nodes to probabilities of the scores.

This is the reading rule of score_trie.py in numbers: the probability of a score is the sum over
all paths that write it of the product of their tokens' probabilities; where the number is looked
past, times the probability that no spoiling token follows.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.language_model.score_trie import ScoreTrie
from fcp_ros.grounding.protocol.judgement import SCORE_COUNT

Floats = NDArray[np.float64]

NO_SCORE = -1


@dataclass(frozen=True, slots=True)
class NextTokens:
    """What the model says at the nodes of a trie, for several prompts.

    Args:
        edges: probability of each edge's token at its node; shape (prompts, edges).
        spoiled: probability that a spoiling token follows; shape (prompts, nodes).
    """

    edges: Floats
    spoiled: Floats


def score_probabilities(trie: ScoreTrie, next_tokens: NextTokens) -> Floats:
    """Probability that the answer is read as each score; the rest to 1 is "no score".

    Args:
        trie: the ways to write a score.
        next_tokens: of any number of prompts.

    Returns:
        Shape (prompts, 101). NaN where the model computed NaN.
    """
    count = len(next_tokens.edges)
    reached = np.zeros((count, len(trie.nodes)))
    reached[:, 0] = 1.0
    scores = np.zeros((count, SCORE_COUNT))
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
    """Scores drawn as free sampling of an answer's tokens would give them.

    Args:
        probabilities: of the scores at the sampling temperature, shape (101,); the rest to 1 is
            the probability of an answer without a score.
        count: how many are drawn.
        seed: of the draws.
        context_key: the question; each one has draws of its own.

    Returns:
        Scores, NO_SCORE for an answer without one.
    """
    digest = hashlib.sha256(f"{seed}:{context_key}".encode()).digest()
    generator = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    places = np.searchsorted(np.cumsum(probabilities), generator.random(count), side="right")
    return [int(place) if place < SCORE_COUNT else NO_SCORE for place in places]
