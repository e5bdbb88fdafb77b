# SPDX-License-Identifier: Apache-2.0
"""Tiny language models that the tests make, train and save: real ones, of several architectures.

The trained ones are in the folder above.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_language_models import make_model, make_tokenizer, save


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
