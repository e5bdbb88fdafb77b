# SPDX-License-Identifier: Apache-2.0
"""Tiny language models for heads on hidden states."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_language_models import make_model, make_tokenizer

TEXTS = ["How well does a mug serve for drinking?", "Somebody asked for a glass of water. Score:"]
TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>\n{{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>\n{% endif %}"
)


@pytest.fixture(scope="session")
def causal_folder(tmp_path_factory: Any) -> Callable[..., Path]:
    """Saves a causal model with random weights: causal_folder(architecture, **config)."""

    def make(architecture: str, template: str = TEMPLATE, **config: Any) -> Path:
        tokenizer = make_tokenizer(TEXTS, "digits")
        if template:
            tokenizer.chat_template = template
        folder = tmp_path_factory.mktemp("causal") / f"tiny_{architecture}"
        layers = {} if architecture in ("gpt2", "bloom") else {"num_hidden_layers": 3}
        make_model(architecture, tokenizer, **{**layers, **config}).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return make
