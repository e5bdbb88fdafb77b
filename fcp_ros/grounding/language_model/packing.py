# SPDX-License-Identifier: Apache-2.0
"""The arrays of one forward pass for many prompts and their tries, without padding.

    cached prefix | own part of prompt 1, trie of 1 | own part of prompt 2, trie of 2 | ...

Invariant: each token sees the prefix, the part of its own prompt up to itself, and its own
ancestors in the trie, and nothing else; its position is the one it would have in an answer of its
own. So every row of logits equals that of a separate pass over this prompt and path. Plain arrays;
torch is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.language_model.score_trie import ScoreTrie

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PackedPass:
    """Input of one forward pass after a cached prefix.

    Args:
        tokens: shape (length,).
        positions: of the tokens, counting the prefix; shape (length,).
        visible: True if a token (row) sees a token of this pass (column); shape (length, length).
            All tokens see the whole prefix.
        rows: for each prompt and node of the trie, the index of the token with its logits; shape
            (prompts, nodes).
    """

    tokens: Integers
    positions: Integers
    visible: NDArray[np.bool_]
    rows: Integers


def plan_passes(
    lengths: Sequence[int], nodes: int, token_budget: int, row_budget: int
) -> list[list[int]]:
    """Distribute prompts over passes: first-fit, the longest first.

    Args:
        lengths: tokens of each prompt's own part, at least 1.
        nodes: number of nodes of the trie; the root is the prompt's last token, at no extra cost.
        token_budget: most tokens of a pass; a longer prompt gets a pass of its own.
        row_budget: most rows of logits of a pass, but at least those of one prompt.

    Returns:
        Passes of indices into ``lengths``; every index in exactly one of them.
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
    """Pack prompts into the arrays of one pass.

    Args:
        prompts: the tokens of each prompt after the prefix, at least one each.
        trie: appended to every prompt.
        prefix_length: number of cached tokens.
    """
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
