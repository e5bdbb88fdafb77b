# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the language-model backend: what it assumes holds, and it runs."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def one_tokenizer() -> Iterator[None]:
    """Train the tokenizer of the models with random weights once for all tests of this file."""
    from benchmark.grounding import throughput

    with pytest.MonkeyPatch.context() as patch:
        make = functools.cache(throughput.make_tokenizer)
        patch.setattr(throughput, "make_tokenizer", make)
        yield


@pytest.mark.thorough
def test_throughput_runs_on_a_tiny_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU it tries the commands for a GPU, too; the two processes take too long here."""
    pytest.importorskip("torch")
    from benchmark.grounding import throughput

    monkeypatch.setattr(throughput, "measure_two", lambda _shape, _seconds: "")
    part = throughput.measure(True)
    assert {line.who.split(",")[0] for line in part.lines} == {"embedding", "tiny"}
    said = "\n".join(part.notes)
    for words in ("generate()", "at most 128 tokens a pass", "differ by 0.00"):
        assert words in said
    assert "no tree mask" not in said


def test_the_limit_of_a_device_is_its_memory_for_few_tokens_and_its_arithmetic_for_many() -> None:
    pytest.importorskip("torch")
    from benchmark.grounding.throughput import TINY, DeviceLimits, find_limit, make_random_model

    loaded = make_random_model(TINY, "cpu")
    weights = sum(parameter.numel() for parameter in loaded.model.parameters())
    size = next(loaded.model.parameters()).element_size()
    device = DeviceLimits(1e12, 1e10)
    seconds, bound = find_limit(loaded, device, 1, 1)
    assert (seconds, bound) == (pytest.approx(size * weights / 1e10, rel=0.01), "memory")
    seconds, bound = find_limit(loaded, device, 100_000, 1)
    assert (seconds, bound) == (pytest.approx(2e5 * weights / 1e12, rel=0.01), "arithmetic")
