# SPDX-License-Identifier: Apache-2.0
"""Section "Features" of docs/generalized_plans.md: its example runs, its forms are read."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from feature_texts import parse_concept, parse_role

from fcp_ros.abstraction.features.parser import FeatureSyntaxError, parse_feature


@pytest.fixture(scope="module")
def section(repository: Path) -> str:
    page = (repository / "docs" / "generalized_plans.md").read_text(encoding="utf-8")
    return page[page.index("## Features\n") : page.index("## Programs\n")]


def test_the_example_prints_what_the_page_says(
    section: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    ((code, expected),) = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", section, re.S)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/generalized_plans.md", "exec"), {})
    assert printed.getvalue() == expected


def test_the_forms_of_the_page_are_read(section: str) -> None:
    forms = set(re.findall(r"`([a-z]+\((?:[CDRS](?:, )?)+\))`", section))
    read = set()
    for form in forms:
        for parse in (parse_feature, parse_concept, parse_role):
            with contextlib.suppress(FeatureSyntaxError):
                parse(form)
                read.add(form)
    assert forms == read
    words = {form.partition("(")[0] for form in forms}
    assert words == {
        *("any", "count", "distance", "not", "and", "some", "all", "same"),
        *("inverse", "closure", "restrict", "chain", "difference"),
    }


def test_complexities_that_the_page_tells() -> None:
    free = ("any(clean)", "any(not(clean))", "any(and(goal.clean, not(clean)))")
    assert {parse_feature(text).complexity for text in free} == {2}
    still = ("any(some(difference(goal.at, at), top))", "any(some(inverse(at), top))")
    assert {parse_feature(text).complexity for text in still} == {3}
