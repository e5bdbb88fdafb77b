# SPDX-License-Identifier: Apache-2.0
"""docs/planning.md stays true: its example prints what it says, and every status is told."""

import contextlib
import io
import re

import pytest

from fcp_ros.planning import PlanStatus


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "planning.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(page, repository, monkeypatch):
    monkeypatch.chdir(repository)
    (code, expected) = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.S).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/planning.md", "exec"), {})
    assert printed.getvalue() == expected


def test_every_status_is_told(page):
    for status in PlanStatus:
        assert f"`{status.name}`" in page
