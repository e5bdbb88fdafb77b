# SPDX-License-Identifier: Apache-2.0
"""What was settled about a wish holds for later plans, too."""

import math

import pytest

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.msg import Interpretation, PlanRequest, PlanResult, Question, Reading, Relaxation
from fcp_ros.nodes.conversions.planning import request_from_ros
from fcp_ros.nodes.executive.standing_wish import StandingWish
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.model.result import PlanStatus


def read_as(goal):
    """A result whose instruction was read."""
    reading = Interpretation(status=Interpretation.READ, readings=[Reading(goal=goal)])
    return PlanResult(interpretation=reading)


@pytest.mark.parametrize("given", [math.nan, 0.0, 0.3])
def test_the_words_go_with_the_goal_that_they_were_read_as(given):
    wish = StandingWish(PlanRequest(instruction="bring me a teacup", confirm_below=given))
    wish.note_reading(read_as("holding(robot_1, mug_1)"))
    request = wish.request
    assert request.goal == "holding(robot_1, mug_1)"
    assert request.instruction == "bring me a teacup"
    parameter = PlanningOptions(confirm_below=0.6)
    asked = request_from_ros(request, parameter)[1].confirm_below
    assert asked == pytest.approx(given if given == 0.3 else 0.6)


def test_a_goal_that_nobody_said_in_words_keeps_what_was_asked():
    wish = StandingWish(PlanRequest(goal="holding(robot_1, mug_1)", confirm_below=0.0))
    wish.note_reading(PlanResult())
    assert wish.request.confirm_below == 0.0


def test_a_long_plan_is_asked_about_until_it_is_confirmed():
    wish = StandingWish(PlanRequest(goal="g"))
    result = PlanResult(question=Question(kind=Question.CONFIRMATION, text="Shall I?"))
    assert not wish.is_confirmed(result)
    wish.confirm(result)
    assert wish.is_confirmed(result)


def test_a_confirmed_plan_is_a_solution():
    wish = StandingWish(PlanRequest(goal="g"))
    result = PlanResult(
        relaxations=[Relaxation(kind="substitution", original="a", replacement="b", reason="Why.")],
        question=Question(kind=Question.CONFIRMATION, text="Shall I?"),
    )
    assert not wish.is_confirmed(result)
    wish.confirm(result)
    assert wish.is_confirmed(result)
    assert result.status.code == PlanStatus.SOLVED_SATISFICING.value
    assert result.status.message == "Why. Confirmed."
    assert result.question.kind == Question.NONE


def test_what_others_reach_is_kept_as_long_as_it_is_asked_for():
    wish = StandingWish(PlanRequest(goal="at(robot_1, hall) or at(robot_2, hall)"))
    wish.keep_too({Fact("open", ("fridge_1",)): False, Fact("on", ("mug_1", "table_1")): True})
    wanted = f"({wish.goal}) and not open(fridge_1) and on(mug_1, table_1)"
    assert parse_expression(wish.request.goal) == parse_expression(wanted)
    result = PlanResult()
    wish.note_reading(result)
    assert result.plan.goal == wish.goal, "it is not what was asked for"
    wish.keep_too({})
    assert wish.request.goal == "at(robot_1, hall) or at(robot_2, hall)"
