# SPDX-License-Identifier: Apache-2.0
"""achieve_goal with all nodes: plan, execute, learn, plan anew, cancel."""

from __future__ import annotations

import threading
from functools import partial

import pytest
from rclpy.action import CancelResponse

from fcp_ros.action import MakePlan
from fcp_ros.client import plan_request
from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ExecutionState, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import ANY_NUMBER, delta_to_ros
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import SceneRelation

SUCCEEDED = OutcomeCode.SUCCEEDED
FAILED = OutcomeCode.EXECUTION_FAILED

HOLD_A_CUP = "exists ?x: cup (holding(robot_1, ?x))"
"""The glass on the counter is one step away, the mug in the other room three."""


def test_a_goal_is_planned_executed_and_reached(here):
    state, result = here.achieve("on(apple_1, table_1)")
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert (result.error_code, result.replans) == (GoalError.NONE, 0)
    assert PlanStatus(result.plan_result.status.code).solved
    steps = result.plan_result.plan.steps
    assert [s.rule for s in steps] == ["pick", "navigate", "place"]
    assert here.codes(3) == [SUCCEEDED] * 3
    assert ("on", ("apple_1", "table_1")) in here.relations()
    here.states.wait(lambda m: m.state == ExecutionState.SUCCEEDED)
    assert ExecutionState.PLANNING in [m.state for m in here.states.messages]
    # Asked again, there is nothing left to do.
    state, result = here.achieve("on(apple_1, table_1)")
    assert (state, len(result.outcomes)) == (GoalState.SUCCEEDED, 0)


def test_an_executor_that_fails_on_one_item_leads_to_another_and_is_remembered(here):
    before = degree_of(here, "drinking_glass_1")
    state, result = here.achieve(HOLD_A_CUP)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert result.replans == 1
    assert here.codes(3) == [FAILED, SUCCEEDED, SUCCEEDED]
    assert [m.step.rule for m in here.outcomes.messages] == ["pick", "navigate", "pick"]
    assert ("holding", ("robot_1", "mug_1")) in here.relations()
    assert degree_of(here, "drinking_glass_1") < before
    here.until(lambda: len(evidence(here)) == 2, "both outcomes in the calibration store")
    assert evidence(here) == {"drinking_glass_1": (1, 0.0), "mug_1": (1, pytest.approx(1, abs=0.1))}


def degree_of(here, item):
    """How well the robot grasps an item, as the grounder judges now: from a plan to hold it."""
    planned = here.client.plan(f"holding(robot_1, {item})", alpha=0.0)
    assert planned.plan.steps, planned.status.message
    return planned.plan.membership


def evidence(here):
    """Item -> number of outcomes and their mean quality, as the grounder has learnt them."""
    found = {}
    for entry in here.client.calibration("can_grasp").entries:
        for item in ("drinking_glass_1", "mug_1"):
            if f'"{item}"' in entry.context:
                found[item] = (entry.evidence_count, entry.mean_quality)
    return found


def test_what_was_learnt_outlives_a_restart(make_sites, tmp_path):
    for faults, expected in ((["pick(item=drinking_glass_1): EXECUTION_FAILED"], 1), ([""], 0)):
        sites = make_sites()
        try:
            here = sites.start(
                tmp_path,
                robot="restarted",
                simulated_executor={"faults": faults},
                executive={"executor_wait": 20.0},
            )
            state, result = here.achieve(HOLD_A_CUP)
            assert state is GoalState.SUCCEEDED, result.error_msg
            assert result.replans == expected
            assert ("holding", ("robot_1", "mug_1")) in here.relations()
        finally:
            sites.stop()


def test_a_failing_postcondition_leads_to_a_new_plan_too(here):
    state, result = here.achieve("holding(robot_1, laptop_1)")
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert result.replans == 1
    assert here.codes(3) == [SUCCEEDED, OutcomeCode.POSTCONDITION_FAILED, SUCCEEDED]
    assert ("holding", ("robot_1", "laptop_1")) in here.relations()


def test_replanning_is_bounded_and_says_why_it_ended(here):
    # A low alpha: what fails again and again is soon no longer worth a try.
    request = plan_request("holding(robot_1, drinking_glass_1)", alpha=0.01)

    def achieve(most):
        send = partial(here.client.send_achieve, request, max_replans=most)
        return here.end_of(here._sent(send))

    state, result = achieve(1)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.REPLANS_EXHAUSTED)
    assert result.replans == 1
    assert here.codes(2) == [FAILED] * 2
    assert "1 times" in result.error_msg
    assert "EXECUTION_FAILED" in result.error_msg
    state, result = achieve(0)
    assert (result.error_code, result.replans) == (GoalError.REPLANS_EXHAUSTED, 0)


def test_a_step_that_times_out_leads_to_a_new_plan(here):
    here.set("executive", min_step_timeout=0.3, timeout_factor=0.01)
    state, result = here.achieve("holding(robot_1, vase_1)", max_replans=1)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.REPLANS_EXHAUSTED)
    assert here.codes(2) == [OutcomeCode.TIMED_OUT] * 2
    assert result.replans == 1


@pytest.mark.parametrize(
    ("goal", "status"),
    [
        ("on(unicorn_1, table_1)", PlanStatus.INVALID_REQUEST),
        ("in_room(table_1, kitchen_1)", PlanStatus.UNSOLVABLE_PROVEN),
    ],
)
def test_without_a_plan_nothing_moves_and_the_status_says_why(here, goal, status):
    state, result = here.achieve(goal)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.PLANNING_FAILED)
    assert result.plan_result.status.code == status.value, result.plan_result.status.message
    assert result.error_msg == result.plan_result.status.message != ""
    assert here.outcomes.messages == []


def test_without_a_planner_the_answer_names_it(brain):
    brain.set("executive", executor_wait=0.3)
    state, result = brain.achieve("at(robot_1, living_room_1)")
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.PLANNING_FAILED)
    assert "make_plan" in result.error_msg


def test_a_planner_that_never_answers_is_named_with_the_time(brain, probe):
    """And is asked to stop."""
    asked_to_stop = threading.Event()

    def hang(goal):
        asked_to_stop.wait(30.0)
        goal.canceled()
        return MakePlan.Result()

    def cancel(_goal):
        asked_to_stop.set()
        return CancelResponse.ACCEPT

    server = SafeActionServer(
        probe.node,
        MakePlan,
        brain.name("make_plan"),
        hang,
        callback_group=probe.group,
        cancel_callback=cancel,
    )
    brain.set("executive", planner_timeout=0.5, executor_wait=30.0)
    state, result = brain.achieve("at(robot_1, living_room_1)")
    brain.set("executive", planner_timeout=120.0)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.TIMED_OUT)
    assert result.error_msg == "The planner has not answered within 0.5 s."
    brain.until(asked_to_stop.is_set, "the request to stop")
    server.destroy()


def test_cancel_while_executing(here):
    here.set("simulated_executor", time_scale=0.1)
    goal = here.send_achieve("at(robot_1, living_room_1)")
    here.until(here.performing, "the step")
    goal.cancel()
    state, result = here.end_of(goal)
    here.set("simulated_executor", time_scale=100.0)
    assert (state, result.error_code) == (GoalState.CANCELED, GoalError.CANCELLED)
    assert here.codes(1) == [OutcomeCode.CANCELLED]
    assert here.performing() == ""


def test_cancel_at_once_ends_the_planning(here):
    goal = here.send_achieve("on(book_1, counter_1)")
    goal.cancel()
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, GoalError.CANCELLED)
    # Nothing is left behind: the next goal is taken.
    assert here.achieve("at(robot_1, kitchen_1)")[0] is GoalState.SUCCEEDED


@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        ("not on(mug_1, table_1)", lambda found: ("on", ("mug_1", "table_1")) not in found),
        (
            "not at(robot_1, kitchen_1) and not holding(robot_1, mug_1)",
            lambda found: ("at", ("robot_1", "living_room_1")) in found,
        ),
        (
            "(forall ?x: mug (on(?x, counter_1))) and (at(robot_1, living_room_1) or "
            "exists ?y: bowl (not on(?y, table_1) and holding(robot_1, ?y)))",
            lambda found: ("on", ("mug_1", "counter_1")) in found,
        ),
    ],
)
def test_goals_that_are_negative_or_complex_are_reached(here, goal, holds):
    state, answer = here.achieve(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    assert answer.outcomes, "it did not hold before"
    assert holds(here.relations())


def test_a_fact_that_is_true_already_may_be_told_again(here, probe):
    """In the middle of a goal, and twice."""
    told = SceneDelta(ANY_NUMBER, added=(SceneRelation("on", ("mug_1", "table_1")),))
    update = delta_to_ros(told, "map", SceneGraphUpdate().header.stamp)
    publisher = probe.publisher(SceneGraphUpdate, here.name("scene_graph_update"))
    assert told.added[0].key in here.relations()
    refused = here.stack.nodes["scene_graph"].diagnose().values["refused_updates"]
    goal = here.send_achieve("on(apple_1, counter_1)")
    for _ in range(2):
        publisher.publish(update)
    state, answer = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    values = here.stack.nodes["scene_graph"].diagnose().values
    assert values["refused_updates"] == refused
    assert told.added[0].key in here.relations()
    probe.node.destroy_publisher(publisher)
