# SPDX-License-Identifier: Apache-2.0
"""Features of many pairs at once are those of each pair alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding.heads.head import Head, ScoreMemory
from fcp_ros.grounding.heads.head_file import PACKAGED_FOLDER, load_heads
from fcp_ros.grounding.heads.head_training import MOST_LOST
from fcp_ros.grounding.heads.pair_features import (
    PHRASINGS,
    Basis,
    SentenceFeatures,
    compare_all_words,
    cross_words,
)
from fcp_ros.grounding.judgement_set import to_singular
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder

WORDS = st.sampled_from(["mug", "mugs", "tin", "tin can", "can of tin", "", "a b a", "b a"])
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=40)


def encode(phrases: Sequence[str]) -> np.ndarray:
    """A unit vector for each phrase, by its letters."""
    rows = [np.sin(np.arange(1, 41) * (1 + sum(map(ord, phrase)) % 97)) for phrase in phrases]
    return np.asarray([row / np.linalg.norm(row) for row in rows], np.float32)


def compare_words(left: str, right: str) -> tuple[float, ...]:
    """Compare the words of two sides: same head, contained in the other, shared, several."""

    def split(side: str) -> tuple[str, ...]:
        return tuple(to_singular(word) for word in side.split()) or ("",)

    a, b = split(left), split(right)
    every_a, every_b = set(a), set(b)
    common = len(every_a & every_b)
    return (
        float(a[-1] == b[-1]),
        float(a[-1] in every_b),
        float(b[-1] in every_a),
        common / (len(every_a) + len(every_b) - common),
        float(every_a < every_b),
        float(every_b < every_a),
        float(len(a) > 1),
        float(len(b) > 1),
    )


@given(PAIRS)
def test_words_are_compared_pair_by_pair(pairs: list[tuple[str, str]]) -> None:
    crossing = cross_words(pairs)
    found = compare_all_words(crossing.words, crossing.left, crossing.right)
    assert found == pytest.approx(np.array([compare_words(*pair) for pair in pairs]))


@given(PAIRS)
def test_products_are_those_of_each_pair(pairs: list[tuple[str, str]]) -> None:
    crossing = cross_words(pairs)
    vectors = encode(crossing.words)
    both = np.stack([vectors, -2.0 * vectors], axis=1)
    found, every = crossing.multiply(vectors, both[:, 1]), crossing.multiply_all(both)
    for place, (left, right) in enumerate(pairs):
        a, b = encode([left])[0], encode([right])[0]
        assert found[place] == pytest.approx(-2.0 * a @ b, abs=1e-5)
        assert every[place] == pytest.approx(a @ b * np.outer((1, -2), (1, -2)), abs=1e-5)


@given(PAIRS)
def test_features_of_many_are_those_of_each(pairs: list[tuple[str, str]]) -> None:
    generator = np.random.default_rng(1)
    basis = Basis(
        encode([phrasing.format("hub") for phrasing in PHRASINGS]),
        generator.normal(size=(40, 96)).astype(np.float32),
    )
    together, alone = SentenceFeatures(encode, basis), SentenceFeatures(encode, basis)
    found = together.compute(pairs)
    assert found == pytest.approx(np.concatenate([alone.compute([p]) for p in pairs]), abs=1e-4)
    assert together.compare(pairs) == pytest.approx(
        np.concatenate([alone.compare([p]) for p in pairs]), abs=1e-5
    )


@pytest.fixture(scope="module")
def load() -> Callable[[], Head]:
    encoder = SentenceEncoder()
    file = PACKAGED_FOLDER / "minilm.safetensors"
    return lambda: load_heads(file, encoder).by_name["function"]


def test_scores_of_many_are_those_of_each(load: Callable[[], Head]) -> None:
    things, purposes = ("tin mug", "mug", "hammers", "paper boat"), ("drinking tea", "a race")
    pairs = [(thing, purpose) for thing in things for purpose in purposes]
    head = load()
    scores = head.score([*pairs, pairs[0]])
    again = head.score(pairs)
    alone = [load().score([pair]) for pair in pairs]
    assert scores.values[:-1] == pytest.approx(again.values, abs=0)
    assert scores.errors[:-1] == pytest.approx(again.errors, abs=0)
    # Sums of thousands of products in single precision, in another order.
    assert again.values == pytest.approx([one.values[0] for one in alone], abs=5e-4)
    assert again.errors == pytest.approx([one.errors[0] for one in alone], abs=5e-4)
    likeness = head.kernel.compute(head.features.compute(pairs), head.supports)
    plain = likeness @ head.weights[:, 0] + head.means[0]
    whole = replace(head, reduced=None, memory=ScoreMemory()).score(pairs)
    assert whole.values == pytest.approx(plain, abs=1e-4)
    assert again.values == pytest.approx(plain, abs=MOST_LOST)
