# SPDX-License-Identifier: Apache-2.0
"""Budgets: what a plan may use, and what is left out of a goal where that isn't enough."""

from dataclasses import replace

import pytest

from fcp_ros.domain import parse_expression
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.result import Measure
from fcp_ros.planning.verification.verify import verify

BOTH = "on(mug_1, shelf) and on(book, shelf)"


def test_a_single_part_is_not_left_out(ask):
    result = ask("on(mug_1, shelf)", budgets={"battery": 3.0})
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert "No plan keeps within battery 3; battery 4 is enough" in result.message
    assert ask("on(mug_1, shelf)", budgets={"battery": 4.0}).plan.left_out == ()


@pytest.mark.parametrize(
    ("budgets", "left_out"),
    [
        ({"battery": 8.0}, 1),
        ({"steps": 3.0}, 1),
        ({"steps": 2.9}, None),
        ({"battery": 100.0, "steps": 4.0}, 1),
    ],
)
def test_parts_are_left_out_where_the_budget_is_not_enough(budgets, left_out, ask):
    result = ask(BOTH, budgets=budgets)
    if left_out is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert Measure.PARTS in result.optimal_in
    assert len(result.plan.left_out) == left_out
    assert [one.text for one in result.given_up] == list(result.plan.left_out)
    assert all(one.is_part and one.weight == 0.5 for one in result.given_up)


def test_a_budget_of_time_is_a_deadline(ask):
    free = ask("on(mug_1, shelf)")
    end = free.plan.end
    assert ask("on(mug_1, shelf)", budgets={"time": end}).plan is not None
    assert ask("on(mug_1, shelf)", budgets={"time": end - 0.5}).plan is None
    both = ask("on(mug_1, shelf)", budgets={"time": 1e6}, deadline=end - 0.5)
    assert both.plan is None  # the earlier one holds


def test_what_is_left_out_is_said(ask):
    result = ask(BOTH, budgets={"battery": 5.0})
    (text,) = result.plan.left_out
    assert f"Of the 2 parts of the goal 1 is left out: {text}." in result.message
    assert "no plan within battery 5 reaches more of the goal" in result.message


@pytest.mark.parametrize(
    "goal",
    [
        "prefer 0.3: on(mug_1, shelf) and prefer 0.3: on(book, shelf)",
        'as many as possible ?x: item (is_a(?x, "mug") and on(?x, shelf))',
    ],
)
def test_a_goal_that_prefers_is_taken_at_its_word(goal, ask):
    result = ask(goal, budgets={"battery": 5.0}, alpha=0.0)
    assert result.plan is not None
    assert result.plan.left_out == ()
    assert not any(one.is_part for one in result.given_up)


def test_restrictions_are_not_left_out(ask):
    kept = ask("never at(bot, hall) and on(mug_1, shelf)", budgets={"battery": 50.0})
    assert kept.status is PlanStatus.UNSOLVABLE_PROVEN
    chain = "first at(bot, hall) then at(bot, kitchen) and on(mug_1, shelf)"
    few = ask(chain, budgets={"battery": 4.0})
    assert few.plan.left_out == ("first at(bot, hall) then at(bot, kitchen)",)


def test_parts_that_share_a_variable_are_left_out_together(ask):
    goal = 'on(?x, shelf) and serves_as(?x, "drinking") and inside(milk, crate) and on(book, tv)'
    degrees = {f'serves_as({name}, "drinking")': 0.1 for name in ("book", "milk")}
    result = ask(goal, degrees, budgets={"battery": 1.0})
    assert result.plan.left_out == ("on(book, tv)",)


def test_graded_parts_count_where_they_are_kept(ask):
    goal = 'serves_as(mug_1, "drinking") and on(mug_1, shelf) and on(book, shelf)'
    result = ask(goal, {"serves_as(mug_1, drinking)": 0.6}, budgets={"steps": 3.0})
    assert len(result.plan.left_out) == 1
    assert result.plan.membership == pytest.approx(0.6)
    low = ask(goal, {"serves_as(mug_1, drinking)": 0.3}, budgets={"steps": 3.0})
    assert 'serves_as(mug_1, "drinking")' in low.plan.left_out
    assert low.plan.membership == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("budgets", "words"),
    [
        ({"batery": 5.0}, "There is no budget of 'batery': did you mean battery?"),
        ({"money": 5.0}, "what can be budgeted: battery, cost, time, steps"),
    ],
)
def test_bad_budgets_are_refused(budgets, words, ask):
    result = ask(BOTH, budgets=budgets)
    assert result.status is PlanStatus.INVALID_REQUEST
    assert words in result.message


class TestTheVerifier:
    @pytest.fixture
    def check(self, house, home, degrees):
        goal = parse_expression(BOTH)
        return lambda plan, **more: (
            verify(house, home, plan, goal, degrees(), alpha=0.5, **more).problems
        )

    def test_accepts_what_the_planner_says(self, ask, check):
        assert check(ask(BOTH, budgets={"battery": 5.0}).plan) == ()

    @pytest.mark.parametrize(
        "budgets", [{"battery": 3.9}, {"steps": 3.0}, {"cost": 2.5}, {"time": 1.0}]
    )
    def test_refuses_a_plan_beyond_a_budget(self, budgets, ask, check):
        plan = ask(BOTH, budgets={"battery": 5.0}).plan
        assert len(plan.steps) >= 3
        (problem,) = check(plan, budgets={name: min(a, 2.5) for name, a in budgets.items()})
        (name,) = budgets
        assert problem.startswith(f"it uses {name} ")

    def test_refuses_omissions_without_need_or_name(self, ask, check):
        plan = ask(BOTH, budgets={"battery": 5.0}).plan
        assert any("has no budget" in one for one in check(replace(plan, budgets={})))
        other = replace(plan, left_out=("on(milk, shelf)",))
        assert any("no part of the goal that may be" in one for one in check(other))
        everything = replace(plan, left_out=("on(mug_1, shelf)", "on(book, shelf)"))
        assert any("leaves out all parts" in one for one in check(everything))

    def test_refuses_a_goal_that_is_not_reached(self, ask, check):
        plan = ask(BOTH, budgets={"battery": 5.0}).plan
        assert any("the goal's degree is 0" in one for one in check(replace(plan, left_out=())))
