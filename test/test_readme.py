# SPDX-License-Identifier: Apache-2.0
"""The README stays true: its fcp commands run, its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def readme():
    return README.read_text(encoding="utf-8")


def commands(text):
    """The ``fcp`` commands in the README's shell blocks, in order."""
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    found = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("fcp ")]
    # Those two need live nodes: they are tested in test/ros.
    return [arguments for arguments in found if arguments[0] not in ("up", "demo")]


@pytest.mark.parametrize("arguments", commands(README.read_text(encoding="utf-8")), ids=" ".join)
def test_every_fcp_command_runs(arguments, repository, monkeypatch):
    monkeypatch.chdir(repository)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"fcp {' '.join(arguments)}: {result.output}"


def test_the_first_planning_example_has_a_plan(readme, repository, monkeypatch):
    monkeypatch.chdir(repository)
    first = next(arguments for arguments in commands(readme) if arguments[0] == "plan")
    result = CliRunner().invoke(app, first)
    assert "A plan of 3 steps" in result.output
    assert "pick(robot_1, book_1, couch_1, living_room_1)" in result.output, "lines are not wrapped"


def test_there_are_commands(readme):
    assert len(commands(readme)) >= 8


def test_links_lead_to_files_of_the_repository(readme, repository):
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (repository / target).exists(), f"the README links to {target}, which is not there"


def test_make_targets_exist(readme, repository):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z]+)\b", readme):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
