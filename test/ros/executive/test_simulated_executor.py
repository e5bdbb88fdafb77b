# SPDX-License-Identifier: Apache-2.0
"""The simulated executor seen from outside: parameters, updates, cancel, other writers."""

from __future__ import annotations

import pytest
from lifecycle_msgs.msg import Transition

from fcp_ros.action import ExecuteStep
from fcp_ros.client.pending import GoalState, PendingGoal
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.stack import NodeStack, StartError


def perform(here, plan, index=0):
    """Send one step of a plan to its executor directly."""
    step = plan.steps[index]
    client = here.probe.action(ExecuteStep, here.name(step.executor))
    return PendingGoal(client, ExecuteStep.Goal(plan_id=plan.id, step=step), step.executor)


def test_the_scene_graph_shows_a_change_before_the_success_is_reported(here, to_and_fro):
    before = here.client.scene().sequence_number
    state, result = here.end_of(perform(here, to_and_fro()))
    assert (state, result.outcome.code) == (GoalState.SUCCEEDED, OutcomeCode.SUCCEEDED.value)
    assert result.quality_measured
    scene = here.client.scene()
    assert scene.sequence_number == before + 1
    assert graph_from_ros(scene).relation("at", "robot_1", "living_room_1")


def test_a_step_that_does_not_fit_the_world_is_refused_with_the_reason(here, to_and_fro):
    state, result = here.end_of(perform(here, to_and_fro(), index=1))
    assert state is GoalState.ABORTED
    assert result.outcome.code == OutcomeCode.PRECONDITION_FAILED.value
    assert "at(robot_1, living_room_1) does not hold" in result.outcome.message


def test_a_busy_executor_says_so(here, to_and_fro, slow):
    first = perform(here, to_and_fro(slow))
    here.until(here.performing, "the first step")
    state, result = here.end_of(perform(here, to_and_fro()))
    assert state is GoalState.ABORTED
    assert "still busy" in result.outcome.message
    first.cancel()
    assert here.end_of(first)[0] is GoalState.CANCELED


def test_a_sequence_number_that_somebody_else_took_is_no_obstacle(here, plan_of):
    """Another system publishes updates all the while; every change still gets through."""
    publisher = here.probe.publisher(SceneGraphUpdate, here.name("scene_graph_update"))
    there, back = (
        "navigate robot_1 kitchen_1 living_room_1 door_1",
        "navigate robot_1 living_room_1 kitchen_1 door_1",
    )
    plan = plan_of(*([there, back] * 2), duration=0.0)
    numbers = set()
    for index in range(len(plan.steps)):
        goal = perform(here, plan, index)
        while not goal.poll().done:
            number = here.client.scene().sequence_number + 1
            if number not in numbers:
                numbers.add(number)
                publisher.publish(SceneGraphUpdate(sequence_number=number))
        state, result = here.end_of(goal)
        assert state is GoalState.SUCCEEDED, result.outcome.message
    assert numbers


def test_opening_and_closing_change_what_perception_would_report(here, plan_of):
    plan = plan_of(
        "open robot_1 fridge_1 kitchen_1",
        "take_out robot_1 milk_1 fridge_1 kitchen_1",
        "put_in robot_1 milk_1 fridge_1 kitchen_1",
        "close robot_1 fridge_1 kitchen_1",
    )
    for index in range(4):
        state, result = here.end_of(perform(here, plan, index))
        assert state is GoalState.SUCCEEDED, result.outcome.message


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        ("faults", ["pick: explode"], "not an effect"),
        ("faults", ["pick(thing=mug_1): hang"], "no parameter 'thing'"),
        ("success_overrides", ["pick: 2"], "must lie in"),
        ("executors", ["fly"], "no executor fly"),
    ],
)
def test_parameters_that_make_no_sense_keep_it_from_starting(
    stack_options, tmp_path, parameter, value, said
):
    options = stack_options(
        tmp_path,
        {"simulated_executor": {parameter: value}},
        nodes=("simulated_executor",),
        namespace="senseless",
    )
    with pytest.raises(StartError, match=said), NodeStack(options) as stack:
        stack.wait_active()


def test_it_can_be_deactivated_while_a_step_hangs(here, plan_of):
    goal = perform(here, plan_of("pick robot_1 vase_1 counter_1 kitchen_1"))
    here.until(here.performing, "the step")
    here.transit("simulated_executor", Transition.TRANSITION_DEACTIVATE)
    state, _ = here.end_of(goal)
    assert state is GoalState.ABORTED  # nobody asked for a cancel: the node stopped
    assert here.performing() == ""
    here.transit("simulated_executor", Transition.TRANSITION_ACTIVATE)
