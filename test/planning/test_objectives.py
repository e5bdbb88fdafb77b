# SPDX-License-Identifier: Apache-2.0
"""What is optimised: membership, cost or duration; alpha, deadlines and windows."""

from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.domain.model import Window
from fcp_ros.fuzzy import AlphaPolicy
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.model.request import Optimise


def test_the_shortest_time_of_the_plans_that_reach_alpha(ask):
    given = {"serves_as(mug_1, drinking)": 0.7, "serves_as(mug_2, drinking)": 0.95}
    goal = 'on(?x, shelf) and is_a(?x, "mug") and serves_as(?x, "drinking")'
    best = ask(goal, given, alpha=0.6)
    assert best.plan.binding == (("x", "mug_2"),)  # it is there already
    goal = goal.replace("shelf", "table")
    for optimise in (Optimise.DURATION, Optimise.COST):
        quick = ask(goal, given, alpha=0.6, optimise=optimise)
        assert quick.status is PlanStatus.SOLVED_OPTIMALLY
        assert quick.plan.binding == (("x", "mug_1"),)
        good = ask(goal, given, alpha=0.9, optimise=optimise)
        assert good.plan.binding == (("x", "mug_2"),)
        none = ask(goal, given, alpha=0.97, optimise=optimise)
        assert none.status is PlanStatus.UNSOLVABLE_AT_ALPHA
        assert none.best_membership == pytest.approx(0.95)


def test_an_adaptive_alpha_allows_for_long_plans(ask):
    given = {"can_grasp(bot, mug_1)": 0.9, "stable(shelf, mug_1)": 0.9}
    fixed = AlphaPolicy(0.85, free_length=1, length_factor=0.9)
    adaptive = replace(fixed, adaptive=True)
    assert ask("on(mug_1, shelf)", given, policy=fixed).status is PlanStatus.UNSOLVABLE_AT_ALPHA
    for optimise in Optimise:
        result = ask("on(mug_1, shelf)", given, policy=adaptive, optimise=optimise)
        assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
        assert result.alpha == pytest.approx(0.85 * 0.9)
        assert "adaptive" in result.alpha_reason


def test_a_deadline_rules_out_plans_that_take_too_long(ask):
    assert ask("on(mug_1, shelf)", deadline=3.0).plan.schedule.makespan <= 3.0
    late = ask("on(mug_1, shelf)", deadline=2.5)
    assert late.status is PlanStatus.UNSOLVABLE_PROVEN


def test_two_robots_keep_a_deadline_side_by_side(house, state, degrees):
    """Each carries one thing; one after the other they would be too late."""
    elements = {"kitchen": "room", "hall": "room", "bot_1": "robot", "bot_2": "robot"}
    facts = ["at(bot_1, kitchen)", "at(bot_2, hall)"]
    for room in ("kitchen", "hall"):
        for name in ("table", "shelf"):
            elements[f"{room}_{name}"] = "support"
            facts.append(f"in_room({room}_{name}, {room})")
        elements[f"{room}_mug"] = "cup"
        facts.append(f"on({room}_mug, {room}_table)")
    instance = state(house, elements, facts)
    text = "on(kitchen_mug, kitchen_shelf) and on(hall_mug, hall_shelf)"
    goal = check_goal(parse_expression(text), house, instance, text)

    def run(deadline):
        return plan(
            PlanningRequest(house, instance, goal, PlanningOptions(deadline=deadline), degrees())
        )

    assert run(4.0).status is PlanStatus.SOLVED_OPTIMALLY
    together = run(2.0)
    assert together.status is PlanStatus.SOLVED_SATISFICING
    assert together.plan.schedule.makespan == pytest.approx(2.0)
    assert together.verification.ok
    assert run(1.5).status is PlanStatus.UNSOLVABLE_INCOMPLETELY


@pytest.mark.parametrize("optimise", list(Optimise))
def test_with_a_deadline_too_what_misses_alpha_is_told_from_what_can_not_be_done(ask, optimise):
    given = {"can_grasp(bot, mug_1)": 0.6}
    result = ask("on(mug_1, shelf)", given, alpha=0.9, deadline=60.0, optimise=optimise)
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert result.best_membership == pytest.approx(0.6)


def test_with_a_deadline_too_alpha_may_depend_on_the_plan(ask):
    given = {"can_grasp(bot, mug_1)": 0.9, "stable(shelf, mug_1)": 0.9}
    policy = AlphaPolicy(0.85, free_length=1, length_factor=0.9, adaptive=True)
    result = ask("on(mug_1, shelf)", given, policy=policy, deadline=60.0)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.alpha == pytest.approx(0.85 * 0.9)


def test_windows_that_two_robots_may_keep_side_by_side_prove_nothing(house, state, degrees):
    """One after the other the second step is too late; together they would be in time."""
    window = Window(closes=1.5)
    rules = {name: replace(rule, window=window) for name, rule in house.rules.items()}
    domain = replace(house, rules=rules)
    elements = {"kitchen": "room", "bot_1": "robot", "bot_2": "robot", "table": "support"}
    elements |= {"mug": "cup", "book": "item"}
    facts = ["at(bot_1, kitchen)", "at(bot_2, kitchen)", "in_room(table, kitchen)"]
    facts += ["on(mug, table)", "on(book, table)"]
    instance = state(domain, elements, facts)
    for text, expected in (
        ("not on(mug, table)", PlanStatus.SOLVED_OPTIMALLY),
        ("not on(mug, table) and not on(book, table)", PlanStatus.UNSOLVABLE_INCOMPLETELY),
    ):
        goal = check_goal(parse_expression(text), domain, instance, text)
        result = plan(PlanningRequest(domain, instance, goal, PlanningOptions(), degrees()))
        assert result.status is expected, result.message
