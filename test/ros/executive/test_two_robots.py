# SPDX-License-Identifier: Apache-2.0
"""Two robots at work at once, with live nodes: they overlap, wait for each other, fail and stop."""

from __future__ import annotations

import pytest

from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ExecutionState
from fcp_ros.nodes.executive.parameters import PlanError

FIRST_GOES = "navigate robot_1 kitchen_1 living_room_1 door_1"
FIRST_RETURNS = "navigate robot_1 living_room_1 kitchen_1 door_1"
SECOND_GOES = "navigate robot_2 living_room_1 kitchen_1 door_1"
SECOND_PICKS = "pick robot_2 book_1 couch_1 living_room_1"
EXECUTORS = ["navigate", "pick"]


@pytest.fixture(scope="module")
def fleet_site(make_sites, tmp_path_factory):
    """Simulated executors that serve two robots at once."""
    sites = make_sites()
    yield sites.start(
        tmp_path_factory.mktemp("fleet"),
        nodes=("scene_graph", "task_planner", "simulated_executor", "executive"),
        simulated_executor={
            "executors": EXECUTORS,
            "steps_at_once": 2,
            "time_scale": 50.0,
        },
        executive={"shared_executors": EXECUTORS, "executor_wait": 20.0},
    )
    sites.stop()


@pytest.fixture
def here(fleet_site, add_second_robot):
    """The scene as it was at first, and a second robot in the living room."""
    return add_second_robot(fleet_site)


@pytest.fixture
def schedule(plan_of):
    """Makes plans whose steps wait only for those that are named: (lines, befores, duration)."""

    def make(*lines, after=None, duration=5.0):
        plan = plan_of(*lines, duration=duration)
        plan.scheduled = True
        for index, step in enumerate(plan.steps):
            step.after = list((after or {}).get(index, []))
            step.agents = [step.arguments[0].value]
        return plan

    return make


def list_messages(here):
    return [message.message for message in here.states.messages]


def test_two_robots_act_at_once_and_a_step_waits_for_both(here, schedule):
    # Long enough that the second begins before the first has ended, on a loaded machine, too.
    plan = schedule(FIRST_GOES, SECOND_PICKS, FIRST_RETURNS, after={2: [0, 1]}, duration=50.0)
    state, result = here.execute(plan)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert len(here.codes(3)) == 3  # what is published may come after the result
    assert {message.step_index for message in here.outcomes.messages[:2]} == {0, 1}
    assert here.outcomes.messages[2].step_index == 2
    here.states.wait(lambda message: message.state == ExecutionState.SUCCEEDED)
    running = [list(message.running) for message in here.states.messages]
    assert [0, 1] in running
    assert [2] in running
    assert running[-1] == []
    assert "Steps 1 and 2 of 3: navigate and pick." in list_messages(here)
    assert "Step 3 of 3: navigate." in list_messages(here)
    assert ("holding", ("robot_2", "book_1")) in here.relations()


def test_an_executor_does_two_steps_at_once_and_both_are_cancelled(here, schedule, slow):
    """They pass each other in the door; nothing of the domain keeps them from it."""
    goal = here.send_execute(schedule(FIRST_GOES, SECOND_GOES, duration=slow))
    here.until(lambda: here.performing().count("navigate(") == 2, "both robots on their way")
    assert here.client.goals.fetch().goals[0].note == (
        "robot_1: step 1 of 2, navigate(robot_1, kitchen_1, living_room_1, door_1); "
        "robot_2: step 2 of 2, navigate(robot_2, living_room_1, kitchen_1, door_1)."
    )
    goal.cancel()
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, PlanError.CANCELLED)
    assert here.codes(2) == [OutcomeCode.CANCELLED, OutcomeCode.CANCELLED]
    assert here.performing() == ""


def test_a_goal_for_two_robots_is_planned_scheduled_and_executed_at_once(here):
    state, result = here.achieve("at(robot_1, living_room_1) and at(robot_2, kitchen_1)")
    assert state is GoalState.SUCCEEDED, result.error_msg
    plan = result.plan_result.plan
    assert [list(step.after) for step in plan.steps] == [[], []]
    assert "Steps 1 and 2 of 2: navigate and navigate." in list_messages(here)
