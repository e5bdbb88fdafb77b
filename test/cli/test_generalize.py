# SPDX-License-Identifier: Apache-2.0
"""``fcp generalize`` and ``fcp policy show`` on PDDL files, and on scenes of a YAML domain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from carried_parcels import ABSTRACTION, FEATURES, REST, write_files
from chat_server import ChatServer, ScriptedModel
from typer.testing import CliRunner, Result

from fcp_ros.cli.main import app


@pytest.fixture
def parcels(tmp_path: Path) -> Path:
    """A folder with a domain, problems, and an abstraction."""
    write_files(tmp_path)
    (tmp_path / "abstraction.yaml").write_text(ABSTRACTION, encoding="utf-8")
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def generalize(folder: Path, *more: object) -> Result:
    files = [folder / "domain.pddl", folder / "one.pddl", folder / "three.pddl"]
    return run("generalize", *files, *more)


def from_file(folder: Path, *more: object) -> Result:
    return generalize(folder, "--proposer", "file", "--file", folder / "abstraction.yaml", *more)


def test_a_policy_is_written_shown_and_run(parcels: Path) -> None:
    out = parcels / "policies" / "parcels.yaml"
    result = from_file(parcels, "--out", out)
    assert result.exit_code == 0, result.output
    assert "FOUND the first proposal passes all checks on 2 training tasks" in result.output
    shown = run("policy", "show", out)
    assert shown.exit_code == 0, shown.output
    for words in (
        "left     number         count(some(difference(goal.in, in), top))",
        "holding, left>0      bring",
        "begins where: not holding",
        "done where: left = 0",
        "one",
    ):
        assert words in shown.output, shown.output
    task = (parcels / "two.pddl", "--domain", parcels / "domain.pddl")
    ran = run("policy", "show", out, *task)
    assert ran.exit_code == 0, ran.output
    assert re.search(r"REACHED \d+ steps, 4 abstract actions", ran.output)
    assert "take(q, a)" in ran.output
    assert "world" not in ran.output
    picture = parcels / "policy.svg"
    assert run("policy", "show", out, *task, "--picture", picture).exit_code == 0
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert all(name in drawn for name in ("fetch", "bring", "not holding"))
    plain = json.loads(run("policy", "show", out, *task, "--json").output)
    assert plain["run"]["status"] == "REACHED"
    assert plain["run"]["steps"][0][0] in ("go", "take")
    cut = run("policy", "show", out, *task, "--steps", 1)
    assert cut.exit_code == 1
    assert "STEP_LIMIT" in cut.output


def test_a_policy_is_learned_from_problems_alone(parcels: Path) -> None:
    out = parcels / "learned.yaml"
    result = generalize(parcels, "--out", out)
    assert result.exit_code == 0, result.output
    assert "FOUND" in result.output
    assert "proposed by symbolic" in run("policy", "show", out).output
    ran = run("policy", "show", out, parcels / "two.pddl", "--domain", parcels / "domain.pddl")
    assert ran.exit_code == 0, ran.output
    assert "REACHED" in ran.output


def test_faults_are_shown_with_state_and_actions(parcels: Path) -> None:
    text = ABSTRACTION.replace("[not holding, left decreases]", "[left decreases]")
    (parcels / "abstraction.yaml").write_text(text, encoding="utf-8")
    out = parcels / "policy.yaml"
    result = from_file(parcels, "--out", out)
    assert result.exit_code == 12
    assert not out.exists()
    for words in (
        "UNREPAIRED",
        "HLPRC wrong effect",
        "holding goes from 1 to 0",
        "state: holding, left=1",
        "action: fetch: go(a, b); take(p, b)",
    ):
        assert words in result.output, result.output
    assert "to blame: the abstract actions; 2 steps are left to the goal" in result.output
    plain = json.loads(from_file(parcels, "--json").output)
    assert plain["status"] == "UNREPAIRED"
    fault = plain["rounds"][0]["errors"][0]
    assert (fault["layer"], fault["steps_left"]) == ("ACTIONS", 2)
    assert plain["rounds"][0]["errors"][0]["check"] == "HLPRC"
    assert plain["rounds"][0]["errors"][0]["states"]


BAD = {
    "a file without its option": ["--proposer", "file"],
    "an option of another proposer": [
        "--proposer",
        "language-model",
        "--endpoint",
        "http://localhost:1",
        "--file",
        "abstraction.yaml",
    ],
    "a model for another proposer": ["--model", "x"],
    "no model": ["--proposer", "language-model"],
    "a goal for PDDL": ["--goal", "true"],
    "a file that is not there": ["--proposer", "file", "--file", "nowhere.yaml"],
    "a model that is not there": ["--proposer", "language-model", "--model", "nowhere"],
    "a policy over a problem": ["--out", "one.pddl"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_with_a_sentence(name: str, parcels: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(parcels)
    result = generalize(parcels, *BAD[name])
    assert result.exit_code == 2, result.output
    # On a busy machine lines of progress come first.
    assert any(line.startswith("error ") for line in result.stderr.splitlines())


def test_a_goal_that_policies_cannot_have_is_told(parcels: Path) -> None:
    problem = parcels / "one.pddl"
    text = problem.read_text(encoding="utf-8")
    problem.write_text(text.replace("(and (in p c))", "(not (in p b))"), encoding="utf-8")
    result = from_file(parcels)
    assert result.exit_code == 16
    assert "no policy can be learned for this goal" in result.output


def test_a_policy_of_another_domain_is_refused(parcels: Path) -> None:
    out = parcels / "parcels.yaml"
    assert from_file(parcels, "--out", out).exit_code == 0
    domain = parcels / "domain.pddl"
    text = domain.read_text(encoding="utf-8")
    domain.write_text(text.replace("(held ?p) (not (in", "(not (in"), encoding="utf-8")
    result = run("policy", "show", out, parcels / "one.pddl", "--domain", domain)
    assert result.exit_code == 2
    assert "another version of domain parcels" in result.output
    (parcels / "no.yaml").write_text("a: 1", encoding="utf-8")
    assert run("policy", "show", parcels / "no.yaml").exit_code == 2
    assert run("policy", "show", out, parcels / "one.pddl").exit_code == 2


@pytest.fixture
def server(monkeypatch: Any) -> Iterator[ChatServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def answer(prompt: str) -> dict[str, float]:
        return {REST if "These are the features:" in prompt else FEATURES: 1.0}

    server = ChatServer(ScriptedModel(answer, lambda text: [text, "<|end|>"]))
    yield server
    server.close()


def test_a_model_server_proposes_and_the_transcript_is_kept(
    parcels: Path, server: ChatServer
) -> None:
    transcript = parcels / "transcript.md"
    result = generalize(
        parcels, "--proposer", "language-model", "--endpoint", server.url,
        "--transcript", transcript,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert 'proposer: "language model tiny@127.0.0.1' in result.output
    text = transcript.read_text(encoding="utf-8")
    assert text.count("### Answer") == 2
    assert "count(some(difference(goal.in, in), top))" in text


def test_tasks_to_generate_from_are_an_option(parcels: Path) -> None:
    result = generalize(parcels, "--generate-on", 1, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["status"] == "FOUND"
    assert generalize(parcels, "--generate-on", -1).exit_code == 2


def test_scenes_need_a_goal(tmp_path: Path) -> None:
    result = run("generalize", "household", "twin_house_furnished")
    assert result.exit_code == 2
    assert "--goal" in result.output


ON_TABLES = """\
features:
  holding: any(some(inverse(holding), top))
  left: count(some(difference(goal.on, on), top))
initial: [not holding]
goal: [left = 0]
actions:
  fetch:
    when: [not holding, left > 0]
    effects: [holding]
    programs:
      - "pick(item: some(difference(goal.on, on), top))"
      - "go(to: some(inverse(on), some(difference(goal.on, on), top)));
         pick(item: some(difference(goal.on, on), top))"
  bring:
    when: [holding, left > 0]
    effects: [not holding, left decreases]
    programs: ["go(to: some(inverse(goal.on), some(inverse(holding), top))); place()"]
"""


def write_house(file: Path, things: int) -> Path:
    """A canonical scene for the domain `tiny`: things on a shelf, and a table."""
    nodes = [
        {"id": "shelf", "layer": "room", "category": "shelf"},
        {"id": "table", "layer": "room", "category": "table"},
        {"id": "robot_1", "layer": "agent", "category": "robot"},
        *({"id": f"cup_{n}", "layer": "object", "category": "cup"} for n in range(things)),
    ]
    relations = [["at", "robot_1", "table"], *(["on", f"cup_{n}", "shelf"] for n in range(things))]
    scene = {"format": "fcp_ros/scene", "version": 1, "frame_id": "map"}
    file.write_text(json.dumps({**scene, "nodes": nodes, "relations": relations}))
    return file


def test_scenes_of_a_domain_and_one_goal(tmp_path: Path) -> None:
    (tmp_path / "abstraction.yaml").write_text(ON_TABLES, encoding="utf-8")
    houses = [write_house(tmp_path / f"house_{n}.json", n) for n in (1, 2, 5)]
    # The floors of rooms are items of this domain, too.
    goal = ["--goal", 'forall ?i: item (not is_a(?i, "cup") or on(?i, table))']
    out = tmp_path / "policy.yaml"
    result = run(
        "generalize", "tiny", *houses[:2], *goal, "--proposer", "file",
        "--file", tmp_path / "abstraction.yaml", "--out", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    shown = run("policy", "show", out, houses[2], "--domain", "tiny", *goal)
    assert shown.exit_code == 0, shown.output
    assert "REACHED 20 steps, 10 abstract actions" in shown.output
    assert "place(robot_1, cup_4, table)" in shown.output
