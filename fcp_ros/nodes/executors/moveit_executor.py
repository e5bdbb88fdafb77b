# SPDX-License-Identifier: Apache-2.0
"""Steps as goals of MoveIt's ``move_action``: a template for the executors of an arm.

What a step like ``pick`` means for an arm depends on the robot: `MoveStep` turns a step into where
the arm shall go, and is yours to write. All that is the same on every robot is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from action_msgs.msg import GoalStatus
from geometry_msgs.msg import Pose as PoseMessage
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    JointConstraint,
    MoveItErrorCodes,
    OrientationConstraint,
    PositionConstraint,
)
from rclpy.node import Node
from shape_msgs.msg import SolidPrimitive

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.executors.action_executor import ActionBounds, ActionExecutor, Translation
from fcp_ros.nodes.executors.step_server import StepRun
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose


@dataclass(frozen=True)
class JointTarget:
    """Positions of joints (rad, or m) by name, such as those of a named pose of the SRDF."""

    positions: Mapping[str, float]


@dataclass(frozen=True)
class LinkTarget:
    """A pose of a link; move_group brings it from its frame into that of planning, by tf2."""

    link: str
    frame_id: str
    pose: Pose


MoveStep = Callable[[PlanStep], JointTarget | LinkTarget]
"""Says where the arm goes in a step; raises ValueError to refuse the step."""


@dataclass(frozen=True)
class ArmSettings:
    """Settings of MoveIt's planning for an arm."""

    group: str  # planning group of the SRDF
    action: str = "move_action"
    pipeline: str = ""  # planning pipeline; "" for MoveIt's default
    planning_time: float = 5.0  # s
    attempts: int = 5
    speed: float = 0.5  # share of the greatest velocities and accelerations, in (0, 1]
    joint_tolerance: float = 0.01  # rad, or m
    position_tolerance: float = 0.01  # m
    angle_tolerance: float = 0.05  # rad
    bounds: ActionBounds = field(default_factory=ActionBounds)


_CODES = MoveItErrorCodes
NO_MOTION = {
    _CODES.PLANNING_FAILED,
    _CODES.INVALID_MOTION_PLAN,
    _CODES.TIMED_OUT,
    _CODES.START_STATE_IN_COLLISION,
    _CODES.START_STATE_VIOLATES_PATH_CONSTRAINTS,
    _CODES.START_STATE_INVALID,
    _CODES.GOAL_IN_COLLISION,
    _CODES.GOAL_VIOLATES_PATH_CONSTRAINTS,
    _CODES.GOAL_CONSTRAINTS_VIOLATED,
    _CODES.GOAL_STATE_INVALID,
    _CODES.NO_IK_SOLUTION,
}
"""MoveIt found no motion: PLANNING_FAILED. What is neither here nor below is EXECUTION_FAILED."""
WRONG_REQUEST = {
    _CODES.UNRECOGNIZED_GOAL_TYPE,
    _CODES.INVALID_GROUP_NAME,
    _CODES.INVALID_GOAL_CONSTRAINTS,
    _CODES.INVALID_ROBOT_STATE,
    _CODES.INVALID_LINK_NAME,
    _CODES.INVALID_OBJECT_NAME,
    _CODES.FRAME_TRANSFORM_FAILURE,
}
"""The goal makes no sense on this robot: INVALID_ACTION, which is no evidence."""


def make_arm_executor(
    node: Node,
    name: str,  # of the executor in the domain
    settings: ArmSettings,
    move_step: MoveStep,
) -> ActionExecutor:
    def make_goal(run: StepRun) -> Any:
        return make_move_goal(settings, move_step(run.step))

    return ActionExecutor(
        node,
        name,
        MoveGroup,
        settings.action,
        Translation(make_goal, read_move_result, lambda feedback: (0.0, str(feedback.state))),
        settings.bounds,
    )


def make_move_goal(settings: ArmSettings, target: JointTarget | LinkTarget) -> Any:
    goal = MoveGroup.Goal()
    request = goal.request
    request.group_name = settings.group
    request.pipeline_id = settings.pipeline
    request.num_planning_attempts = settings.attempts
    request.allowed_planning_time = settings.planning_time
    request.max_velocity_scaling_factor = settings.speed
    request.max_acceleration_scaling_factor = settings.speed
    # Without these two, MoveIt would plan from an empty state, in an empty scene.
    request.start_state.is_diff = True
    goal.planning_options.planning_scene_diff.is_diff = True
    goal.planning_options.planning_scene_diff.robot_state.is_diff = True
    request.goal_constraints = [_constrain(settings, target)]
    return goal


def _constrain(settings: ArmSettings, target: JointTarget | LinkTarget) -> Any:
    if isinstance(target, JointTarget):
        near = {"tolerance_above": settings.joint_tolerance}
        near["tolerance_below"] = settings.joint_tolerance
        joints = [
            JointConstraint(joint_name=name, position=position, weight=1.0, **near)
            for name, position in target.positions.items()
        ]
        return Constraints(joint_constraints=joints)
    ball = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[settings.position_tolerance])
    centre = PoseMessage()
    centre.position.x, centre.position.y, centre.position.z = target.pose.position
    place = PositionConstraint(link_name=target.link, weight=1.0)
    place.header.frame_id = target.frame_id
    place.constraint_region = BoundingVolume(primitives=[ball], primitive_poses=[centre])
    turn = OrientationConstraint(link_name=target.link, weight=1.0)
    turn.header.frame_id = target.frame_id
    x, y, z, w = target.pose.orientation
    turn.orientation.x, turn.orientation.y, turn.orientation.z, turn.orientation.w = x, y, z, w
    turn.absolute_x_axis_tolerance = turn.absolute_y_axis_tolerance = settings.angle_tolerance
    turn.absolute_z_axis_tolerance = settings.angle_tolerance
    return Constraints(position_constraints=[place], orientation_constraints=[turn])


def read_move_result(status: int, result: Any, _feedback: Any) -> Outcome:
    code = int(result.error_code.val)
    if status == GoalStatus.STATUS_SUCCEEDED and code == MoveItErrorCodes.SUCCESS:
        return Outcome(OutcomeCode.SUCCEEDED, "The arm is where it should be.")
    text = f"MoveIt failed with its error code {code}. {result.error_code.message}".strip()
    if code in WRONG_REQUEST:
        return Outcome(OutcomeCode.INVALID_ACTION, text)
    failed = OutcomeCode.PLANNING_FAILED if code in NO_MOTION else OutcomeCode.EXECUTION_FAILED
    return Outcome(failed, text)
