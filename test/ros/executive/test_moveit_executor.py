# SPDX-License-Identifier: Apache-2.0
"""The template for arms, with an action server that behaves like MoveIt's move_group."""

from __future__ import annotations

import itertools

import pytest
from rclpy.action import CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.nodes.conversions.plan import step_to_ros
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose

MoveGroup = pytest.importorskip(
    "moveit_msgs.action", reason="moveit_msgs is not installed (there are no wheels of it)"
).MoveGroup

from moveit_msgs.msg import MoveItErrorCodes  # noqa: E402

from fcp_ros.nodes.executors.moveit_executor import (  # noqa: E402
    ArmSettings,
    JointTarget,
    LinkTarget,
    make_arm_executor,
)

READY = {"shoulder": 0.5, "elbow": -1.0}
NUMBERS = itertools.count(1)


def move_step(step):
    if step.rule == "pick":
        return LinkTarget("gripper", "map", Pose.at(1.0, 2.0, 0.8))
    if step.rule == "place":
        return JointTarget(READY)
    raise ValueError(f"{step} is nothing for an arm")


@pytest.fixture
def arm(probe, until):
    """Asks an executor beside a server like move_group's: arm(rule, error code or None: hang)."""
    name = f"/arm_{next(NUMBERS)}"
    codes, goals = [], []

    def execute(goal):
        goals.append(goal.request)
        goal.publish_feedback(MoveGroup.Feedback(state="PLANNING"))
        result = MoveGroup.Result()
        if codes[-1] is None:
            until(lambda: goal.is_cancel_requested, "the cancel")
            result.error_code.val = MoveItErrorCodes.PREEMPTED
            goal.canceled()
            return result
        result.error_code.val = codes[-1]
        goal.succeed() if codes[-1] == MoveItErrorCodes.SUCCESS else goal.abort()
        return result

    server = SafeActionServer(
        probe.node,
        MoveGroup,
        f"{name}/move_action",
        execute,
        callback_group=ReentrantCallbackGroup(),
        cancel_callback=lambda _goal: CancelResponse.ACCEPT,
    )
    settings = ArmSettings("arm", action=f"{name}/move_action", speed=0.3)
    executor = make_arm_executor(probe.node, f"{name}/pick", settings, move_step)
    until(lambda: executor.is_ready, "the server")

    def ask(rule, code):
        codes.append(code)
        client = probe.action(ExecuteStep, f"{name}/pick")
        step = PlanStep(rule, (("robot", "robot_1"),), 1.0, 1.0, 5.0, "pick")
        sent = client.send_goal_async(ExecuteStep.Goal(step=step_to_ros(step)))
        until(sent.done, "the executor")
        if code is None:
            until(lambda: goals, "the motion")
            sent.result().cancel_goal_async()
        answer = sent.result().get_result_async()
        until(answer.done, "the outcome")
        return OutcomeCode(answer.result().result.outcome.code), goals[-1:]

    yield ask
    executor.close()
    server.destroy()


def test_a_step_is_a_goal_of_move_group(arm):
    code, (goal,) = arm("place", MoveItErrorCodes.SUCCESS)
    assert code is OutcomeCode.SUCCEEDED
    assert goal.request.group_name == "arm"
    assert goal.request.start_state.is_diff
    assert goal.request.max_velocity_scaling_factor == 0.3
    (constraint,) = goal.request.goal_constraints
    assert {one.joint_name: one.position for one in constraint.joint_constraints} == READY
    _, (goal,) = arm("pick", MoveItErrorCodes.SUCCESS)
    (constraint,) = goal.request.goal_constraints
    (place,) = constraint.position_constraints
    assert place.header.frame_id == "map"
    assert place.constraint_region.primitive_poses[0].position.z == 0.8
    assert constraint.orientation_constraints[0].link_name == "gripper"


@pytest.mark.parametrize(
    ("moveit", "code"),
    [
        (MoveItErrorCodes.NO_IK_SOLUTION, OutcomeCode.PLANNING_FAILED),
        (MoveItErrorCodes.CONTROL_FAILED, OutcomeCode.EXECUTION_FAILED),
        (MoveItErrorCodes.INVALID_GROUP_NAME, OutcomeCode.INVALID_ACTION),
        (None, OutcomeCode.CANCELLED),
    ],
)
def test_how_moveit_ends(moveit, code, arm):
    assert arm("pick", moveit)[0] is code


def test_a_step_for_no_arm_is_refused(arm):
    code, goals = arm("navigate", MoveItErrorCodes.SUCCESS)
    assert code is OutcomeCode.INVALID_ACTION
    assert not goals
