# SPDX-License-Identifier: Apache-2.0
"""Packed hidden states beside one plain pass of the whole model for each question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_language_models import WINDOW

from fcp_ros.grounding import Device, GroundingCode, GroundingError
from fcp_ros.grounding.heads.hidden_states import (
    StatePlaces,
    StateReader,
    load_state_reader,
)
from fcp_ros.grounding.options import Precision

MakeFolder = Callable[..., Path]
PREFIX = (5, 9, 40, 41, 42)


def load(folder: Path, *layers: int) -> StateReader:
    places = StatePlaces(layers)
    return load_state_reader(folder, Device.CPU, Precision.FLOAT32, places)


def read_plainly(folder: Path, layers: tuple[int, ...], prefix: Any, question: Any) -> np.ndarray:
    """The slow way: all layers of the whole model, one question, no cache and no mask."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        out = model(
            torch.tensor([[*prefix, *question]]), output_hidden_states=True, use_cache=False
        )
    columns = []
    for layer in layers:
        own = out.hidden_states[layer][0].numpy()[len(prefix) :]
        own = own / np.sqrt((own**2).mean(axis=1, keepdims=True))
        columns += [own[-1], own.mean(axis=0)]
    return np.concatenate(columns)


@pytest.fixture(scope="module", params=["llama", "qwen2", "mistral", "gemma2"])
def folder(request: Any, causal_folder: MakeFolder) -> Path:
    """A tiny model of three layers; the states after the first two come before its final norm."""
    return causal_folder(request.param)


def test_packed_states_are_those_of_plain_passes(folder: Path) -> None:
    questions = [[7, 8, 9], [50], list(range(20, 60)), [7, 8, 10, 11]]
    reader = load(folder, 1, 2)
    found = reader.read(PREFIX, questions)
    for row, question in zip(found, questions, strict=True):
        wanted = read_plainly(folder, (1, 2), PREFIX, question)
        assert row == pytest.approx(wanted, abs=2e-5)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    prefix=st.lists(st.integers(1, 200), max_size=90),
    questions=st.lists(
        st.lists(st.integers(1, 200), min_size=1, max_size=30), min_size=1, max_size=6
    ),
)
def test_company_changes_nothing(
    causal_folder: MakeFolder, prefix: list[int], questions: list[list[int]]
) -> None:
    reader = READERS.setdefault("mistral", load(causal_folder("mistral"), 1, 2))
    together = reader.read(tuple(prefix), questions)
    apart = [reader.read(tuple(prefix), [question])[0] for question in questions]
    assert together == pytest.approx(np.stack(apart), abs=2e-5)


READERS: dict[str, StateReader] = {}


@pytest.mark.parametrize("architecture", ["bloom", "qwen3_next"])
def test_models_without_a_mask_are_found_out(architecture: str, causal_folder: MakeFolder) -> None:
    config = {"layer_types": ["linear_attention", "full_attention"], "num_hidden_layers": 2}
    folder = causal_folder(architecture, **(config if architecture == "qwen3_next" else {}))
    with pytest.raises(GroundingError, match="does not honour the mask") as caught:
        load(folder, 1).read(PREFIX, [[7, 8, 9, 12, 30, 31], [50, 7], [7, 8, 10, 11]])
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_only_wanted_layers_are_loaded(causal_folder: MakeFolder) -> None:
    reader = load(causal_folder("qwen2"), 2)
    names = [name for name, _ in reader._model.named_parameters()]
    assert not [name for name in names if "layers.2." in name or "lm_head" in name]
    with pytest.raises(GroundingError, match=r"layer 4 is wanted, but .* has 3 layers"):
        load(causal_folder("qwen2"), 4)


def test_too_long_a_question_is_said(causal_folder: MakeFolder) -> None:
    reader = load(causal_folder("llama"), 1)
    with pytest.raises(GroundingError, match="tokens long") as caught:
        reader.read((), [[5] * (WINDOW + 1)])
    assert caught.value.code is GroundingCode.CONTEXT_TOO_LONG


def test_little_memory_means_smaller_passes(
    causal_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = load(causal_folder("llama"), 1)
    questions = [[5 + i, 6, 7] for i in range(40)]
    wanted = reader.read((), questions)
    plain, sizes = reader._run, []

    def run(prefix: Any, chosen: Any) -> Any:
        sizes.append(len(chosen))
        if len(chosen) > 12:
            raise MemoryError("out of memory")
        return plain(prefix, chosen)

    monkeypatch.setattr(reader, "_run", run)
    assert reader.read((), questions) == pytest.approx(wanted, abs=1e-5)
    assert max(sizes) > 12 >= sizes[-1]
    monkeypatch.setattr(reader, "_run", lambda *_: (_ for _ in ()).throw(MemoryError("no")))
    with pytest.raises(GroundingError, match="no memory left for a single question"):
        reader.read((), [[5]])


def test_states_that_are_no_numbers_are_said(causal_folder: MakeFolder) -> None:
    import torch

    reader = load(causal_folder("llama"), 1)
    with torch.no_grad():
        next(reader._model.parameters()).fill_(float("nan"))
    with pytest.raises(GroundingError, match="not numbers"):
        reader.read((), [[5, 6]])
