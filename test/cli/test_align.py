# SPDX-License-Identifier: Apache-2.0
"""The command ``fcp align``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app

OVEN = """(define (domain oven)
  (:requirements :strips :typing)
  (:types dish)
  (:predicates (in ?d - dish) (cold ?d - dish) (hot ?d - dish) (free){more})
  (:action load :parameters (?d - dish) :precondition (and (free) (cold ?d))
    :effect (and (in ?d) (not (free))))
  (:action bake :parameters (?d - dish) :precondition (in ?d)
    :effect (and ({hot} ?d) (not (cold ?d)) (not (in ?d)) ({free}))))
"""
PROBLEM = """(define (problem dinner) (:domain oven)
  (:objects Pie cake - dish) (:init (free) (cold Pie) (cold cake))
  (:goal (and (hot Pie) (hot cake))))
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    torn = {"more": " (baked ?d - dish) (vacant)", "hot": "baked", "free": "vacant"}
    true = {"more": "", "hot": "hot", "free": "free"}
    for name, words in (("torn", torn), ("true", true)):
        text = OVEN
        for key, word in words.items():
            text = text.replace(f"{{{key}}}", word)
        (tmp_path / f"{name}.pddl").write_text(text)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    torn_file, true_file, problem = (
        str(tmp_path / f"{name}.pddl") for name in ("torn", "true", "problem")
    )
    return [torn_file, true_file, "-p", problem]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["align", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_the_mapping_is_printed_in_lines_of_any_width(
    files: list[str], columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, text, _ = run(*files)
    assert code == 0, text
    lines = text.splitlines()
    assert lines[0].startswith("ALIGNED 2 synonyms found")
    start = "  (baked ?1) = (hot ?1)  kept, confidence "
    (hot,) = (at for at, line in enumerate(lines) if line.startswith(start))
    assert lines[hot + 1] == "    1 plan succeeded, 0 failed"
    assert "    baked is produced and never needed" in lines[hot:]
    assert any(line.startswith("  (vacant) = (free)  kept") for line in lines)
    assert "  (bake Pie)" in lines


def test_json_and_file_agree(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "mapping.json"
    code, text, _ = run(*files, "--json", "--out", str(out))
    assert code == 0
    found = json.loads(text)
    assert found == json.loads(out.read_text())
    assert found["status"] == "ALIGNED"
    assert found["failures"] == 0
    assert {name: one["name"] for name, one in found["names"].items()} == {
        "baked": "hot", "hot": "hot", "vacant": "free", "free": "free"
    }  # fmt: skip


def test_the_merged_domain_plans_and_its_plan_is_valid_in_the_true_one(
    files: list[str], tmp_path: Path
) -> None:
    code, _, _ = run(*files, "--merged", str(tmp_path / "merged"))
    assert code == 0
    domain, problem = (str(tmp_path / "merged" / f"{n}.pddl") for n in ("domain", "problem"))
    plan = tmp_path / "plan.txt"
    runner = CliRunner()
    found = runner.invoke(app, ["plan", "-d", domain, "-s", problem, "--out", str(plan)])
    assert found.exit_code == 0, found.output
    assert "baked" not in Path(domain).read_text()
    valid = runner.invoke(app, ["validate", str(plan), "-d", files[1], "-s", files[3]])
    assert valid.exit_code == 0, valid.output


def test_a_goal_of_one_domain_is_planned_in_the_merged_one(
    files: list[str], tmp_path: Path
) -> None:
    own, wish, world = (tmp_path / f"{n}.pddl" for n in ("own", "wish", "world"))
    own.write_text("(define (domain menu) (:predicates (cooked ?a) (hot ?b)))")
    wish.write_text(
        "(define (problem w) (:domain menu) (:objects Pie cake) (:init (hot cake)) "
        "(:goal (and (cooked Pie) (cooked cake))))"
    )
    world.write_text(PROBLEM)
    merged = tmp_path / "merged"
    code, text, _ = run(
        *(str(own), files[1], "-p", str(wish), "-w", str(world), "--merged", str(merged))
    )
    assert code == 0, text
    assert "(hot ?1) = (cooked ?1)" in text
    assert "Both domains have hot" not in text
    domain, problem = (str(merged / f"{n}.pddl") for n in ("domain", "problem"))
    assert "hot-own" in Path(problem).read_text()
    found = CliRunner().invoke(app, ["plan", "-d", domain, "-s", problem, "--json"])
    assert found.exit_code == 0, found.output


def test_what_does_not_exist_is_refused(files: list[str]) -> None:
    code, _, error = run(files[0], "missing.pddl", *files[2:])
    assert code == 2
    assert "missing.pddl" in error


def test_the_time_limit_holds(files: list[str]) -> None:
    code, text, _ = run(*files, "--time-limit", "0.01")
    assert code == 13
    assert text.startswith("TIMEOUT")


ROOMS = """{"format": "fcp_ros/scene", "version": 1, "frame_id": "map", "nodes": [
  {"id": "Hall", "layer": "room", "category": "hall"},
  {"id": "den", "layer": "room", "category": "den"},
  {"id": "ball", "layer": "object", "category": "ball"},
  {"id": "robo", "layer": "agent", "category": "robot"}],
 "relations": [["on", "ball", "Hall"], ["at", "robo", "den"]]}
"""


def test_a_goal_is_translated_into_the_words_of_a_yaml_domain(tmp_path: Path) -> None:
    own, wish, scene = tmp_path / "own.pddl", tmp_path / "wish.pddl", tmp_path / "rooms.json"
    own.write_text("(define (domain own) (:predicates (lies ?place ?thing)))")
    wish.write_text(
        "(define (problem w) (:domain own) (:objects ball hall den) (:init (lies hall ball)) "
        "(:goal (lies den ball)))"
    )
    scene.write_text(ROOMS)
    code, text, _ = run(str(own), "tiny", "-p", str(wish), "-w", str(scene))
    assert code == 0, text
    assert "(on ?1 ?2) = (lies ?2 ?1)" in text
    assert "goal in the words of tiny:\n  on(ball, den)" in text
    assert "(pick robo ball Hall)" in text
    code, text, _ = run(str(own), "tiny", "-p", str(wish), "-w", str(scene), "--json")
    assert json.loads(text)["goal"] == "on(ball, den)"


def test_a_yaml_domain_needs_a_scene(files: list[str]) -> None:
    code, _, error = run(files[0], "tiny", *files[2:])
    assert code == 2
    assert "give its scene with --world" in error


@pytest.fixture
def towers(tmp_path: Path) -> list[str]:
    """A scene's words, in which the table is a place, beside blocks in those of the IPC."""
    texts = {
        "scene": "(define (domain scene) (:predicates (on ?x ?place) (grasped ?x ?hand)))",
        "wish": "(define (problem wish) (:domain scene) (:objects a b c table) "
        "(:init (on a table) (on b a) (on c table)) (:goal (and (on a b) (on b table))))",
        "now": "(define (problem now) (:domain blocks) (:objects a b c - block table - object) "
        "(:init (on-table a) (over b a) (top b) (on-table c) (top c) (hand-free)) "
        "(:goal (and (over a b) (on-table b))))",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.pddl").write_text(text)
    blocks = Path(__file__).parents[2] / "benchmark/planning/classic_domains/blocks.pddl"
    scene, wish, now = (str(tmp_path / f"{name}.pddl") for name in texts)
    return [scene, str(blocks), "-p", wish, "-w", now]


def test_names_with_different_numbers_of_arguments_that_were_declared(
    towers: list[str], tmp_path: Path
) -> None:
    merged = tmp_path / "merged"
    same = ["--same", "(on ?x table) = (on-table ?x)"]
    code, text, _ = run(*towers, *same, "--merged", str(merged))
    assert code == 0, text
    assert "  (on-table ?1) = (on ?1 table)  kept" in text
    assert "    declared\n" in text
    assert "  (over ?1 ?2) = (on ?1 ?2)  kept" in text
    domain, problem = (str(merged / f"{name}.pddl") for name in ("domain", "problem"))
    assert "(on ?a table)" in Path(domain).read_text()
    plan = tmp_path / "plan.txt"
    runner = CliRunner()
    found = runner.invoke(app, ["plan", "-d", domain, "-s", problem, "--out", str(plan)])
    assert found.exit_code == 0, found.output
    valid = runner.invoke(app, ["validate", str(plan), "-d", towers[1], "-s", towers[-1]])
    assert valid.exit_code == 0, valid.output
