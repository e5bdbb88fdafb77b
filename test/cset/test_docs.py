# SPDX-License-Identifier: Apache-2.0
"""docs/cset.md stays true: its examples print what it says, its files and names exist."""

import contextlib
import importlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

BLOCK = re.compile(r"```(\w+)\n(.*?)```", flags=re.DOTALL)


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs" / "cset.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_says(page: str) -> None:
    blocks = BLOCK.findall(page)
    names: dict[str, Any] = {}
    compared = 0
    for (language, code), (next_language, expected) in zip(
        blocks, [*blocks[1:], ("", "")], strict=True
    ):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/cset.md", "exec"), names)
        if next_language == "text":
            assert printed.getvalue() == expected, code
            compared += 1
    assert compared >= 10


def test_files_that_it_names_are_there(page: str, repository: Path) -> None:
    files = re.findall(r"`(\w+\.py)`", page)
    assert files
    for file in files:
        assert (repository / "fcp_ros" / "cset" / file).exists(), file


def test_functions_beside_files_are_in_them(page: str) -> None:
    rows = re.findall(r"\| ((?:`\w+`(?:, )?)+) in `(\w+)\.py` \|", page)
    assert rows
    for names, file in rows:
        module = importlib.import_module(f"fcp_ros.cset.{file}")
        for name in re.findall(r"`(\w+)`", names):
            assert hasattr(module, name), f"{file} has no {name}"
