# SPDX-License-Identifier: Apache-2.0
"""The regression beside numpy's solution of the whole kernel, and its cross-validation."""

from __future__ import annotations

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
from fcp_ros.grounding.heads.ridge_regression import (
    Folds,
    KernelRegression,
    RegressionOptions,
    RegressionRows,
    choose_settings,
    make_folds,
    prepare_regression,
)
from fcp_ros.grounding.judgement_set import read_judgements, split

FIXED = RegressionOptions(sharpenings=(1.0,), ridges=(0.3,))


def prepare(
    rows: np.ndarray, target: np.ndarray, kernel: Kernel, folds: Folds, options: RegressionOptions
) -> KernelRegression:
    """A regression in which all rows count the same."""
    known = RegressionRows(rows, np.ones(len(rows), np.bool_), folds)
    return prepare_regression(known, target, kernel, options)


def compute_slowly(kernel: Kernel, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The likeness by its definition, one number at a time."""
    edges = np.cumsum((0, *kernel.widths))
    return np.array(
        [
            [
                sum(
                    np.exp(-g * ((x[i:j].astype(float) - y[i:j]) ** 2).sum())
                    for g, i, j in zip(kernel.sharpness, edges, edges[1:], strict=False)
                )
                for y in b
            ]
            for x in a
        ]
    )


def solve_fully(
    kernel: Kernel, rows: np.ndarray, target: np.ndarray, asked: np.ndarray, ridge: float
) -> np.ndarray:
    """Kernel ridge regression on all rows, by numpy."""
    weights = np.linalg.solve(
        compute_slowly(kernel, rows, rows) + ridge * np.eye(len(rows)), target
    )
    return compute_slowly(kernel, asked, rows) @ weights


def make_rows(seed: int, count: int, width: int) -> tuple[np.ndarray, np.ndarray, Folds]:
    generator = np.random.default_rng(seed)
    rows = (generator.normal(size=(count, width)) / np.sqrt(width)).astype(np.float32)
    target = np.sin(3 * rows[:, 0]) + 0.1 * generator.normal(size=count)
    barred = [generator.random(count) < 0.1 for _ in range(3)]
    return rows, target, make_folds(generator.integers(3, size=count).tolist(), barred)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(8, 40), st.sampled_from([(3,), (2, 3), (1, 1, 2)]))
def test_with_all_rows_as_supports_it_is_the_whole_kernel(
    seed: int, count: int, widths: tuple[int, ...]
) -> None:
    rows, target, folds = make_rows(seed, count, sum(widths))
    kernel = Kernel(widths, tuple(0.3 + 0.2 * n for n in range(len(widths))))
    regression = prepare(rows, target, kernel, folds, FIXED)
    weights, _ = regression.fit(target)
    asked = rows[:4] + np.float32(0.1)
    assert kernel.compute(asked, rows) == pytest.approx(
        compute_slowly(kernel, asked, rows), abs=1e-5
    )
    assert kernel.compute(asked, rows) @ weights == pytest.approx(
        solve_fully(kernel, rows, target, asked, 0.3), abs=2e-3
    )


def test_a_row_is_scored_without_its_fold_and_what_is_barred() -> None:
    rows, target, folds = make_rows(3, 60, 4)
    kernel = Kernel((4,), (0.5,))
    regression = prepare(rows, target, kernel, folds, replace(FIXED, supports=60))
    _, scores = regression.fit(target)
    for inside, barred in zip(folds.inside, folds.barred, strict=True):
        assert not (inside & ~barred).any()
        changed = np.where(barred, target + 7.0, target)
        assert regression.fit(changed)[1][inside] == pytest.approx(scores[inside], abs=1e-6)
        # The regression of the fold: all rows are supports, those outside of it are the data.
        likeness = compute_slowly(kernel, rows, rows)
        seen = likeness[~barred]
        weights = np.linalg.solve(
            seen.T @ seen + 0.3 * likeness + 1e-9 * np.eye(60), seen.T @ target[~barred]
        )
        assert scores[inside] == pytest.approx(likeness[inside] @ weights, abs=2e-3)


def test_settings_are_those_with_the_least_error() -> None:
    rows, target, folds = make_rows(5, 80, 2)
    kernel = Kernel((2,), (1.0,))
    options = RegressionOptions(sharpenings=(0.01, 1.0, 100.0), ridges=(0.1, 10.0))
    measured = np.arange(80) % 3 > 0
    errors = {}
    for factor in options.sharpenings:
        for ridge in options.ridges:
            tried = kernel.sharpen(factor)
            likeness, scores = compute_slowly(tried, rows, rows), np.zeros(80)
            for inside, barred in zip(folds.inside, folds.barred, strict=True):
                seen = likeness[~barred]
                matrix = seen.T @ seen + ridge * likeness
                matrix += 1e-12 * np.trace(likeness @ likeness) * np.eye(80)
                weights = np.linalg.solve(matrix, seen.T @ target[~barred])
                scores[inside] = likeness[inside] @ weights
            errors[tried, ridge] = ((scores - target)[measured] ** 2).mean()
    known = RegressionRows(rows, measured, folds)
    assert choose_settings(known, target, kernel, options) == min(errors, key=errors.get)


def test_equal_rows_get_equal_scores_and_finite_weights() -> None:
    rows, target, folds = make_rows(7, 40, 3)
    rows = np.concatenate([rows, rows])
    doubled = Folds(
        tuple(np.tile(f, 2) for f in folds.inside), tuple(np.tile(f, 2) for f in folds.barred)
    )
    regression = prepare(rows, np.tile(target, 2), Kernel((3,), (0.5,)), doubled, FIXED)
    weights, scores = regression.fit(np.tile(target, 2))
    assert np.isfinite(weights).all()
    assert scores[:40] == pytest.approx(scores[40:], abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 700), st.sampled_from([2, 9, 60]))
def test_weighing_by_words_is_weighing_by_rows(seed: int, count: int, words: int) -> None:
    generator = np.random.default_rng(seed)
    lefts, rights = generator.normal(size=(2, words, 3)).astype(np.float32)
    left, right = generator.integers(words, size=(2, count))
    own = generator.normal(size=(count, 2)).astype(np.float32)
    rows = np.concatenate([own, lefts[left], rights[right]], axis=1)
    others = generator.normal(size=(40, 8)).astype(np.float32)
    weights = generator.normal(size=(40, 2)).astype(np.float32)
    kernel = Kernel((2, 6), (0.5, 0.3), (False, True))
    prepared = WeighedSupports(kernel, others, weights)
    assert prepared.weigh(rows, (left, right)) == pytest.approx(
        kernel.compute(rows, others) @ weights, abs=1e-4
    )


# --- Fewer supports score nearly alike, or all of them are kept


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
