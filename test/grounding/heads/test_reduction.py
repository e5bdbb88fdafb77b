# SPDX-License-Identifier: Apache-2.0
"""Fewer supports score nearly alike, or all of them are kept."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingError
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.heads.head import Kernel, ReducedSupports, ScoreMemory, WeighedSupports
from fcp_ros.grounding.heads.head_file import PACKAGED_FOLDER, Heads, load_heads, save_heads
from fcp_ros.grounding.heads.head_training import (
    LEAST_GAIN,
    MOST_LOST,
    choose_pivots,
    compute_likeness,
    reduce_supports,
)
from fcp_ros.grounding.judgement_set import read_judgements, split

MINILM = PACKAGED_FOLDER / "minilm.safetensors"
EVERY = 12
"""One in so many held-out judgements."""


def make_supports(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Supports of two whole columns and two of each side, and their weights."""
    generator = np.random.default_rng(seed)
    supports = generator.normal(size=(count, 6)).astype(np.float32)
    return supports, generator.normal(size=(count, 2)).astype(np.float32)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.02, 0.2))
def test_whatever_is_reduced_is_scored_nearly_alike(seed: int, sharpness: float) -> None:
    supports, weights = make_supports(seed, 120)
    kernel = Kernel((2, 4), (sharpness, sharpness), (False, True))
    reduced = reduce_supports(kernel, supports, weights, kept=40)
    assert reduced is not None
    assert len(set(reduced.places.tolist())) == 40
    # Within the supports; nobody asks far from whatever was judged.
    rows = 0.5 * (supports[:60] + supports[60:])
    apart = np.arange(60), np.arange(60)
    fast = WeighedSupports(kernel, supports, weights, reduced).weigh(rows, apart)
    assert fast == pytest.approx(kernel.compute(rows, supports) @ weights, abs=2 * MOST_LOST)


def test_a_reduction_that_loses_too_much_is_not_made() -> None:
    supports, weights = make_supports(1, 120)
    assert reduce_supports(Kernel((6,), (3.0,)), supports, weights, kept=40) is None


def test_few_supports_and_sides_are_left_alone() -> None:
    supports, weights = make_supports(2, 60)
    assert reduce_supports(Kernel((6,), (0.05,)), supports, weights, kept=40) is None
    assert len(supports) < LEAST_GAIN * 40
    assert reduce_supports(Kernel((6,), (0.05,), (True,)), supports, weights, kept=10) is None


@given(st.integers(0, 10_000))
def test_pivots_are_what_the_chosen_ones_explain_worst(seed: int) -> None:
    """The slow twin: the residual of each by its regression on those chosen before."""
    supports, _ = make_supports(seed, 12)
    likeness = compute_likeness(Kernel((6,), (0.3,)), supports, supports)
    places = choose_pivots(likeness, 5)
    for number in range(1, 5):
        before = places[:number]
        cross = likeness[:, before]
        explained = cross @ np.linalg.solve(likeness[np.ix_(before, before)], cross.T)
        left = likeness.diagonal() - explained.diagonal()
        assert left[places[number]] == pytest.approx(left.max(), abs=1e-9)


@pytest.fixture(scope="module")
def heads(embedding_oracle: EmbeddingOracle) -> Heads:
    return load_heads(MINILM, embedding_oracle._encoder)


def test_the_packaged_heads_judge_as_with_all_supports(heads: Heads, repository: Path) -> None:
    sets = read_judgements([repository / "config" / "judgements"])
    for name in ("function", "substitution"):
        head = heads.by_name[name]
        assert head.reduced is not None
        assert 3 * len(head.reduced.places) < len(head.supports)
        pairs = [j.pair for j in split(sets[name].judgements).held_out[:: 4 * EVERY]]
        fast = np.array(head.judge(pairs))
        slow = np.array(replace(head, reduced=None, memory=ScoreMemory()).judge(pairs))
        assert np.abs(fast - slow).max() < 0.02
        assert np.sqrt(np.mean((fast - slow) ** 2)) < 0.003


def test_a_place_beyond_the_supports_is_refused(
    heads: Heads, embedding_oracle: EmbeddingOracle, tmp_path: Path
) -> None:
    head = heads.by_name["stability"]
    weights = np.zeros((1, 2), np.float32)
    wrong = ReducedSupports(np.array([len(head.supports)]), weights)
    file = tmp_path / "wrong.safetensors"
    save_heads(replace(heads, by_name={"stability": replace(head, reduced=wrong)}), file)
    with pytest.raises(GroundingError, match="reduced_places"):
        load_heads(file, embedding_oracle._encoder)
