# SPDX-License-Identifier: Apache-2.0
"""docs/planning.md stays true: its example prints what it says, its tables list what there is."""

import contextlib
import io
import re
from dataclasses import fields

import pytest
import typer

from fcp_ros.cli.main import app
from fcp_ros.fuzzy import AlphaPolicy
from fcp_ros.planning import (
    Algorithm,
    Heuristic,
    PlanningOptions,
    PlanStatus,
    SearchOptions,
    Switches,
)

PARTS = {"policy": AlphaPolicy, "search": SearchOptions, "switches": Switches}
"""Fields of `PlanningOptions` that have fields of their own."""

OF_OTHER_THINGS = {
    "goal",
    "domain",
    "scene",
    "out",
    "as_json",
    "oracle",
    "model",
    "endpoint",
    "calibration",
    "types",
    "similar",
}
"""Options of `fcp plan` that say what is asked of whom, not how it is planned."""


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "planning.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows(page):
    """The table of options: the words in code of each of its cells."""
    table = page[page.index("| option of `fcp plan`") :].split("\n\n")[0].splitlines()[2:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:-1]] for line in table]


def test_the_example_prints_what_the_page_says(page, repository, monkeypatch):
    monkeypatch.chdir(repository)
    (code, expected) = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.S).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/planning.md", "exec"), {})
    assert printed.getvalue() == expected


def test_every_option_of_the_command_is_in_the_table(rows):
    command = typer.main.get_command(app).commands["plan"]
    known = {name for row in rows for name in row[0]}
    wanted = [p for p in command.params if p.name not in {*OF_OTHER_THINGS, "help"}]
    names = {name for option in wanted for name in (*option.opts, *option.secondary_opts)}
    assert known == {name for name in names if name.startswith("--")}


def test_every_field_of_the_options_is_in_the_table(rows):
    known = {name for row in rows for name in row[1]}
    assert {name.split(".")[0] for name in known} == {f.name for f in fields(PlanningOptions)}
    for name in known:
        if "." in name:
            part, field = name.split(".")
            assert field in {f.name for f in fields(PARTS[part])}, name


def test_parameters_in_the_table_are_the_planners(rows, repository):
    text = (repository / "config" / "params.yaml").read_text(encoding="utf-8")
    planner = text[text.index("/**/planner:") : text.index("/**/executive:")]
    named = {name for row in rows for name in row[2]}
    assert len(named) > 10
    for name in named:
        assert f"\n    {name}: " in planner


def test_choices_in_the_table_are_those_there_are(rows):
    said = {row[0][0]: row[3] for row in rows if row[0]}
    assert set(said["--algorithm"]) == {item.value for item in Algorithm}
    assert set(said["--heuristic"]) == {item.value for item in Heuristic}
    assert set(said["--without"]) == {field.name for field in fields(Switches)}


def test_every_status_is_told(page):
    for status in PlanStatus:
        assert f"`{status.name}`" in page
