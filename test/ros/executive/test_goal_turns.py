# SPDX-License-Identifier: Apache-2.0
"""Goals that come while another is at work, with live nodes: they wait, preempt or are refused."""

from __future__ import annotations

import pytest
from lifecycle_msgs.msg import Transition

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.client import GoalState
from fcp_ros.execution.goal_queue import HIGHEST_PRIORITY, LOWEST_PRIORITY, WhenBusy
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ExecutionState, ExecutiveGoal
from fcp_ros.nodes.executive.parameters import GoalError, PlanError, WhenLate
from fcp_ros.nodes.runtime.request_checks import RANGES

WAITS = "at(robot_1, living_room_1)"


def test_policies_and_priorities_are_those_of_the_actions():
    for action in (AchieveGoal, ExecutePlan):
        for policy in (*WhenBusy, *WhenLate):
            number = getattr(action.Goal, policy.name, policy.value)
            assert number == policy.value
        limits = RANGES[f"{action.__name__}_Goal"]
        assert (limits["priority"].low, limits["priority"].high) == (
            LOWEST_PRIORITY,
            HIGHEST_PRIORITY,
        )
    assert hasattr(AchieveGoal.Goal, "REPLAN")
    assert not hasattr(ExecutePlan.Goal, "REPLAN")


@pytest.fixture
def at_work(here, to_and_fro, slow):
    """All nodes, and a goal whose first step is being done for a thousand seconds."""
    first = here.send_execute(to_and_fro(slow))
    here.until(here.performing, "the first step")
    yield here, first
    here.client.goals.stop(here.client.goals.fetch().goals)
    here.until(lambda: not here.client.goals.fetch().goals, "the end of all goals")


def await_goals(here, count):
    """The list of goals, once there are so many."""
    return here.until(
        lambda: (listed := here.client.goals.fetch()) and len(listed.goals) == count and listed,
        f"{count} goals",
    ).goals


def test_a_second_goal_waits_and_says_so(at_work, to_and_fro):
    here, first = at_work
    second = here.send_achieve(WAITS)
    here.until(lambda: second.feedback is not None, "feedback")
    assert second.feedback.phase == AchieveGoal.Feedback.WAITING
    assert "Waits for the goal at work" in second.feedback.message
    here.states.wait(lambda m: m.state == ExecutionState.EXECUTING and m.waiting == 1)
    assert here.executive.diagnose().values["waiting_goals"] == 1
    listed = await_goals(here, 2)
    assert [goal.status for goal in listed] == [ExecutiveGoal.EXECUTING, ExecutiveGoal.WAITING]
    assert [goal.action for goal in listed] == ["execute_task_plan", "achieve_goal"]
    assert listed[1].text == WAITS
    assert all(goal.since.sec > 0 for goal in listed)
    first.cancel()
    assert here.end_of(first)[0] is GoalState.CANCELED
    state, result = here.end_of(second)
    assert state is GoalState.SUCCEEDED, result.error_msg


def test_a_goal_that_is_not_to_wait_is_told_that_the_executive_is_busy(at_work, to_and_fro):
    here, first = at_work
    state, result = here.end_of(here.send_execute(to_and_fro(), when_busy="reject"))
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.BUSY)
    assert "Another goal is at work" in result.error_msg
    here.set("executive", when_busy="reject")
    state, result = here.achieve(WAITS)
    here.set("executive", when_busy="queue")
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.BUSY)
    assert not first.poll().done


def test_a_goal_preempts_another_which_ends_with_a_status_of_its_own(at_work):
    here, first = at_work
    low = here.end_of(here.send_achieve(WAITS, when_busy="reject", priority=-1))
    assert low[1].error_code == GoalError.BUSY
    second = here.send_achieve(WAITS, when_busy="preempt", priority=1)
    state, result = here.end_of(first)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.PREEMPTED)
    assert result.error_msg == (
        "Preempted by a goal of priority 1 that came later. Cancelled after 0 of 2 steps."
    )
    assert here.codes(1)[0] is OutcomeCode.CANCELLED
    state, result = here.end_of(second)
    assert state is GoalState.SUCCEEDED, result.error_msg


def test_goals_are_stopped_by_anybody_who_lists_them(at_work, to_and_fro):
    here, first = at_work
    second = here.send_achieve(WAITS)
    stopped = here.client.goals.stop(await_goals(here, 2))
    assert len(stopped) == 2
    assert here.end_of(first)[0] is GoalState.CANCELED
    state, result = here.end_of(second)
    assert (state, result.error_code) == (GoalState.CANCELED, GoalError.CANCELLED)
    assert result.error_msg == "Cancelled before its turn came."
    assert here.codes(1) == [OutcomeCode.CANCELLED], "nothing else was begun"


MANY, ROOM = 60, 40


def test_many_goals_wait_without_work_for_the_executor_and_all_end(at_work):
    """rclpy resumes each coroutine at each event: with a thousand that wait, nothing else goes."""
    here, first = at_work
    here.set("executive", most_waiting=ROOM)
    goals = [here.send_achieve(WAITS) for _ in range(MANY)]
    here.until(lambda: sum(goal.poll().done for goal in goals) == MANY - ROOM, "refusals", 120.0)
    here.set("executive", most_waiting=20)
    refused = {goal.result(1.0).error_msg for goal in goals if goal.poll().done}
    assert refused == {f"{ROOM} goals wait already, which is the limit: send it later."}
    await_goals(here, 1 + ROOM)
    here.until(lambda: len(here.executive.executor._tasks) < 10, "no coroutine for each of them")
    assert not first.poll().done
    here.transit("executive", Transition.TRANSITION_DEACTIVATE)
    here.until(lambda: all(goal.poll().done for goal in goals), "the end of all", 120.0)
    here.transit("executive", Transition.TRANSITION_ACTIVATE)
    codes = [goal.result(1.0).error_code for goal in goals]
    assert codes.count(GoalError.NODE_INACTIVE) == ROOM
    assert codes.count(GoalError.BUSY) == MANY - ROOM


def test_deactivating_ends_all_goals_with_a_status(at_work):
    here, first = at_work
    second = here.send_achieve(WAITS)
    await_goals(here, 2)
    here.transit("executive", Transition.TRANSITION_DEACTIVATE)
    state, result = here.end_of(second)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.NODE_INACTIVE)
    assert result.error_msg == "The node was deactivated. Its turn had not come."
    assert here.end_of(first)[1].error_code == PlanError.NODE_INACTIVE
    here.transit("executive", Transition.TRANSITION_ACTIVATE)


def test_a_contradiction_is_said_before_the_goal_begins(at_work):
    here, _ = at_work
    wanted = here.send_achieve(WAITS, priority=5)
    await_goals(here, 2)
    against = here.send_achieve(f"not {WAITS} and on(mug_1, table_1)")
    here.until(lambda: against.feedback is not None, "feedback")
    assert f"It rules out {WAITS}, against the goal '{WAITS}'" in against.feedback.message
    notes = [goal.note for goal in await_goals(here, 3)]
    assert [bool(note) for note in notes] == [True, False, True]  # of the first: its step
    assert not wanted.poll().done
