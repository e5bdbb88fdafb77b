# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ stay true: their examples print what they say, what they name is there."""

import contextlib
import importlib
import io
import re

import pytest

PAGES = {"cset": 10, "generalized_plans": 1, "grounding": 1, "planning": 1, "scene_graphs": 2}
"""Pages whose examples are run, in one namespace each; how many of them print something."""


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_says(page, repository, monkeypatch):
    monkeypatch.chdir(repository)
    text = (repository / "docs" / f"{page}.md").read_text(encoding="utf-8")
    compared, names = 0, {}
    for code, expected in re.findall(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", text, re.S):
        if not (expected or page == "cset"):  # the others need nodes, or a folder of the reader's
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"docs/{page}.md", "exec"), names)
        if expected:
            assert printed.getvalue() == expected, code
            compared += 1
    assert compared == PAGES[page]


def test_files_and_functions_that_the_page_on_csets_names_are_there(repository):
    page = (repository / "docs" / "cset.md").read_text(encoding="utf-8")
    files = re.findall(r"`(\w+\.py)`", page)
    rows = re.findall(r"\| ((?:`\w+`(?:, )?)+) in `(\w+)\.py` \|", page)
    assert files
    assert rows
    assert [name for name in files if not (repository / "fcp_ros/cset" / name).exists()] == []
    for names, file in rows:
        module = importlib.import_module(f"fcp_ros.cset.{file}")
        assert [name for name in re.findall(r"`(\w+)`", names) if not hasattr(module, name)] == []
