# SPDX-License-Identifier: Apache-2.0
"""execute_task_plan with live nodes: success, every kind of failure, cancel, life cycle."""

from __future__ import annotations

from dataclasses import replace

from lifecycle_msgs.msg import Transition
from rclpy.serialization import serialize_message

from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ExecutionState, Plan, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros
from fcp_ros.nodes.executive.parameters import PlanError

SUCCEEDED = OutcomeCode.SUCCEEDED
RESTART = (
    Transition.TRANSITION_DEACTIVATE,
    Transition.TRANSITION_CLEANUP,
    Transition.TRANSITION_CONFIGURE,
    Transition.TRANSITION_ACTIVATE,
)


def test_a_plan_is_executed_and_each_outcome_published_once(here, to_and_fro):
    plan = to_and_fro()
    state, result = here.execute(plan)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert (result.error_code, result.error_msg, result.steps_done) == (PlanError.NONE, "", 2)
    assert here.codes(2) == [SUCCEEDED, SUCCEEDED]
    assert [m.step_index for m in here.outcomes.messages] == [0, 1]
    for message, step in zip(here.outcomes.messages, plan.steps, strict=True):
        assert message.step == step
        assert message.plan_id == plan.id
        assert message.quality_measured
        assert 0.0 < message.quality <= 1.0
        assert message.header.stamp.sec > 0
    assert result.outcomes == here.outcomes.messages
    here.states.wait(lambda m: m.state == ExecutionState.SUCCEEDED)
    seen = [m.state for m in here.states.messages]
    assert ExecutionState.EXECUTING in seen
    assert seen[-1] == ExecutionState.SUCCEEDED


def test_feedback_names_plan_and_step_and_the_plan_is_latched(here, to_and_fro):
    plan = to_and_fro(30.0)
    plan.id.uuid = list(range(16, 32))  # an id that no other test uses
    latched = here.probe.listen(Plan, here.name("plan_in_execution"), latched=True)
    goal = here.send_execute(plan)
    seen = set()
    largest = []

    def both() -> bool:
        if goal.feedback is not None:
            seen.add((goal.feedback.step_index, bytes(goal.feedback.plan_id.uuid)))
            largest.append(len(serialize_message(goal.feedback)))
        return {(0, bytes(plan.id.uuid)), (1, bytes(plan.id.uuid))} <= seen

    here.until(both, "feedback from both steps")
    # An id, two numbers and a sentence: it does not grow with the plan.
    assert max(largest) < 200 < len(serialize_message(plan))
    assert latched.wait(lambda found: found.id == plan.id).steps == plan.steps
    latched.close()
    assert here.end_of(goal)[0] is GoalState.SUCCEEDED


def test_an_empty_plan_is_refused_but_one_that_has_nothing_to_do_succeeds(here):
    state, result = here.execute(Plan())
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.INVALID_PLAN)
    state, result = here.execute(Plan(goal="at(robot_1, kitchen_1)"))
    assert (state, result.error_code) == (GoalState.SUCCEEDED, PlanError.NONE)


def test_a_plan_that_no_longer_holds_is_refused_before_anything_moves(here, to_and_fro, plan_of):
    gone = plan_of("navigate robot_1 kitchen_1 living_room_1 door_1")
    assert here.execute(gone)[0] is GoalState.SUCCEEDED
    here.codes(1)
    state, result = here.execute(to_and_fro())  # planned for a robot in the kitchen
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.INVALID_PLAN)
    assert "at(robot_1, kitchen_1) does not hold" in result.error_msg
    assert "step 1 of 2" in result.error_msg
    assert len(here.outcomes.messages) == 1


def test_a_plan_of_unknown_elements_or_actions_is_refused(here, plan_of):
    plan = plan_of("pick robot_1 unicorn_1 counter_1 kitchen_1")
    state, result = here.execute(plan)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.INVALID_PLAN)
    assert "unicorn_1" in result.error_msg
    plan.steps[0].rule = "fly"
    assert "'fly'" in here.execute(plan)[1].error_msg


def test_a_failed_step_ends_the_plan_and_its_effects_are_not_assumed(here, plan_of):
    plan = plan_of(
        "pick robot_1 drinking_glass_1 counter_1 kitchen_1",
        "navigate robot_1 kitchen_1 living_room_1 door_1",
    )
    state, result = here.execute(plan)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert (result.steps_done, len(result.outcomes)) == (0, 1)
    assert "pick(robot_1, drinking_glass_1, counter_1, kitchen_1)" in result.error_msg
    assert here.codes(1) == [OutcomeCode.EXECUTION_FAILED]
    assert ("on", ("drinking_glass_1", "counter_1")) in here.relations()
    assert not [r for r in here.relations() if r[0] == "holding"]


def test_a_hanging_step_times_out_and_is_cancelled(here, plan_of):
    here.set("executive", min_step_timeout=0.3)
    state, result = here.execute(plan_of("pick robot_1 vase_1 counter_1 kitchen_1", duration=0.0))
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.STEP_TIMED_OUT)
    assert here.codes(1) == [OutcomeCode.TIMED_OUT]
    assert "may still be acting" not in result.error_msg
    assert here.performing() == ""
    other = plan_of("pick robot_1 apple_1 counter_1 kitchen_1")
    assert here.execute(other)[0] is GoalState.SUCCEEDED


def test_a_crashed_executor_is_given_nothing_more_until_it_has_answered(site, to_and_fro, plan_of):
    here = site(
        nodes=("scene_graph", "simulated_executor", "executive"),
        simulated_executor={"faults": ["navigate: crash x1"]},
        executive={"min_step_timeout": 0.3, "grace_time": 0.3},
    )
    there = to_and_fro(0.0)
    state, result = here.execute(there)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.STEP_TIMED_OUT)
    assert "may still be acting" in result.error_msg
    here.set("executive", executor_wait=0.5)
    state, result = here.execute(there)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.NO_EXECUTOR)
    assert "may still be acting" in result.error_msg
    assert here.codes(1) == [OutcomeCode.TIMED_OUT]  # the second plan tried nothing
    # Nor does another executor get a robot that this one may still be moving.
    pick = plan_of("pick robot_1 apple_1 counter_1 kitchen_1")
    assert here.execute(pick)[1].error_code == PlanError.NO_EXECUTOR
    # Once it is restarted, it answers that it has ended, or forgotten, the old goal.
    here.transit("simulated_executor", *RESTART[:2])
    here.set("simulated_executor", faults=[""])
    here.transit("simulated_executor", *RESTART[2:])
    here.set("executive", executor_wait=20.0, min_step_timeout=10.0)
    for plan in (pick, there):
        state, result = here.execute(plan)
        assert state is GoalState.SUCCEEDED, result.error_msg


def test_cancel_while_a_step_runs_is_answered_quickly(here, to_and_fro, slow):
    goal = here.send_execute(to_and_fro(slow))
    here.until(here.performing, "the first step")
    goal.cancel()
    state, result = here.end_of(goal)  # the step itself would take a thousand seconds
    assert (state, result.error_code) == (GoalState.CANCELED, PlanError.CANCELLED)
    assert here.codes(1) == [OutcomeCode.CANCELLED]
    here.states.wait(lambda m: m.state == ExecutionState.CANCELLED)
    assert here.performing() == ""


def test_cancel_before_the_executors_are_there(brain, to_and_fro):
    goal = brain.send_execute(to_and_fro())
    brain.states.wait(lambda m: m.state == ExecutionState.EXECUTING)
    goal.cancel()
    state, result = brain.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, PlanError.CANCELLED)
    assert brain.outcomes.messages == []


def test_cancel_at_once(here, to_and_fro, slow):
    goal = here.send_execute(to_and_fro(slow))
    goal.cancel()
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, PlanError.CANCELLED)


def test_a_missing_executor_is_named_before_anything_moves(site, to_and_fro, plan_of):
    here = site(
        nodes=("scene_graph", "simulated_executor", "executive"),
        simulated_executor={"executors": ["navigate"]},
    )
    assert here.execute(to_and_fro())[0] is GoalState.SUCCEEDED
    here.set("executive", executor_wait=0.5)
    plan = plan_of(
        "navigate robot_1 kitchen_1 living_room_1 door_1",
        "pick robot_1 book_1 couch_1 living_room_1",
    )
    here.codes(2)
    state, result = here.execute(plan)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.NO_EXECUTOR)
    assert "'pick'" in result.error_msg
    assert "'navigate'" not in result.error_msg
    assert len(here.outcomes.messages) == 2


def test_executors_of_an_inactive_simulation_say_so(here, to_and_fro):
    here.transit("simulated_executor", Transition.TRANSITION_DEACTIVATE)
    state, result = here.execute(to_and_fro())
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert "inactive" in result.error_msg
    assert here.codes(1) == [OutcomeCode.NODE_INACTIVE]
    here.transit("simulated_executor", Transition.TRANSITION_ACTIVATE)
    assert here.execute(to_and_fro())[0] is GoalState.SUCCEEDED


def test_a_change_that_matters_to_the_rest_is_told_while_a_step_runs(here, plan_of, slow):
    """The mug disappears while the robot is on its way to it."""
    updates = here.probe.publisher(SceneGraphUpdate, here.name("scene_graph_update"))
    plan = plan_of(
        "navigate robot_1 kitchen_1 living_room_1 door_1",
        "pick robot_1 mug_1 table_1 living_room_1",
        duration=slow,
    )
    goal = here.send_execute(plan)
    here.until(here.performing, "the first step")
    here.states.messages.clear()
    scene = here.client.scene()

    # Something else: nothing is said.
    sponge = replace(graph_from_ros(scene).nodes["sponge_1"], category="vase")
    number = scene.sequence_number + 1
    updates.publish(SceneGraphUpdate(sequence_number=number, nodes=nodes_to_ros([sponge])))
    executive = here.stack.nodes["executive"]
    here.until(lambda: executive.diagnose().values["scene_sequence_number"] == number, "the vase")

    updates.publish(SceneGraphUpdate(sequence_number=number + 1, removed_nodes=["mug_1"]))
    told = here.states.wait(lambda m: "Changed:" in m.message)
    assert "mug_1" in told.message
    assert "step 2 of 2, pick(" in told.message
    assert told.state == ExecutionState.EXECUTING
    assert goal.poll() is GoalState.ACCEPTED, "it only says so: the first step itself may go well"
    assert not any("sponge_1" in message.message for message in here.states.messages)
    goal.cancel()
    here.end_of(goal)
