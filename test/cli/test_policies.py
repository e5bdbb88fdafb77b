# SPDX-License-Identifier: Apache-2.0
"""`fcp plan --policies`: plans without a search, and the reasons why there is one."""

import json

import pytest
from typer.testing import CliRunner
from walking_policy import DOMAIN, PROBLEM, write_policy_text

from fcp_ros.cli.exit_codes import BAD_INPUT, DONE
from fcp_ros.cli.main import app


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/lamps.yaml").write_text(write_policy_text())
    return tmp_path


def run(folder, *more):
    files = ["-d", folder / "domain.pddl", "-s", folder / "problem.pddl"]
    arguments = ["plan", *files, "--policies", folder / "policies", *more]
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_policy_makes_the_plan(folder):
    result = run(folder, "--json")
    assert result.exit_code == DONE, result.output
    answer = json.loads(result.stdout)
    assert answer["policy"] == "lamps"
    assert answer["policy_notes"] == []
    steps = [step["text"] for step in answer["plan"]["steps"]]
    assert steps == ["(walk a b)", "(light b)", "(walk b c)", "(walk c d)", "(light d)"]
    assert "The general policy lamps made this plan" in run(folder).stdout


def test_steps_stand_under_their_abstract_actions(folder):
    lines = [line.split("  ") for line in run(folder).stdout.splitlines()]
    words = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    first = next(place for place, line in enumerate(words) if "step" in line) + 1
    shown = [line[0] if line[0].endswith(")") else line[1] for line in words[first:-1]]
    assert shown == [
        "near in (way = 1, left = 2)",
        "(walk a b)",
        "light in (way = 0, left = 2)",
        "(light b)",
        "near in (way = 2, left = 1)",
        "(walk b c)",
        "near in (way = 1, left = 1)",
        "(walk c d)",
        "light in (way = 0, left = 1)",
        "(light d)",
    ]


def test_the_page_shows_the_policy_and_its_path(folder):
    page = folder / "pages/plan.html"
    assert run(folder, "--page", page).exit_code == DONE
    text = page.read_text()
    assert 'Made by the general policy <span class="name">lamps</span>' in text
    assert "5 steps, in 5 abstract actions" in text
    assert "count(and(goal.lit, not(lit)))" in text
    assert text.count('class="edge run"') == 4  # near again, to light, back, to the goal
    assert text.index('<b>near</b> <span class="reason">in (way = 2') < text.index("(walk b c)")


def test_the_page_of_a_searched_plan_shows_no_policy(folder):
    page = folder / "plan.html"
    assert run(folder, "--page", page, "--goal", "(or (lit b) (lit d))").exit_code == DONE
    text = page.read_text()
    assert "(light b)" in text
    assert "Policy lamps was not used: UNSUPPORTED." in text
    assert "Made by" not in text


def test_files_that_cannot_be_used_are_named(folder):
    changed = DOMAIN.replace("(lit ?x)))", "(not (here ?x))))")
    assert changed != DOMAIN
    (folder / "policies/lamps.yaml").write_text(write_policy_text(changed))
    (folder / "policies/other.yaml").write_text("format: cake")
    answer = json.loads(run(folder, "--json").stdout)
    assert answer["status"] == "SOLVED_OPTIMALLY"
    assert answer["policy"] == ""
    assert "other.yaml is no policy" in answer["policy_notes"][0]
    assert "another version of domain lamps" in answer["policy_notes"][1]
    assert "note: Policy lamps is for another version" in run(folder).stdout


def test_a_folder_that_is_not_there_is_refused(folder):
    (folder / "policies/lamps.yaml").unlink()
    (folder / "policies").rmdir()
    result = run(folder)
    assert result.exit_code == BAD_INPUT
    assert "give a folder of policy files" in result.output


def test_all_faults_of_a_file_stand_in_one_line(folder):
    faulty = write_policy_text().replace("left > 0", "left > 5")
    (folder / "policies/lamps.yaml").write_text(faulty)
    (note,) = json.loads(run(folder, "--json").stdout)["policy_notes"]
    assert note.count("lamps.yaml") > 1
    assert "\n" not in note
    assert "\ufffd" not in run(folder).stdout
