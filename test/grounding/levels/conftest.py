# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def request_of(ask: Any) -> Any:
    """serves_as(<category>, purpose); `ask` is taken in these tests."""
    return ask


@pytest.fixture
def lm(tmp_path: Path) -> Path:
    """The files of a language model that is never loaded."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder
