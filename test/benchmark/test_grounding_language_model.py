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


@pytest.mark.parametrize(("rounds_inputs", "error"), [(False, 0.006), (True, 0.012)])
def test_layers_in_integers_compute_nearly_the_same(rounds_inputs: bool, error: float) -> None:
    torch = pytest.importorskip("torch")
    from grounding_int8 import Int8Linear

    torch.manual_seed(0)
    linear = torch.nn.Linear(64, 48)
    given = torch.randn(2, 5, 64)
    found = Int8Linear(linear, rounds_inputs=rounds_inputs)(given).detach()
    right = linear(given).detach()
    assert found.shape == right.shape
    off = float((found - right).square().mean().sqrt() / right.std())
    assert 1e-5 < off < error


def test_the_limit_of_a_card_is_its_memory_for_few_tokens_and_its_arithmetic_for_many() -> None:
    pytest.importorskip("torch")
    from grounding_gpu import CardLimits, find_limit
    from grounding_int8 import convert_to_int8
    from grounding_random_models import TINY, make_random_model

    from fcp_ros.grounding.protocol.options import Precision

    loaded = make_random_model(TINY, "cpu", Precision.BFLOAT16)
    weights = sum(parameter.numel() for parameter in loaded.model.parameters())
    card = CardLimits(1e12, 2e12, 1e10)
    seconds, bound = find_limit(loaded, card, 1, 1)
    assert (seconds, bound) == (pytest.approx(2 * weights / 1e10, rel=0.01), "memory")
    seconds, bound = find_limit(loaded, card, 100_000, 1)
    assert (seconds, bound) == (pytest.approx(2e5 * weights / 1e12, rel=0.01), "arithmetic")
    for layer in convert_to_int8(loaded.model):
        layer.rounds_inputs = True
    halved, _ = find_limit(loaded, card, 1, 1)
    assert halved < 2 * weights / 1e10
    faster, _ = find_limit(loaded, card, 100_000, 1)
    assert faster < seconds


def test_the_commands_for_a_gpu_run_on_a_cpu_with_tiny_shapes() -> None:
    pytest.importorskip("torch")
    from grounding_gpu import CardLimits, show_scarce_memory, show_shape
    from grounding_random_models import TINY

    out = io.StringIO()
    console = Console(file=out, width=200)
    show_shape(console, TINY, "cpu", CardLimits(1e12, 2e12, 1e10), (1, 4))
    show_scarce_memory(console, TINY, "cpu")
    for words in ("bfloat16", "int8 weights:", "int8 products:", "at most 128 tokens a pass"):
        assert words in out.getvalue()
    assert "NOTES" not in out.getvalue()
