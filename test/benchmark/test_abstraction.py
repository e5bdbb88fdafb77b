# SPDX-License-Identifier: Apache-2.0
"""The policies of the benchmark that are written by hand, on small and large problems."""

from pathlib import Path

import pytest

from benchmark.abstraction.houses import POLICY_FILE, draw_house, read_house_domain
from benchmark.abstraction.large import DRAWERS, write_problem
from benchmark.abstraction.policy_runs import POLICIES, measure_policy
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


KITCHEN = Path(__file__).parents[1] / "data" / "pddl"
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


def test_plans_of_actions_that_name_constants_are_verified():
    """The kitchen is an element of a rule, and no parameter of the action (issue 28)."""
    files = KITCHEN / "childsnack.pddl", KITCHEN / "childsnack-1.pddl"
    ours = measure_policy(files, parse_policy(SNACK), repeats=1)
    assert ours.steps == 4
