# SPDX-License-Identifier: Apache-2.0
"""Packed passes against the slow twin, one forward pass a path, on real tiny models.

All architectures, all kinds of tokenizers, batches, kept prefixes, models that take no tree mask,
and memory that runs out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from later import Later
from score_twins import SlowReader
from tiny_language_models import KINDS, make_model, make_tokenizer

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import Attention, make_language_model
from fcp_ros.grounding.language_model.oracle import Scorer
from fcp_ros.grounding.language_model.packed_forward import count_common_prefix
from fcp_ros.grounding.language_model.rubric_prompt import PromptBatch
from fcp_ros.grounding.options import Precision

torch = Later("torch")

TEXTS = ["How well does a mug serve for drinking? 7.5, 8/10. It is made for that: 100.\nScore:"]
PROMPTS = [
    "How well does a mug serve for drinking?\nScore:",
    "How well does a book that is old serve for drinking?\nScore:",
    "How well\nScore:",
]


def scorer(architecture: str, kind: str = "digits", budget: int = 4096, **config: Any) -> Scorer:
    tokenizer = make_tokenizer(TEXTS, kind)
    model = make_model(architecture, tokenizer, **config)
    return Scorer(
        make_language_model(model, tokenizer, "cpu", Precision.FLOAT32, architecture), budget
    )


def batch(made: Scorer, prompts: list[str]) -> PromptBatch:
    tokens = made.loaded.tokenizer(prompts, add_special_tokens=False)["input_ids"]
    length = min(count_common_prefix(tokens), min(map(len, tokens)) - 1)
    return PromptBatch(tuple(tokens[0][:length]), tuple(tuple(t[length:]) for t in tokens))


def slow(made: Scorer, asked: PromptBatch, temperature: float = 1.0) -> list[list[float]]:
    reader = SlowReader(made.loaded.model, made.loaded.tokenizer)
    return [
        reader.distribution(list(asked.join(index)), temperature)
        for index in range(len(asked.tails))
    ]


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "qwen3", "gpt2", "mistral", "gemma2"])
def test_packed_answers_are_those_of_separate_passes(architecture: str) -> None:
    made = scorer(architecture)
    asked = batch(made, PROMPTS)
    found = made.score(asked, 1.0)
    assert made.notes == []
    np.testing.assert_allclose(found, slow(made, asked), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_tokenizer(kind: str) -> None:
    made = scorer("llama", kind)
    asked = batch(made, PROMPTS[:2])
    found = made.score(asked, 1.0)
    np.testing.assert_allclose(found, slow(made, asked), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("temperature", [0.3, 2.0])
def test_temperature_is_applied_token_by_token(temperature: float) -> None:
    made = scorer("qwen2")
    asked = batch(made, PROMPTS[:1])
    found = made.score(asked, temperature)
    np.testing.assert_allclose(found, slow(made, asked, temperature), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("architecture", ["bloom", "qwen3_next"])
def test_models_that_take_no_tree_mask_are_refused(architecture: str) -> None:
    made = scorer(architecture)
    with pytest.raises(GroundingError, match="does not honour the mask") as caught:
        made.warm_up()
    assert caught.value.code is GroundingCode.NOT_A_MODEL
    assert "endpoint" in caught.value.sentence


@pytest.mark.parametrize("architecture", ["mistral", "gemma2"])
@pytest.mark.parametrize("window", [5, 24])
def test_prompts_longer_than_a_sliding_window(architecture: str, window: int) -> None:
    made = scorer(architecture, sliding_window=window)
    assert made.loaded.attention.sliding == window
    asked = batch(made, PROMPTS)
    found = made.score(asked, 1.0)
    assert made.notes == []
    np.testing.assert_allclose(found, slow(made, asked), rtol=1e-3, atol=1e-9)


def test_a_window_that_nobody_declared_is_found_out() -> None:
    made = scorer("mistral", sliding_window=24)
    made = Scorer(replace(made.loaded, attention=Attention()), 4096)
    with pytest.raises(GroundingError, match="an answer is off by"):
        made.warm_up()


@pytest.mark.parametrize(
    ("architecture", "config", "attention"),
    [
        ("llama", {}, Attention()),
        ("qwen2", {"sliding_window": 24, "use_sliding_window": False}, Attention()),
        ("mistral", {"sliding_window": 24}, Attention(24)),
        ("gemma2", {"sliding_window": 24}, Attention(24, mixed=True)),
    ],
)
def test_how_far_back_a_model_looks(
    architecture: str, config: dict[str, Any], attention: Attention
) -> None:
    assert scorer(architecture, **config).loaded.attention.sliding == attention.sliding
    if attention.sliding:
        assert scorer(architecture, **config).loaded.attention == attention


def test_small_budgets_split_the_batch_and_change_nothing() -> None:
    made = scorer("llama")
    many = batch(made, PROMPTS * 5)
    found = made.score(many, 1.0)
    small = Scorer(made.loaded, 64).score(many, 1.0)
    np.testing.assert_allclose(found, small, rtol=1e-4, atol=1e-10)
    np.testing.assert_allclose(found[:3], found[3:6], rtol=1e-4, atol=1e-10)


def calls(made: Scorer, monkeypatch: Any) -> list[int]:
    """The number of tokens of each forward pass from now on."""
    seen: list[int] = []
    forward = made.loaded.model.model.forward

    def count(*args: Any, **kwargs: Any) -> Any:
        seen.append(kwargs["input_ids"].numel())
        return forward(*args, **kwargs)

    monkeypatch.setattr(made.loaded.model.model, "forward", count)
    return seen


def test_the_prefix_is_read_once_and_nothing_is_padded(monkeypatch: Any) -> None:
    made = scorer("llama")
    asked = batch(made, PROMPTS)
    made.score(asked, 1.0)
    seen = calls(made, monkeypatch)
    found = made.score(asked, 1.0)
    nodes = len(made.loaded.trie.nodes)
    assert seen == [sum(map(len, asked.tails)) + len(PROMPTS) * (nodes - 1)]
    made.tree.prefixes.clear()
    np.testing.assert_array_equal(made.score(asked, 1.0), found)
    assert seen[1:] == [len(asked.prefix), seen[0]]


def failing(made: Scorer, monkeypatch: Any, most: int, error: Callable[[], Exception]) -> None:
    """From now on the model fails on passes of more than `most` tokens."""
    forward = made.loaded.model.forward

    def limited(*args: Any, **kwargs: Any) -> Any:
        if kwargs["input_ids"].numel() > most:
            raise error()
        return forward(*args, **kwargs)

    monkeypatch.setattr(made.loaded.model, "forward", limited)


def real_failure() -> Exception:
    """What torch really raises on this machine's processor."""
    try:
        torch.empty(1 << 60, dtype=torch.uint8)
    except RuntimeError as error:
        return error
    raise AssertionError("an exbibyte of memory")


@pytest.mark.parametrize(
    "error",
    [real_failure, MemoryError, lambda: torch.OutOfMemoryError("CUDA out of memory. Tried ...")],
    ids=["a CPU's", "Python's", "CUDA's"],
)
def test_out_of_memory_halves_the_budget(
    error: Callable[[], Exception], monkeypatch: Any, caplog: Any
) -> None:
    made = scorer("llama")
    many = batch(made, PROMPTS * 5)
    whole = made.score(many, 1.0)
    failing(made, monkeypatch, 140, error)
    np.testing.assert_allclose(made.score(many, 1.0), whole, rtol=1e-4, atol=1e-10)
    assert made.token_budget == 128
    assert "at most 128 tokens a pass" in made.notes[-1]
    assert "out of memory" in caplog.text
    failing(made, monkeypatch, 20, error)
    with pytest.raises(GroundingError, match="no memory left for a single question") as caught:
        made.score(many, 1.0)
    assert caught.value.code is GroundingCode.MODEL_FAILED
