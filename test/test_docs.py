# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ stay true: their examples print what they say, what they name is there."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app

PAGES = {"cset": 8, "generalized_plans": 1, "grounding": 1, "planning": 1, "scene_graphs": 2}
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


# --- README and docs/on_your_robot.md stay true: their commands run, their links lead somewhere


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


# --- pages name files and tests that there are


def test_the_python_files_and_tests_that_pages_name_are_there(repository: Path) -> None:
    folders = ("fcp_ros", "test", "benchmark", "examples")
    files = [path for folder in folders for path in (repository / folder).rglob("*.py")]
    pages = [README, *(repository / "docs").glob("*.md"), *(repository / "test").rglob("*.md")]
    named = {
        (file, test, page.name)
        for page in pages
        for file, test in re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", page.read_text("utf-8"))
    }
    assert len(named) > 100
    missing = []
    for file, test, page in sorted(named):
        there = [path for path in files if path.as_posix().endswith(f"/{file}")]
        if not any(not test or f"def {test}(" in path.read_text("utf-8") for path in there):
            missing.append(f"{page}: {file} {test}")
    assert not missing


def test_lines_of_prose_are_short_enough_to_compare(repository: Path) -> None:
    """Tables, pictures and what is meant for a terminal aside."""
    long_lines = []
    for page in [repository / "README.md", *sorted((repository / "docs").glob("*.md"))]:
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for line in prose.splitlines():
            indented, aside = line.startswith("    "), line.lstrip().startswith(("|", "!", "`"))
            if len(line) > 120 and not (indented or aside):
                long_lines.append(f"{page.name}: {line[:60]}")
    assert not long_lines
