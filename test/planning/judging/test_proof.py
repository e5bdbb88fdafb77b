# SPDX-License-Identifier: Apache-2.0
"""That no plan is better is shown by asking, not by looking for one."""

import pytest

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions, PlanStatus, Switches, plan
from fcp_ros.planning.compile.goal_grounding import ground_goal
from fcp_ros.planning.judging.proof import none_is_better
from fcp_ros.planning.judging.unavoidable import UnavoidableLoss
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.watch import Watch

GOAL = 'on(?x, shelf) and serves_as(?x, "drinking")'
POOR = {f"serves_as({item}, drinking)": 0.3 for item in ("mug_2", "book", "milk")}


@pytest.fixture
def shown(house, home, degrees):
    """Whether it can be shown that no plan has less loss, and who was asked: (loss, degrees)."""

    def run(loss, given):
        goal = check_goal(parse_expression(GOAL), house, home, GOAL)
        watch = Watch(PlanningOptions())
        formula = ground_goal(goal, infer_types(goal, house), house, home, watch)
        source = degrees(given)
        judge = Judge(house, home, source)

        def bounds():
            return UnavoidableLoss(house, home, judge.known, TNORMS["lukasiewicz"])

        return none_is_better(formula, loss, bounds, judge, watch.check), source.asked

    return run


def test_every_alternative_that_costs_too_much_is_asked_about_until_it_does(shown):
    mug = {"serves_as(mug_1, drinking)": 0.9, "stable(shelf, mug_1)": 0.8}
    proven, asked = shown(0.3, {**POOR, **mug})
    assert proven
    assert set(asked) == {*POOR, *mug}, "and not how it can be grasped"


def test_an_alternative_that_may_be_better_is_not_explained_away(shown):
    proven, _ = shown(0.3, {**POOR, "serves_as(mug_1, drinking)": 0.8})
    assert not proven


def test_nothing_has_to_be_asked_of_a_perfect_plan(shown):
    assert shown(0.0, POOR) == (True, [])


def test_what_is_shown_needs_no_wider_task(house, state, degrees):
    """Most of the house is never looked at, and the answer is that of looking at all of it."""
    elements = {"hall": "room", "bot": "robot", "shelf": "support"}
    facts = ["at(bot, hall)", "in_room(shelf, hall)"]
    for i in range(30):
        elements |= {f"table_{i}": "support", f"mug_{i}": "cup"}
        facts += [f"in_room(table_{i}, hall)", f"on(mug_{i}, table_{i})"]
    instance = state(house, elements, facts)
    given = {f"serves_as(mug_{i}, drinking)": 0.5 + 0.01 * i for i in range(30)}
    goal = check_goal(parse_expression(GOAL), house, instance, GOAL)
    answers = []
    for relevance in (True, False):
        options = PlanningOptions(explain=True, switches=Switches(relevance=relevance))
        answers.append(plan(house, instance, goal, options, degrees(given)))
    narrow, everything = answers
    for result in answers:
        assert result.status is PlanStatus.SOLVED_OPTIMALLY
        assert result.plan.binding == (("x", "mug_29"),)
    assert everything.explanation.operators > 1000
    assert narrow.explanation.operators < 300
