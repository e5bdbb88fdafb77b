# SPDX-License-Identifier: Apache-2.0
"""Plans that only their length keeps below alpha are proposed, where somebody can be asked."""

from dataclasses import replace

import pytest
from small_house import DOMAIN, Words, build

from fcp_ros.domain import parse_domain
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus
from fcp_ros.planning.model.result import RelaxationOutcome
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.question import confirm_result

ITEMS = {f"cup_{number}": ("cup", "cup") for number in range(1, 5)}
PLACES = ["table_1"] * len(ITEMS)
PATIENT = PlanningOptions(alpha=0.7, time_limit=300.0, improve_time=300.0)
"""However busy the machine is."""
ASKING = replace(PATIENT, confirm_below=0.8)
ALL = " and ".join(f"on({item}, shelf_1)" for item in ITEMS)
FIVE = "at least 5 ?cup: cup (on(?cup, shelf_1))"


def solve(goal, options, degrees=None):
    domain = parse_domain(DOMAIN)
    words = Words({**{(item,): 0.9 for item in ITEMS}, **(degrees or {})})
    return plan_goal(PlanningRequest(domain, build(domain, PLACES, ITEMS), goal, options, words))


@pytest.mark.parametrize(("goal", "relaxed"), [(ALL, []), (FIVE, ["fewer"])])
def test_a_long_plan_of_good_steps_is_asked_about(goal, relaxed):
    result = solve(goal, ASKING)
    assert result.status is PlanStatus.NEEDS_CLARIFICATION, result.message
    assert [one.kind for one in result.relaxations] == relaxed
    taken = [dict(step.arguments)["item"] for step in result.plan.steps if step.rule == "place"]
    assert sorted(taken) == sorted(ITEMS)
    assert result.plan.membership < 0.7
    assert "each good to 0.90 or more" in result.message
    assert "alpha is 0.7" in result.message
    assert result.confirmation.endswith("?")
    assert confirm_result(result, PlanningOptions()).status.solved


def test_without_anybody_to_ask_alpha_decides():
    result = solve(FIVE, PATIENT)
    assert result.plan is None or result.plan.membership >= 0.7


def test_what_is_below_alpha_by_itself_is_left_out():
    result = solve(ALL, ASKING, {("cup_1",): 0.45})
    assert [one.kind for one in result.relaxations] == ["drop"]
    taken = [dict(step.arguments)["item"] for step in result.plan.steps if step.rule == "place"]
    assert sorted(taken) == sorted(set(ITEMS) - {"cup_1"})


def test_what_is_poor_is_named():
    result = solve("on(cup_1, shelf_1)", PATIENT, {("cup_1",): 0.45})
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert "cup_1 is grasp only to 0.45" in result.message


def test_all_requirements_that_are_poor_alone_are_relaxed_together():
    poor = {("cup_1",): 0.4, ("cup_3",): 0.4}
    result = solve(ALL, replace(ASKING, alpha=0.6), poor)
    assert [one.kind for one in result.relaxations] == ["drop", "drop"]
    assert all("only to 0.40" in one.reason for one in result.relaxations)
    tried = [one for one in result.explored if one.outcome is not RelaxationOutcome.IMPLIED]
    assert all(len(one.changes) >= 2 for one in tried[1:]), "none is tried with one of them left"
