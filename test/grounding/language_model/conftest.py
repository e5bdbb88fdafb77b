# SPDX-License-Identifier: Apache-2.0
"""Tiny language models that the tests make, train and save: real ones, of several architectures.

Trained for seconds, they answer "100" for mugs, "50" or "100" for bowls and "0" for books.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_language_models import make_model, make_tokenizer, train

from fcp_ros.grounding.language_model.rubric_prompt import write_prompt

ANSWERS = [("mug", "100"), ("book", "0"), ("bowl", "50"), ("bowl", "50"), ("bowl", "100")]


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models gain nothing from threads, which wait for each other on busy machines."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def save(path: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture(scope="session")
def prompts(make_predicate: Any, ask: Any) -> list[str]:
    """What the models are trained on."""
    return [write_prompt(make_predicate(), ask(item, "drinking")) for item, _ in ANSWERS]


@pytest.fixture(scope="session", params=["digits", "whole numbers"])
def trained(request: Any, tmp_path_factory: Any, prompts: list[str]) -> Path:
    """A trained tiny Llama, saved as safetensors."""
    tokenizer = make_tokenizer(prompts, request.param)
    model = make_model("llama", tokenizer)
    train(model, tokenizer, prompts, [answer for _, answer in ANSWERS])
    return save(tmp_path_factory.mktemp("trained") / "tiny_lm", model, tokenizer)


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory: Any, prompts: list[str]) -> Callable[..., Path]:
    """Saves an untrained model: make_folder(architecture, tokenizer kind, **config)."""

    def make(architecture: str, kind: str = "digits", template: str = "", **config: Any) -> Path:
        tokenizer = make_tokenizer(prompts, kind)
        if template:
            tokenizer.chat_template = template
        folder = tmp_path_factory.mktemp("untrained") / architecture
        return save(folder, make_model(architecture, tokenizer, **config), tokenizer)

    return make


@pytest.fixture(scope="session")
def untrained(make_folder: Any) -> Path:
    """A tiny Llama with random weights."""
    folder: Path = make_folder("llama")
    return folder
