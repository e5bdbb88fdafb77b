# SPDX-License-Identifier: Apache-2.0
"""No command writes over a file that it reads, whatever options name it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.cli.main import app

COMMANDS = {
    "plan": "plan --goal on(mug_1,table_1) --scene {scene} --out {scene}",
    "plan page": "plan --goal on(mug_1,table_1) --domain {domain} --page {domain}",
    "plan for PDDL": "plan --domain {pddl} --scene {problem} --out {problem}",
    "scene convert": "scene convert {scene} {scene}",
    "scene convert by another name": "scene convert {scene} {folder}/../{name}/scene.json",
    "policy show": "policy show {policy} --picture {policy}",
    "generalize": "generalize {pddl} {problem} --out {problem}",
    "align": "align {pddl} {pddl} --problem {problem} --out {problem}",
}


@pytest.fixture
def names(repository: Path, tmp_path: Path) -> dict[str, str]:
    config = repository / "config"
    policy = sorted((config / "policies").glob("*.yaml"))[0]
    for source, name in (
        (config / "scenes" / "twin_house.json", "scene.json"),
        (config / "domains" / "tiny.yaml", "domain.yaml"),
        (policy, "policy.yaml"),
    ):
        shutil.copy(source, tmp_path / name)
    (tmp_path / "domain.pddl").write_text(
        "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
    )
    (tmp_path / "problem.pddl").write_text("(define (problem q) (:domain d) (:init) (:goal (p)))")
    return {
        "folder": str(tmp_path),
        "name": tmp_path.name,
        "scene": str(tmp_path / "scene.json"),
        "domain": str(tmp_path / "domain.yaml"),
        "policy": str(tmp_path / "policy.yaml"),
        "pddl": str(tmp_path / "domain.pddl"),
        "problem": str(tmp_path / "problem.pddl"),
    }


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_is_read_is_not_overwritten(
    command: str, names: dict[str, str], tmp_path: Path
) -> None:
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    words = [word.format(**names) for word in command.split()]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "400"})
    assert result.exit_code == BAD_INPUT, result.output
    assert "would be overwritten, but it is read: give another place" in result.stderr
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
