# SPDX-License-Identifier: Apache-2.0
"""The benchmark with preferences: metrics, goals, and a run."""

import json
import subprocess
import sys

import pytest

from benchmark.ipc.tasks import IpcTask
from benchmark.preferences.part_pddl3 import (
    BEST,
    find_best,
    find_verdicts,
    read_best,
)
from benchmark.preferences.planners import KAIROS, OURS, PreferenceRun, with_metric

RUN = (sys.executable, "-m", "benchmark.preferences")
DOMAIN = """(define (domain lamps) (:requirements :adl :preferences)
 (:types lamp) (:predicates (lit ?l - lamp) (spare))
 (:action light :parameters (?l - lamp) :precondition (spare)
  :effect (and (lit ?l) (not (spare)))))"""
PROBLEM = """(define (problem lamps-1) (:domain lamps) (:objects a b - lamp) (:init (spare))
 (:goal (and (preference first (lit a)) (preference second (lit b))))
 (:metric minimize (+ (* 2 (is-violated first)) (* 3.5 (is-violated second)))))"""


@pytest.fixture
def lamps(tmp_path):
    """A task in which one of two lamps can be lit: the best metric is 2."""
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "p1.pddl").write_text(PROBLEM, encoding="utf-8")
    return IpcTask("lamps 1", tmp_path / "domain.pddl", tmp_path / "p1.pddl", "lamps")


@pytest.mark.parametrize(
    ("said", "claimed", "expected"),
    [
        ("Plan valid\nFinal value: 2 \n", 2.0, (2.0, True, "solved", "")),
        ("Plan valid\nFinal value: 2 \n", 3.5, (2.0, True, "solved", "claims 3.5")),
        ("Plan failed to execute", 2.0, (None, False, "INVALID", "VAL refuses it")),
        ("Goal not satisfied", 2.0, (None, False, "INVALID", "VAL refuses it")),
        ("Segmentation fault", 2.0, (2.0, False, "solved", "VAL gave no verdict")),
    ],
)
def test_the_metric_is_that_of_val(lamps, tmp_path, said, claimed, expected):
    val = tmp_path / "val"
    val.write_text(f"#!{sys.executable}\nprint({said!r})\n", encoding="utf-8")
    val.chmod(0o755)
    run = PreferenceRun(OURS, lamps.name, "solved", proven=True)
    found = with_metric(run, lamps, "(light b)\n", claimed, val)
    assert (found.metric, found.by_val, found.status, found.note) == expected
    assert found.steps == 1
    assert with_metric(run, lamps, "(light b)\n", claimed, None).metric == claimed


def make_runs(ours, theirs, proven=()):
    """Runs of two planners with these metrics, task by task."""
    return {
        name: {
            OURS: PreferenceRun(OURS, name, metric=ours[name], proven=name in proven),
            KAIROS: PreferenceRun(KAIROS, name, metric=theirs[name]),
        }
        for name in ours
    }


def test_goals_compare_task_by_task():
    runs = make_runs({"a": 1.0, "b": 2.0, "c": None}, {"a": 1.0, "b": 3.0, "c": None}, {"b"})
    best = find_best(runs, {"a": 0.9, "other": 0.0})
    assert best == {"a": 0.9, "b": 2.0, "c": float("inf")}
    met = {verdict.what: verdict.met for verdict in find_verdicts(runs, best)}
    assert met == {
        "at least as good as the others": True,
        "better than the others": True,
        "proven optimal": True,
        "a valid plan": False,
        "metric within 5% of the best known": False,
        "invalid plans": True,
        "proofs refuted": True,
    }
    worse = make_runs({"a": 1.0, "b": 2.0, "c": None}, {"a": 1.0, "b": 1.9, "c": 7.0}, {"b"})
    met = {verdict.what: verdict.met for verdict in find_verdicts(worse, find_best(worse, {}))}
    assert not met["at least as good as the others"]
    assert not met["better than the others"]
    assert not met["proofs refuted"]


def test_the_best_known_metrics_are_of_tasks_that_are_there(shared_dir):
    folder = shared_dir / "bench" / "pddl3"
    for name, metric in read_best(BEST).items():
        group, number = name.rsplit(" ", 1)
        assert (folder / group / "instances" / f"instance-{number}.pddl").is_file()
        assert metric >= 0.0


def test_a_run_as_a_user_does_it(lamps, tmp_path):
    command = [*RUN, "--no-rivals", "--limit", "5"]
    done = subprocess.run(
        [*command, "--tasks", str(lamps.domain.parent), "--json", str(tmp_path / "figures.json")],
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["runs"]
    assert (run["metric"], run["proven"], run["by_val"]) == (2.0, True, False)
    assert 0.0 <= run["first"] <= run["best"] <= 5.0
