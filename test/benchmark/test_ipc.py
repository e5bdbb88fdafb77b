# SPDX-License-Identifier: Apache-2.0
"""The benchmark on folders of PDDL tasks: its list, validation, scores, and a run of a user."""

import json
import re
import subprocess
import sys

import pytest

from benchmark.ipc.__main__ import find_verdicts, score_agile, score_quality
from benchmark.ipc.planners import OURS, THEIRS, IpcRun
from benchmark.ipc.tasks import LISTED, find_listed_tasks, read_list
from benchmark.ipc.validation import validate_plan
from benchmark.rivals.programs import Limits

RUN = (sys.executable, "-m", "benchmark.ipc")
DOMAIN = """(define (domain boxes) (:requirements :adl :action-costs)
 (:types cup plate - thing room) ; a comment (not read)
 (:predicates (at ?t - thing ?r - room) (here ?r - room) (washed ?t - thing) (tidy ?r - room))
 (:functions (way ?a ?b - room) (total-cost))
 (:action walk :parameters (?a ?b - room) :precondition (and (here ?a) (not (= ?a ?b)))
  :effect (and (here ?b) (not (here ?a)) (increase (total-cost) (way ?a ?b))
   (forall (?c - cup) (when (at ?c ?a) (and (not (at ?c ?a)) (at ?c ?b))))))
 (:action wash :parameters (?t - (either cup plate) ?r - room)
  :precondition (and (here ?r) (at ?t ?r) (or (tidy ?r) (exists (?c - cup) (at ?c ?r))))
  :effect (washed ?t)))"""
PROBLEM = """(define (problem boxes-1) (:domain boxes)
 (:objects CUP-1 - cup plate-1 - plate hall kitchen - room)
 (:init (here hall) (at cup-1 hall) (at plate-1 kitchen) (= (way hall kitchen) 2.5)
  (= (way kitchen hall) 1) (= (total-cost) 0))
 (:goal (forall (?t - thing) (imply (at ?t kitchen) (washed ?t))))
 (:metric minimize (total-cost)))"""
GOOD = "(walk hall kitchen)\n(wash cup-1 kitchen)\n(wash PLATE-1 kitchen)\n; cost = 2.5\n"


def write_all(folder, files):
    """Write files by name."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def test_the_list_has_62_tasks_and_says_what_is_missing(tmp_path):
    listed = read_list(LISTED)
    assert sum(map(len, listed.values())) == 62
    assert len({group.split("/")[-1].split("-")[0] for group in listed}) >= 37
    with pytest.raises(FileNotFoundError, match="instance-1"):
        find_listed_tasks(tmp_path, LISTED)


@pytest.mark.parametrize(
    ("plan", "valid", "cost", "note"),
    [
        (GOOD, True, 2.5, ""),
        ("(walk hall kitchen)\n(wash plate-1 kitchen)\n", False, None, "goal"),
        ("(wash plate-1 kitchen)\n", False, None, "step 1 .* precondition"),
        ("(walk kitchen plate-1)\n", False, None, "plate-1 is no room"),
        ("(walk hall)\n", False, None, "takes 2 objects"),
        ("(fly hall kitchen)\n", False, None, "no such action"),
        ("(walk hall hall)\n", False, None, "precondition"),
        ("", False, None, "goal"),
    ],
)
def test_validation_by_the_definition_of_pddl(tmp_path, plan, valid, cost, note):
    write_all(tmp_path, {"domain.pddl": DOMAIN, "p01.pddl": PROBLEM, "plan": plan})
    found = validate_plan(tmp_path / "domain.pddl", tmp_path / "p01.pddl", tmp_path / "plan")
    assert (found.valid, found.cost) == (valid, cost)
    assert re.search(note, found.note)


def test_what_is_not_covered_is_no_verdict(tmp_path):
    domain = DOMAIN.replace("(increase (total-cost) (way ?a ?b))", "(decrease (total-cost) 1)")
    write_all(tmp_path, {"domain.pddl": domain, "p01.pddl": PROBLEM, "plan": GOOD})
    found = validate_plan(tmp_path / "domain.pddl", tmp_path / "p01.pddl", tmp_path / "plan")
    assert found.valid is None
    assert found.note.startswith("not checked")


def make_run(planner, task, seconds, **more):
    """A run that solved its task in this time; None for one that did not."""
    if seconds is None:
        return IpcRun(planner, task, "TIMEOUT", wall=more.get("wall", 20.0))
    return IpcRun(planner, task, "SOLVED", True, True, cpu=seconds, wall=seconds, **more)


def test_goals_and_scores():
    limits = Limits(20.0, 1_000)
    runs = {
        OURS: [make_run(OURS, "a", 0.5), make_run(OURS, "b", None, wall=20.7)],
        THEIRS: [make_run(THEIRS, "a", 0.1), make_run(THEIRS, "b", 4.0)],
    }
    met = {verdict.what: verdict.met for verdict in find_verdicts(runs, limits)}
    assert met == {
        "solved": False,
        "invalid plans": True,
        "largest overrun of the limit": False,
        "all that lama-first solves": False,
        "median time over lama-first's": False,
    }
    assert score_agile(runs[OURS][0], limits) == 1.0
    assert score_agile(runs[OURS][1], limits) == 0.0
    assert 0.0 < score_agile(runs[THEIRS][1], limits) < 1.0
    assert score_quality(make_run(OURS, "a", 1.0, cost=8.0), 6.0) == 0.75
    assert score_quality(make_run(OURS, "a", 1.0, cost=0.0), 0.0) == 1.0


def test_a_run_as_a_user_does_it(tmp_path):
    write_all(tmp_path, {"tasks/domain.pddl": DOMAIN, "tasks/p01.pddl": PROBLEM})
    command = [*RUN, str(tmp_path / "tasks"), "--all", "--no-rival"]
    done = subprocess.run(
        [*command, "--json", str(tmp_path / "figures.json")],
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1" in done.stdout
    (run,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["runs"]
    assert (run["solved"], run["valid"], run["steps"]) == (True, True, 3)
    assert run["cost"] == 2.5
    assert 0.0 < run["cpu"] < run["wall"] + 1.0 < 60.0
