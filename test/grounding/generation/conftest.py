# SPDX-License-Identifier: Apache-2.0
"""Tiny models in memory, and searches with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tiny_language_models import make_model, make_tokenizer

from fcp_ros.grounding.beam_search import BeamSearch, prepare_search
from fcp_ros.grounding.language_model.causal_model import make_language_model
from fcp_ros.grounding.options import Precision

TEXTS = ["put the mug_1 on the table_1", "on(mug_1, table_1) and not on(bowl_1, shelf_1)"]


@pytest.fixture(scope="session")
def make_search() -> Callable[..., BeamSearch]:
    """Makes a search with an untrained model: make_search(architecture, tokenizer kind)."""

    def make(architecture: str = "llama", kind: str = "digits", **config: Any) -> BeamSearch:
        tokenizer = make_tokenizer(TEXTS, kind)
        model = make_model(architecture, tokenizer, **config)
        loaded = make_language_model(model, tokenizer, "cpu", Precision.FLOAT32, architecture)
        return prepare_search(loaded, architecture)

    return make
