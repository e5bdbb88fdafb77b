# SPDX-License-Identifier: Apache-2.0
"""Several goals at work, with live nodes: side by side where they don't meet, else in turns."""

from __future__ import annotations

import pytest

from fcp_ros.client import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ExecutionState, ExecutiveGoal
from fcp_ros.nodes.executive.parameters import PlanError

GOES = "navigate robot_1 kitchen_1 living_room_1 door_1"
RETURNS = "navigate robot_1 living_room_1 kitchen_1 door_1"
SECOND_GOES = "at(robot_2, kitchen_1)"
EXECUTORS = ["navigate", "pick", "place", "open"]
BEHIND = "Some of its steps wait for those of the goal 'as the test wants it'."


@pytest.fixture(scope="module")
def fleet_site(make_sites, tmp_path_factory):
    """Simulated executors that serve two robots at once, and an executive for two goals."""
    sites = make_sites()
    yield sites.start(
        tmp_path_factory.mktemp("fleet"),
        nodes=("scene_graph", "task_planner", "simulated_executor", "executive"),
        simulated_executor={"executors": EXECUTORS, "steps_at_once": 2, "time_scale": 50.0},
        executive={"shared_executors": EXECUTORS, "executor_wait": 20.0, "goals_at_once": 2},
    )
    sites.stop()


@pytest.fixture
def at_work(fleet_site, add_second_robot, plan_of, slow):
    """Two robots, and a goal of the first one that takes as long as the test."""
    here = add_second_robot(fleet_site)
    first = here.send_execute(plan_of(GOES, RETURNS, duration=slow))
    here.until(lambda: "robot_1" in here.performing(), "the first robot at work")
    yield here, first
    here.client.goals.stop(here.client.goals.fetch().goals)
    here.until(lambda: not here.client.goals.fetch().goals, "the end of all goals")


def list_statuses(here):
    return [goal.status for goal in here.client.goals.fetch().goals]


def await_note(here, note):
    """Wait for the note of a goal, which may go on with who does what."""
    here.until(
        lambda: any(one.note.startswith(note) for one in here.client.goals.fetch().goals), note
    )


def test_a_goal_for_another_robot_is_reached_beside_the_one_at_work(at_work):
    here, first = at_work
    state, result = here.achieve(SECOND_GOES)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert not first.poll().done
    assert ("in_room", ("robot_2", "kitchen_1")) in here.relations() or here.codes(1)
    assert "robot_1" in here.performing(), "nobody has stopped it"
    executing = ExecutionState.EXECUTING  # said again after the end of the other
    here.until(lambda: here.states.messages[-1].state == executing, "what a late listener hears")
    first.cancel()
    assert here.end_of(first)[0] is GoalState.CANCELED


def test_two_goals_run_their_steps_at_the_same_time_and_both_are_cancelled(at_work, plan_of, slow):
    here, first = at_work
    second = here.send_execute(
        plan_of("navigate robot_2 living_room_1 kitchen_1 door_1", duration=slow)
    )
    here.until(lambda: here.performing().count("navigate(") == 2, "both robots on their way")
    assert list_statuses(here) == [ExecutiveGoal.EXECUTING, ExecutiveGoal.EXECUTING]
    for goal in (first, second):
        goal.cancel()
    for goal in (first, second):
        state, result = here.end_of(goal)
        assert (state, result.error_code) == (GoalState.CANCELED, PlanError.CANCELLED)
    assert here.codes(2) == [OutcomeCode.CANCELLED, OutcomeCode.CANCELLED]
    assert here.performing() == ""


def test_what_a_goal_does_with_the_same_robot_waits_and_the_rest_does_not(at_work, fleet_site):
    here, first = at_work
    second = here.send_achieve("at(robot_1, living_room_1) and at(robot_2, kitchen_1)")
    await_note(here, BEHIND)
    here.until(lambda: here.codes(1) == [OutcomeCode.SUCCEEDED], "the second robot's step")
    assert not second.poll().done
    assert here.performing().count("navigate(") == 1
    first.cancel()
    assert here.end_of(first)[0] is GoalState.CANCELED
    state, result = here.end_of(second)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert result.replans == 0, "what becomes of others is not counted"


def test_a_goal_that_preempts_leaves_alone_what_it_does_not_meet(at_work):
    here, first = at_work
    second = here.send_achieve(SECOND_GOES, when_busy="preempt", priority=1)
    state, result = here.end_of(second)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert not first.poll().done
