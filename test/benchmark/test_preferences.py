# SPDX-License-Identifier: Apache-2.0
"""The benchmark with preferences: metrics, goals, houses with wishes, and a run."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from benchmark.ipc.tasks import IpcTask
from benchmark.planning.household import household
from benchmark.planning.settings import HOUSEHOLD_DOMAIN
from benchmark.planning.vague import CountingSource
from benchmark.preferences.part_household import (
    least_loss,
    make_wishes,
    state_of,
    with_battery,
    write_goal,
)
from benchmark.preferences.part_pddl3 import (
    BEST,
    find_best,
    find_verdicts,
    read_best,
)
from benchmark.preferences.planners import KAIROS, OURS, PreferenceRun, with_metric
from fcp_ros.domain import load_domain, parse_domain, parse_expression
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan

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


@pytest.mark.parametrize("number", [4, 10])
def test_half_of_the_wishes_conflict(number):
    house = household(30, 12, 1)
    wishes = make_wishes(house, number)
    items = [wish.item for wish in wishes]
    twice = [wish for wish in wishes if items.count(wish.item) == 2]
    assert len(wishes) == number
    assert len(twice) == number // 4 * 2
    assert sum(wish.weight for wish in wishes) == pytest.approx(0.99, abs=0.001)
    assert all(wish.place.name != house.item[wish.item].place for wish in wishes)
    lighter = {wish.item: wish.weight for wish in sorted(twice, key=lambda wish: -wish.weight)}
    assert least_loss(wishes) == pytest.approx(sum(lighter.values()))


def test_no_plan_for_wishes_is_better_than_the_least_loss():
    house = household(4, 5, 1)
    wishes = make_wishes(house, 3)
    wishes = (*wishes, replace(wishes[0], place=house.receptacles[0], weight=0.1))
    domain = load_domain(HOUSEHOLD_DOMAIN)
    goal = parse_expression(write_goal(house, wishes))
    options = PlanningOptions(alpha=0.0, time_limit=600.0, improve_time=600.0)
    found = plan(PlanningRequest(domain, state_of(house, domain), goal, options, CountingSource()))
    assert found.plan is not None
    assert found.best_membership <= 1.0 - least_loss(wishes) + 1e-9


def test_a_budget_of_battery_limits_the_parts_that_are_reached():
    house = household(4, 5, 2)
    domain = parse_domain(with_battery(HOUSEHOLD_DOMAIN.read_text(encoding="utf-8"), 50.0))
    goal = parse_expression(house.goal_text())
    left_out = []
    for amount in (10.0, 50.0):
        options = PlanningOptions(
            alpha=0.0, time_limit=600.0, improve_time=600.0, budgets={"battery": amount}
        )
        found = plan(
            PlanningRequest(domain, state_of(house, domain), goal, options, CountingSource())
        )
        assert found.plan is not None
        assert found.plan.resources_after["battery"] == 50.0 - len(found.plan.steps)
        left_out.append(len(found.plan.left_out))
    assert left_out == [1, 0]


def test_a_run_as_a_user_does_it(lamps, tmp_path):
    command = [*RUN, "pddl3", "--no-rivals", "--limit", "5"]
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
