# SPDX-License-Identifier: Apache-2.0
"""Judgement files for the tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

WriteSet = Callable[..., Path]


@pytest.fixture
def write_set(tmp_path: Path) -> WriteSet:
    """Writes lines into a CSV file of a folder; returns the folder."""

    def write(name: str, *lines: str, header: str = "item,purpose,degree", to: str = "own") -> Path:
        folder = tmp_path / to
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return folder

    return write
