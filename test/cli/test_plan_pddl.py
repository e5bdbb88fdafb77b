# SPDX-License-Identifier: Apache-2.0
"""`fcp plan` on PDDL files: from the files to an IPC plan that an interpreter of PDDL accepts."""

import json

import pytest
from pddl_interpreter import Interpreter
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT, DONE, to_exit_code
from fcp_ros.cli.main import app
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.task_reader import read_texts
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.verification.ipc_plan import read_ipc_plan

FEWEST = {
    "blocks": 4,
    "gripper": 5,
    "ferry": 7,
    "miconic": 6,
    "logistics": 10,
    "briefcase": 5,
    "courier": 4,
    "workshop": 4,
}


@pytest.fixture
def folder(repository):
    return repository / "test" / "data" / "pddl"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", FEWEST)
def test_plans_are_found_written_and_valid(folder, tmp_path, name):
    domain, problem = folder / f"{name}.pddl", folder / f"{name}-1.pddl"
    out = tmp_path / "plan.txt"
    result = run("plan", "-d", domain, "-s", problem, "--out", out)
    assert result.exit_code == DONE, result.output
    twin = Interpreter(read_texts(read_source(domain), read_source(problem)))
    state, cost = twin.initial, 0.0
    actions = read_ipc_plan(out.read_text())
    for action, objects in actions:
        arguments = tuple(o.lower() for o in objects)
        state = twin.step(state, action.lower(), arguments)
        assert state is not None, (action, objects)
        cost += twin.cost(action.lower(), arguments)
    assert twin.reaches_goal(state)
    assert len(actions) >= FEWEST[name]
    kind = f"{cost:g} (general cost)" if name == "courier" else f"{len(actions)} (unit cost)"
    assert f"; cost = {kind}\n" in out.read_text()
    checked = run("validate", out, "-d", domain, "-s", problem)
    assert checked.exit_code == DONE, checked.output


def test_another_goal_json_and_explanation(folder):
    files = ("-d", folder / "ferry.pddl", "-s", folder / "ferry-1.pddl")
    for goal in ("on-deck(world, van)", "(on-deck van)", "(and (ON-DECK Van))"):
        result = run("plan", *files, "-g", goal, "--json")
        assert result.exit_code == DONE, result.output
        assert len(json.loads(result.stdout)["plan"]["steps"]) == 2
        result = run("plan", *files, "-g", goal, "--explain", "--why", "van")
        assert result.exit_code == DONE
        assert "(board van" in result.stdout
        assert "world" not in result.stdout.replace(goal, "")


def test_a_plan_as_json_is_in_pddl_and_valid(folder, tmp_path):
    files = ("-d", folder / "blocks.pddl", "-s", folder / "blocks-1.pddl")
    result = run("plan", *files, "--json")
    read = json.loads(result.stdout)
    assert read["goal"] == read["plan"]["goal"]
    assert read["goal"].startswith("(and (on ")
    assert all(step["text"].startswith("(") for step in read["plan"]["steps"])
    file = tmp_path / "plan.json"
    file.write_text(result.stdout)
    checked = run("validate", file, *files)
    assert checked.exit_code == DONE, checked.output


def test_reasons_are_in_pddl(folder):
    """Neither the leg `world` nor the rules of the domain are in what people read."""
    files = ("-d", folder / "ferry.pddl", "-s", folder / "ferry-1.pddl")
    result = run("plan", *files, "-g", "(and (on-deck van) (on-deck jeep))")
    assert result.exit_code == to_exit_code(PlanStatus.UNSOLVABLE_PROVEN)
    words = " ".join(result.output.split())
    assert "(on-deck van)" in words
    assert "(on-deck jeep) can't hold at once: at most one on-deck holds at a time." in words
    assert "world" not in words


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("(on-deck vane)", "the goal:1:10: unknown object vane"),
        ("(on-dock van)", "the goal:1:2: unknown predicate on-dock"),
        ("(and (on-deck van)", "the goal:1:"),
        ("(not (preference p (on-deck van)))", "the goal:1:6: not supported: a preference within"),
    ],
)
def test_mistakes_in_a_goal_have_their_place_in_it(folder, goal, message):
    files = ("-d", folder / "ferry.pddl", "-s", folder / "ferry-1.pddl")
    result = run("plan", *files, "-g", goal)
    assert result.exit_code in (BAD_INPUT, to_exit_code(PlanStatus.UNSUPPORTED))
    assert message in " ".join(result.output.split())


def test_what_is_not_supported_has_its_own_status(folder, tmp_path):
    domain = tmp_path / "domain.pddl"
    text = (folder / "ferry.pddl").read_text()
    domain.write_text(text.replace("(:action sail", "(:durative-action sail"))
    result = run("plan", "-d", domain, "-s", folder / "ferry-1.pddl")
    assert result.exit_code == to_exit_code(PlanStatus.UNSUPPORTED)
    words = " ".join(result.output.split())
    assert "UNSUPPORTED" in words
    assert "not supported: durative actions" in words
    assert ":7:" in words


def test_mistakes_are_told(folder, tmp_path):
    result = run("plan", "-d", folder / "ferry.pddl", "-s", tmp_path / "none.pddl")
    assert result.exit_code == BAD_INPUT
    assert "none.pddl" in result.output
    result = run("plan", "-d", "household")
    assert result.exit_code == BAD_INPUT
    assert "--goal" in result.output


def test_a_problem_is_validated(folder, tmp_path):
    domain, problem = folder / "ferry.pddl", folder / "ferry-1.pddl"
    result = run("validate", problem, "-d", domain)
    assert result.exit_code == DONE, result.output
    assert "valid problem across for domain ferry: 6 elements, 3 rules" in result.output
    assert run("validate", problem).exit_code == BAD_INPUT
    assert run("validate", domain, "-d", domain).exit_code == BAD_INPUT
    result = run("validate", tmp_path / "plan.txt", "-d", domain, "-s", problem)
    assert result.exit_code == BAD_INPUT
    assert "is not a plan" in result.output
