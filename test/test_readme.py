# SPDX-License-Identifier: Apache-2.0
"""README and docs/on_your_robot.md stay true: their commands run, their links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
ON_YOUR_ROBOT = ROOT / "docs" / "on_your_robot.md"


@pytest.fixture(scope="module")
def readme():
    return README.read_text(encoding="utf-8")


def commands(text):
    """The ``fcp`` commands in a page's shell blocks, in order."""
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    found = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("fcp ")]
    # These need live nodes, or a network: they are tested in test/ros and test/grounding.
    return [one for one in found if one[0] not in ("up", "demo") and "fetch" not in one]


@pytest.mark.parametrize("arguments", commands(README.read_text(encoding="utf-8")), ids=" ".join)
def test_every_fcp_command_runs(arguments, repository, monkeypatch):
    monkeypatch.chdir(repository)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"fcp {' '.join(arguments)}: {result.output}"


@pytest.mark.parametrize(
    "arguments", commands(ON_YOUR_ROBOT.read_text(encoding="utf-8")), ids=" ".join
)
def test_every_fcp_command_on_your_robot_runs(arguments, repository, monkeypatch, tmp_path):
    page = ON_YOUR_ROBOT.read_text(encoding="utf-8")
    (tmp_path / "my_house.json").write_text(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])
    (tmp_path / "config").symlink_to(repository / "config")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"fcp {' '.join(arguments)}: {result.output}"


def test_the_files_and_programs_on_your_robot_exist(repository):
    page = ON_YOUR_ROBOT.read_text(encoding="utf-8")
    installed = (repository / "CMakeLists.txt").read_text(encoding="utf-8")
    for node in re.findall(r"ros2 run fcp_ros (\w+)", page):
        assert f"install_node({node} " in installed, node
    for file in re.findall(r"ros2 launch fcp_ros (\S+)", page):
        assert (repository / "launch" / file).is_file(), file
    for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", page):
        assert (ON_YOUR_ROBOT.parent / target).exists(), target


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
