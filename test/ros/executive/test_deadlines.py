# SPDX-License-Identifier: Apache-2.0
"""A deadline that can't be kept is told at that moment, in feedback, state and result."""

from __future__ import annotations

import pytest

from fcp_ros.client import GoalState, plan_request
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.nodes.conversions.common import duration_from_ros, duration_to_ros
from fcp_ros.nodes.executive.parameters import GoalError, PlanError

REACHED = "on(mug_1, counter_1)"


@pytest.fixture
def slow_robot(here):
    """Its steps take four times as long as expected."""
    here.set("simulated_executor", time_scale=0.25)
    yield here
    here.set("simulated_executor", time_scale=100.0)


def test_a_deadline_is_given_up_in_the_step_that_takes_too_long(slow_robot, to_and_fro):
    plan = to_and_fro(0.4)
    plan.deadline = duration_to_ros(1.4)  # twice 0.4 s would do
    goal = slow_robot.send_execute(plan)
    state = slow_robot.states.wait(lambda one: one.late)
    assert not slow_robot.outcomes.messages, "the first step has not ended"
    assert state.step_index == 0
    assert "1.4 s can't be kept" in state.late
    slow_robot.until(lambda: goal.feedback and goal.feedback.late, "feedback")
    end, answer = slow_robot.end_of(goal)
    assert end is GoalState.SUCCEEDED, answer.error_msg
    assert "1.4 s were allowed" in answer.late


def test_the_deadline_of_a_request_reaches_the_executive(here):
    """By the plan; the executive counts from the first step of the goal."""
    planned = here.client.plan("on(mug_1, counter_1)", alpha=0.5, deadline=3000.0)
    assert duration_from_ros(planned.plan.deadline) == 3000.0
    free = here.client.plan("on(mug_1, counter_1)", alpha=0.5)
    assert duration_from_ros(free.plan.deadline) == 0.0


def test_a_plan_that_comes_too_late_is_stopped_after_the_present_step(
    slow_robot, to_and_fro, plan_of
):
    plan = to_and_fro(0.4)
    plan.deadline = duration_to_ros(1.4)
    end, answer = slow_robot.end_of(slow_robot.send_execute(plan, when_late="stop"))
    assert (end, answer.error_code) == (GoalState.ABORTED, PlanError.TOO_LATE)
    assert "1.4 s can't be kept any more" in answer.error_msg
    assert answer.steps_done == 1
    assert slow_robot.codes(1) == [OutcomeCode.SUCCEEDED], "no step was stopped half-way"
    slow_robot.set("executive", when_late="replan")  # there is no goal to plan for: it goes on
    plan = plan_of("navigate robot_1 living_room_1 kitchen_1 door_1", duration=0.1)
    plan.deadline = duration_to_ros(0.001)
    end, answer = slow_robot.end_of(slow_robot.send_execute(plan))
    slow_robot.set("executive", when_late="go_on")
    assert end is GoalState.SUCCEEDED, answer.error_msg


@pytest.fixture
def late_goal(here):
    """Sends a goal that stands before its first step until its deadline can't be kept."""

    def send(when_late: str):
        here.client.goals.pause()
        free = here.client.plan(REACHED, alpha=0.5).plan
        deadline = duration_from_ros(free.makespan) + 0.5
        request = plan_request(REACHED, alpha=0.5, deadline=deadline)
        return here.client.send_achieve(request, when_late=when_late)

    yield send
    here.client.goals.stop(here.client.goals.fetch().goals)
    here.client.goals.resume()


def test_a_goal_that_comes_too_late_ends_as_it_says(here, late_goal):
    end, answer = here.end_of(late_goal("stop"))
    assert (end, answer.error_code) == (GoalState.ABORTED, GoalError.TOO_LATE)
    assert "can't be kept any more" in answer.error_msg
    assert answer.replans == 0
    assert not here.outcomes.messages


def test_a_goal_that_comes_too_late_is_planned_for_the_time_left(here, late_goal):
    end, answer = here.end_of(late_goal("replan"))
    assert (end, answer.error_code) == (GoalState.ABORTED, GoalError.TOO_LATE)
    assert answer.error_msg.startswith("No plan was found for the time that is left: ")
    assert answer.replans == 1
