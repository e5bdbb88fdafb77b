# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md stays true: its picture, its table, and the files that it names."""

from __future__ import annotations

import re

import pytest
from architecture_drawing import PAGE, PICTURE, WAYS, find_arrows, find_rows, list_steps, render
from package_source import read_modules

WRITE = "run python test/support/architecture_drawing.py"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_picture_and_table_are_those_of_the_package(page: str) -> None:
    new_page, picture = render()
    assert page == new_page, WRITE
    assert PICTURE.read_text(encoding="utf-8") == picture, WRITE


def test_every_file_that_the_page_names_exists(page: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", page)
    assert len(targets) > 100
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []


def test_each_way_passes_several_layers(page: str) -> None:
    steps = list_steps(page)
    assert all(len(steps[way]) >= 3 for way in WAYS)
    for layers in steps.values():
        numbers = {number for found in layers.values() for number in found}
        assert numbers == set(range(1, len(numbers) + 1)), "each step names a file"


def test_arrows_that_follow_from_others_are_left_out() -> None:
    modules = read_modules()
    arrows = find_arrows(modules, ["domain", "cset", "foundation"])
    assert arrows == [("domain", "cset"), ("cset", "foundation")]
    assert find_rows(["domain", "cset", "foundation"], arrows) == {
        "domain": 2,
        "cset": 1,
        "foundation": 0,
    }
