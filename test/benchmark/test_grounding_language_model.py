# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of the language-model backend: what they assume holds, and they run."""

from __future__ import annotations

import io

import numpy as np
import pytest
from grounding_decisions import COUNTS, LEVELS, distribution, judge_all, wrong_rates
from grounding_decisions import run as run_decisions
from rich.console import Console


@pytest.mark.parametrize("noise", LEVELS, ids=lambda noise: noise.name)
def test_the_true_degree_is_the_median_of_the_noise(noise: object) -> None:
    for score in range(0, 101, noise.step):  # type: ignore[attr-defined]
        chances = distribution(noise, score)  # type: ignore[arg-type]
        assert chances.sum() == pytest.approx(1.0)
        assert chances[:score].sum() < 0.5 < chances[: score + 1].sum() + 1e-9
        assert np.flatnonzero(chances).size > 1


def test_more_samples_decide_better_and_the_distribution_best() -> None:
    rates = wrong_rates(*judge_all(LEVELS[1], 400, np.random.default_rng(2)), 1.0)
    assert len(rates) == len(COUNTS) + 1
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0.0


def test_wrong_decisions_are_counted() -> None:
    true, judged = np.array([0.3, 0.5]), np.array([[0.5, 0.3], [0.5, 0.5]])
    # of 19 alphas, those above 0.3 up to 0.5 are decided wrongly by the first way on one of two
    assert wrong_rates(true, judged, 1.0) == pytest.approx([4 / 38, 0.0])


def test_decisions_run() -> None:
    out = io.StringIO()
    run_decisions(Console(file=out, width=160), True)
    assert "two minds" in out.getvalue()


def test_throughput_runs_on_a_tiny_model() -> None:
    pytest.importorskip("torch")
    from grounding_throughput import run

    out = io.StringIO()
    run(Console(file=out, width=200), True)
    assert "embedding, CPU" in out.getvalue()
    assert "generate()" in out.getvalue()
