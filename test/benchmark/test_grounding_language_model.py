# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of the language-model backend: what they assume holds, and they run."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.console import Console


@pytest.fixture(scope="module", autouse=True)
def one_tokenizer() -> Iterator[None]:
    """Train the tokenizer of the models with random weights once for all tests of this file."""
    from benchmark.grounding import random_models

    with pytest.MonkeyPatch.context() as patch:
        make = functools.cache(random_models.make_tokenizer)
        patch.setattr(random_models, "make_tokenizer", make)
        yield


def test_throughput_runs_on_a_tiny_model() -> None:
    pytest.importorskip("torch")
    from benchmark.grounding.throughput import run

    out = io.StringIO()
    run(Console(file=out, width=200), True)
    assert "embedding, CPU" in out.getvalue()
    assert "generate()" in out.getvalue()


@pytest.mark.parametrize(("rounds_inputs", "error"), [(False, 0.006), (True, 0.012)])
def test_layers_in_integers_compute_nearly_the_same(rounds_inputs: bool, error: float) -> None:
    torch = pytest.importorskip("torch")
    from benchmark.grounding.int8 import Int8Linear

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
    from benchmark.grounding.gpu import CardLimits, find_limit
    from benchmark.grounding.int8 import convert_to_int8
    from benchmark.grounding.random_models import TINY, make_random_model
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
    from benchmark.grounding.gpu import CardLimits, show_scarce_memory, show_shape
    from benchmark.grounding.random_models import TINY

    shape = replace(TINY, layers=1, inner=128)
    out = io.StringIO()
    console = Console(file=out, width=200)
    show_shape(console, shape, "cpu", CardLimits(1e12, 2e12, 1e10), (1, 2))
    show_scarce_memory(console, shape, "cpu")
    for words in ("bfloat16", "int8 weights:", "int8 products:", "at most 128 tokens a pass"):
        assert words in out.getvalue()
    assert "NOTES" not in out.getvalue()
