# SPDX-License-Identifier: Apache-2.0
"""The structure of the package: small folders, one name for one thing, no knots, no dead code."""

from __future__ import annotations

from pathlib import Path

import pytest
from package_source import Module, read_modules
from structure_rules import MOST_FILES, RULES, UNREACHED


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    return read_modules()


@pytest.mark.parametrize("rule", RULES)
def test_structure(rule: str, modules: dict[str, Module]) -> None:
    assert list(RULES[rule](modules)) == [], f"{rule}, but not here"


def test_unreached_modules_that_are_kept_exist(modules: dict[str, Module]) -> None:
    assert UNREACHED.keys() <= modules.keys()


def test_each_rule_finds_what_breaks_it(tmp_path: Path) -> None:
    folder = tmp_path / "fcp_ros" / "nodes"
    folder.mkdir(parents=True)
    for number in range(MOST_FILES + 1):
        (folder / f"file_{number}.py").touch()
    (folder / "file_0.py").write_text("from fcp_ros.nodes import file_1\nclass Plan: ...\n")
    (folder / "file_1.py").write_text(
        "import fcp_ros.nodes.file_0\nclass Plan:\n    def _chosen_step(self): ...\n"
        "    @property\n    def chosen(self): ...\n"
    )
    (folder / "file_2.py").write_text(
        '"""Whether it is."""\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING: ...\n'
    )
    (tmp_path / "fcp_ros" / "cset.py").touch()
    modules = read_modules(tmp_path / "fcp_ros")
    assert [list(rule(modules)) for rule in RULES.values()] == [
        ["Plan: fcp_ros.nodes.file_0, fcp_ros.nodes.file_1"],
        ["fcp_ros.nodes.file_0, fcp_ros.nodes.file_1"],
        ["fcp_ros.nodes"],
        ["fcp_ros.cset"],
        ["fcp_ros.nodes.file_2"],
        ["fcp_ros.nodes.file_1.Plan._chosen_step"],
        ["fcp_ros.nodes.file_2"],
    ]
