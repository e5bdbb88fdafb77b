# SPDX-License-Identifier: Apache-2.0
"""The trie knows every way to write a score, whatever the tokenizer's tokens are."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_twins import SlowReader
from tiny_language_models import KINDS, make_tokenizer

from fcp_ros.grounding.language_model.causal_model import (
    NO_SCORE,
    NextTokens,
    ScoreTrie,
    build_trie,
    draw_scores,
    find_number_tokens,
    sum_scores,
)

DIGITS = {number: str(number) for number in range(10)}
SPACE = 10
NUMERIC = (*"0123456789.,/", "")  # "" is a space alone
SPACED_DIGITS = {**DIGITS, SPACE: " "}
WHOLE = {number: str(number) for number in range(150)} | {
    200 + number: f" {number}" for number in range(101)
}


def writings(trie: ScoreTrie, texts: dict[int, str]) -> list[str]:
    """The text of every way that the trie has for a score."""
    ends = [trie.find_path(n) for n, node in enumerate(trie.nodes) if node.score is not None]
    ends += [(*trie.find_path(edge.node), edge.token) for edge in trie.edges if edge.child < 0]
    return ["".join(texts[token] for token in path) for path in ends]


def all_writings(texts: dict[int, str]) -> list[str]:
    """The same by trying every sequence of up to four tokens."""
    wanted = {space + str(score) for score in range(101) for space in ("", " ")}
    found = []
    for length in range(1, 5):
        for path in product(texts, repeat=length):
            if "".join(texts[token] for token in path) in wanted:
                found.append("".join(texts[token] for token in path))
    return found


@pytest.mark.parametrize(
    "texts",
    [DIGITS, SPACED_DIGITS, {**SPACED_DIGITS, 11: "10", 12: " 1", 13: "00", 14: " 57"}],
    ids=["digits", "digits and space", "pieces of several lengths"],
)
def test_every_segmentation_is_counted(texts: dict[int, str]) -> None:
    trie = build_trie(texts)
    assert sorted(writings(trie, texts)) == sorted(all_writings(texts))
    assert trie.find_missing_scores() == ()


def test_few_nodes_need_a_forward_pass() -> None:
    assert len(build_trie(DIGITS).nodes) == 12  # the root, ten digits, "10"
    assert len(build_trie(SPACED_DIGITS).nodes) == 24  # all of them twice, with and without space
    assert len(build_trie(WHOLE).nodes) == 25


def test_a_vocabulary_without_digits_can_write_no_score() -> None:
    assert len(build_trie({5: " "}).find_missing_scores()) == 101
    assert (
        build_trie({n: text for n, text in DIGITS.items() if n != 7}).find_missing_scores()[0] == 7
    )


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_real_tokenizers(kind: str) -> None:
    tokenizer = make_tokenizer(["How well? 7.5, or 8/10. Score: 57"], kind)
    texts = find_number_tokens(tokenizer)
    trie = build_trie(texts)
    assert trie.find_missing_scores() == ()
    assert len(trie.nodes) <= 40
    for score in range(101):
        path = tokenizer(f"Score: {score}", add_special_tokens=False)["input_ids"]
        written = "".join(texts.get(token, "?") for token in path)
        assert written.endswith((f" {score}", f"?{score}"))


def test_parents_come_first_and_a_chain_is_a_trie_of_one_path() -> None:
    trie = build_trie(SPACED_DIGITS)
    assert all(node.parent < index for index, node in enumerate(trie.nodes))
    (deepest,) = (n for n in range(len(trie.nodes)) if trie.find_path(n) == (SPACE, 1, 0))
    chain, edges = trie.extract_chain(deepest)
    assert [node.token for node in chain.nodes] == [-1, SPACE, 1, 0]
    assert chain.find_path(3) == (SPACE, 1, 0)
    assert [trie.edges[e].token for e in edges] == [edge.token for edge in chain.edges]


def reading(trie: ScoreTrie, **chances: float) -> Any:
    """Score probabilities where each answer's tokens have these chances; answers as "1_0"."""
    edges = np.zeros((1, len(trie.edges)))
    spoiled = np.zeros((1, len(trie.nodes)))
    for name, chance in chances.items():
        path = tuple(int(token) for token in name.removeprefix("p").split("_"))
        for index, edge in enumerate(trie.edges):
            if (*trie.find_path(edge.node), edge.token) == path:
                edges[0, index] = chance
                spoiled[0, edge.node] += chance if edge.token != SPACE else 0.0
    return sum_scores(trie, NextTokens(edges, spoiled))[0]


def test_ten_is_not_counted_for_a_hundred() -> None:
    scores = reading(build_trie(SPACED_DIGITS), p1=0.5, p1_0=0.8, p1_0_0=0.75, p10=0.5, p10_7=1.0)
    assert scores[1] == pytest.approx(0.5 * 0.2)
    assert scores[10] == pytest.approx(0.5 * 0.8 * 0.25)
    assert scores[100] == pytest.approx(0.5 * 0.8 * 0.75)
    assert scores[7] == pytest.approx(0.5)


def test_draws_follow_the_distribution_and_the_seed() -> None:
    probabilities = np.zeros(101)
    probabilities[[20, 80]] = 0.3, 0.5
    drawn = draw_scores(probabilities, 20000, 3, "a")
    assert draw_scores(probabilities, 20000, 3, "a") == drawn
    assert draw_scores(probabilities, 20000, 3, "b") != drawn
    shares = {score: drawn.count(score) / 20000 for score in set(drawn)}
    assert shares == pytest.approx({20: 0.3, 80: 0.5, NO_SCORE: 0.2}, abs=0.02)


class Dice(SlowReader):
    """The slow twin over a made-up vocabulary, its next-token chances drawn for each answer."""

    def __init__(self, texts: dict[int, str]) -> None:
        self.texts = texts

    def chances(self, prompt: list[int], answer: list[int], temperature: float = 1.0) -> Any:
        generator = np.random.default_rng([len(answer), *answer, *prompt])
        return generator.dirichlet(np.full(len(self.texts), 0.3))


@given(
    st.lists(st.text("0123456789 .,/%a", min_size=1, max_size=3), min_size=1, max_size=30),
    st.integers(0, 10**6),
)
def test_any_vocabulary_is_read_as_its_texts_say(further: list[str], seed: int) -> None:
    texts = dict(enumerate([*"0123456789", *further]))
    dice = Dice(texts)
    trie = build_trie({t: x for t, x in texts.items() if x.removeprefix(" ")[:1] in NUMERIC})
    paths = [dice.chances([seed], list(trie.find_path(node))) for node in range(len(trie.nodes))]
    found = NextTokens(
        np.array([[paths[edge.node][edge.token] for edge in trie.edges]]),
        np.array([[chances[list(trie.spoiling)].sum() for chances in paths]]),
    )
    expected = dice.distribution([seed])
    np.testing.assert_allclose(sum_scores(trie, found)[0], expected, atol=1e-12)
