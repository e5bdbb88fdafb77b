# SPDX-License-Identifier: Apache-2.0
"""The policies of the benchmark that are written by hand, on small and large problems."""

from dataclasses import replace

import pytest

from benchmark.abstraction.draws import DOMAINS
from benchmark.abstraction.household import POLICY_FILE
from benchmark.abstraction.houses import draw_house, read_house_domain
from benchmark.abstraction.large import DRAWERS, write_problem
from benchmark.abstraction.speed import POLICIES, LamaTimes, PolicyTimes, judge_runs, measure_policy
from fcp_ros.abstraction.policy.policy_file import parse_policy, read_policy
from fcp_ros.abstraction.policy.runner import plan_with_policies
from fcp_ros.planning import PlanningOptions, PlanningRequest


@pytest.mark.parametrize("domain", DRAWERS)
def test_large_problems_are_solved_and_the_plans_verified(shared_dir, tmp_path, domain):
    folder = shared_dir / "bench/genplan" / domain
    problem = tmp_path / "problem.pddl"
    problem.write_text(write_problem(domain, 7))
    assert write_problem(domain, 7) == write_problem(domain, 7) != write_problem(domain, 8)
    policy = read_policy(POLICIES / f"{domain}.yaml")
    ours = measure_policy((folder / "domain.pddl", problem), policy)
    assert ours.steps > 10
    assert 0.0 < ours.running < ours.reading


@pytest.mark.parametrize("things", [8, 12, 30, 120, 700])
def test_every_dirty_cup_goes_into_the_dishwasher(things):
    domain, policy = read_house_domain(), read_policy(POLICY_FILE)
    for seed in range(3):
        house = draw_house(domain, things, seed)
        result = plan_with_policies(
            [policy],
            PlanningRequest(domain, house.instance, house.goal, PlanningOptions(time_limit=60.0)),
        )
        assert result.policy == policy.name, result.policy_notes
        assert result.verification.ok


def test_a_planner_that_finds_no_plan_is_no_comparison():
    ours = PolicyTimes(10, 1e-3, 2e-3, 1e-3)
    lost = LamaTimes(0, float("nan"), float("nan"), "not installed")
    rows = {row.what: row for row in judge_runs("ferry", [(ours, lost)])}
    judged = "ferry: beside the whole planner"
    assert rows[judged].met is None
    assert rows[judged].value == "no comparison"
    late = replace(lost, searching=float("inf"), whole=float("inf"), note="time out 300 s")
    rows = {row.what: row for row in judge_runs("ferry", [(ours, late)])}
    assert rows[judged].met is True
    fast = LamaTimes(12, 0.05, 0.09)
    rows = {row.what: row for row in judge_runs("ferry", [(ours, fast)])}
    assert rows[judged].met is False
    assert rows[judged].value == "90 times faster"
    assert rows["ferry: alone"].value == "50 times faster"
    assert rows["ferry: with reading"].value == "45 times faster"


SNACK = """
format: fcp_ros general policy
version: 1
name: snack
domain: {name: childsnack, hash: ""}
goals: [served]
features:
  left: "count(and(goal.served, not(served)))"
initial: [left > 0]
goal: [left = 0]
actions:
  serve:
    when: [left > 0]
    effects: [left decreases]
    programs: ["make-sandwich(); put-on-tray(); move-tray(); serve()"]
policy:
  - {when: [left > 0], do: [serve]}
"""


def test_plans_of_actions_that_name_constants_are_verified(tmp_path):
    """The kitchen is an element of a rule, and no parameter of the action (issue 28)."""
    drawn = DOMAINS["childsnack"]
    problem = tmp_path / "problem.pddl"
    problem.write_text(drawn.write_problem(1, 0))
    ours = measure_policy((drawn.file, problem), parse_policy(SNACK), repeats=1)
    assert ours.steps == 4
