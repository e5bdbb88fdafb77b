# SPDX-License-Identifier: Apache-2.0
"""A deadline that can't be kept is told at that moment, in feedback, state and result."""

from __future__ import annotations

import pytest

from fcp_ros.client import GoalState
from fcp_ros.nodes.conversions.common import duration_from_ros, duration_to_ros


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


def test_a_deadline_that_is_kept_is_not_mentioned(here, to_and_fro):
    plan = to_and_fro(1.0)
    plan.deadline = duration_to_ros(1000.0)
    state, answer = here.execute(plan)
    assert state is GoalState.SUCCEEDED
    assert not answer.late
    assert not any(one.late for one in here.states.messages)


def test_the_deadline_of_a_request_reaches_the_executive(here):
    """By the plan; the executive counts from the first step of the goal."""
    planned = here.client.plan("on(mug_1, counter_1)", alpha=0.5, deadline=3000.0)
    assert duration_from_ros(planned.plan.deadline) == 3000.0
    free = here.client.plan("on(mug_1, counter_1)", alpha=0.5)
    assert duration_from_ros(free.plan.deadline) == 0.0
