# SPDX-License-Identifier: Apache-2.0
"""Prompts share a pass without padding, and nothing sees what isn't its own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding.language_model.causal_model import build_trie
from fcp_ros.grounding.language_model.packed_forward import (
    PrefixCache,
    count_common_prefix,
    pack,
    plan_passes,
)

TRIE = build_trie({10 + number: str(number) for number in range(10)})
SEQUENCES = st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=1, max_size=5)


@given(st.lists(st.integers(1, 90), max_size=40), st.integers(64, 400), st.integers(1, 200))
def test_every_prompt_is_in_one_pass_within_the_budgets(
    lengths: list[int], tokens: int, rows: int
) -> None:
    nodes = len(TRIE.nodes)
    passes = plan_passes(lengths, nodes, tokens, rows)
    assert sorted(index for one in passes for index in one) == list(range(len(lengths)))
    for one in passes:
        assert len(one) == 1 or sum(lengths[i] + nodes - 1 for i in one) <= tokens
        assert len(one) == 1 or len(one) * nodes <= rows


def test_long_ones_go_first() -> None:
    assert plan_passes([5, 50, 20], 12, 64, 1000) == [[1], [2, 0]]


@given(st.lists(st.lists(st.integers(100, 200), min_size=1, max_size=5), min_size=1, max_size=4))
def test_each_token_sees_its_own_prompt_and_path(prompts: list[list[int]]) -> None:
    packed = pack(prompts, TRIE, prefix_length=7)
    for index, prompt in enumerate(prompts):
        for number, row in enumerate(packed.rows[index]):
            seen = np.flatnonzero(packed.visible[row])
            assert packed.tokens[seen].tolist() == [*prompt, *TRIE.find_path(number)]
            assert packed.positions[seen].tolist() == list(range(7, 7 + len(seen)))
    assert len(packed.tokens) == sum(map(len, prompts)) + len(prompts) * (len(TRIE.nodes) - 1)


@given(SEQUENCES)
def test_the_common_prefix(sequences: list[list[int]]) -> None:
    length = count_common_prefix(sequences)
    assert len({tuple(s[:length]) for s in sequences}) == 1
    assert all(len(s) >= length for s in sequences)
    assert any(len(s) == length for s in sequences) or len({s[length] for s in sequences}) > 1


def test_prefixes_are_kept_sliced_and_bounded() -> None:
    kept, computed = PrefixCache(count=2), []

    def keys(*prefix: int) -> list[tuple[int, ...]]:
        def compute() -> list[tuple[np.ndarray, np.ndarray]]:
            computed.append(prefix)
            row = np.array(prefix).reshape(1, 1, -1, 1)
            return [(row, row)]

        return [k.ravel().tolist() for k, _ in kept.get(prefix, compute)]

    assert keys(1, 2, 3) == [[1, 2, 3]]
    assert keys(1, 2) == [[1, 2]]
    assert computed == [(1, 2, 3)]
    keys(5)
    keys(1, 2, 3)  # used again, so that 5 goes first
    keys(6)
    keys(1, 2, 3)
    assert computed == [(1, 2, 3), (5,), (6,)]
    assert len(kept) == 2
