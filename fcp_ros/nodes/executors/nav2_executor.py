# SPDX-License-Identifier: Apache-2.0
"""The node ``nav2_executor``: performs the domain's steps of driving with nav2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.executors.action_executor import (
    ActionBounds,
    ActionExecutor,
    StepRefused,
    Translation,
)
from fcp_ros.nodes.executors.step_server import StepRun
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.optional_packages import require_interfaces
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, follow_scene
from fcp_ros.nodes.scene_access.frames import PARAMETERS as FRAMES
from fcp_ros.nodes.scene_access.frames import Frames, make_frames
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

PARAMETERS = (
    *FRAMES,  # frame_id: of the poses that nav2 gets
    ParameterSpec("executor", "navigate", "Name of the executor in the domain."),
    ParameterSpec("argument", "to", "Parameter of the rule that says where to drive."),
    ParameterSpec("nav2_action", "navigate_to_pose", "Name of nav2's action."),
    ParameterSpec("behavior_tree", "", "nav2's behaviour tree for these steps; empty: its own."),
    ParameterSpec(
        "reach",
        1.0,
        "Distance from the pose at which a success has the quality 0; at the pose it has 1 [m].",
        minimum=0.01,
        maximum=100.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "accept_timeout",
        5.0,
        "Longest time until nav2 accepts a goal [s].",
        minimum=0.1,
        maximum=600.0,
    ),
    ParameterSpec(
        "stop_timeout",
        10.0,
        "Longest time until nav2 has stopped after a cancel [s].",
        minimum=0.1,
        maximum=600.0,
    ),
)

NO_PLAN = range(200, 400)
"""nav2's error codes for paths that were not found (ComputePathToPose, ComputePathThroughPoses)."""


# --- where a robot stands in a place of the scene graph ---

STAND_X, STAND_Y, STAND_YAW = "stand_x", "stand_y", "stand_yaw"
"""Attributes of a node: where a robot stands there (m), and its heading (rad; 0 if left out)."""


@dataclass(frozen=True)
class StandingPose:
    """A pose on the floor."""

    frame_id: str
    x: float  # m
    y: float  # m
    yaw: float  # rad


def find_standing_pose(graph: SceneGraph, id_: str) -> StandingPose:
    """Find where a robot stands in or at an element; raises SceneError if the graph doesn't say.

    By the element's attributes; else a node of the layer ``place`` (free space, as Hydra finds it)
    is its own pose, and a room has that of the place in it which is closest to the room's middle.
    The middle of a room or thing itself is never taken: a table may stand there, and does where it
    is the thing.
    """
    node = graph.nodes.get(id_)
    if node is None:
        raise SceneError(
            "the scene graph has no such element", element=id_, advice="Name one that it has."
        )
    if STAND_X in node.attributes or STAND_Y in node.attributes:
        x, y = (_read_number(node, name) for name in (STAND_X, STAND_Y))
        yaw = _read_number(node, STAND_YAW) if STAND_YAW in node.attributes else 0.0
        return StandingPose(graph.frame_id, x, y, yaw)
    pose = node.pose if node.layer is Layer.PLACE else _find_place(graph, node)
    if pose is None:
        raise SceneError(
            "the scene graph does not say where a robot stands there",
            element=id_,
            advice=f"Give it the attributes {STAND_X} and {STAND_Y} (m) and {STAND_YAW} (rad), in "
            f"the frame {graph.frame_id}, or let perception add nodes of the layer place.",
        )
    return StandingPose(graph.frame_id, pose.position[0], pose.position[1], pose.yaw)


def _find_place(graph: SceneGraph, node: SceneNode) -> Pose | None:
    """Find the place in a room that is closest to its middle, of several the first by id."""
    if node.layer is not Layer.ROOM or node.pose is None:
        return None
    middle = node.pose.position[:2]
    children = (graph.nodes[id_] for id_ in graph.children_of(node.id))
    places = [
        (math.dist(middle, child.pose.position[:2]), child.id, child.pose)
        for child in children
        if child.layer is Layer.PLACE and child.pose is not None
    ]
    return min(places, key=lambda place: place[:2])[2] if places else None


def _read_number(node: SceneNode, name: str) -> float:
    value = node.attributes.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SceneError(
            f"its attribute {name} is {value!r}", element=node.id, advice="Give a finite number."
        )
    return float(value)


# --- the node ---


class Nav2ExecutorNode(ManagedNode):
    """Performs steps by nav2's action ``navigate_to_pose``; needs the package nav2_msgs.

    Offers one action (ExecuteStep) under the name of the parameter ``executor``, while the node is
    configured. Subscribes to ``scene_graph`` (SceneGraph, latched) and ``scene_changes``
    (SceneGraphChange, events): from there comes the pose of each step (`find_standing_pose`), which
    is brought into ``frame_id``, by tf2 where the graph is in another frame. For the first
    transform ever, a step waits at most 2 s.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("nav2_executor", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._frames: Frames | None = None
        self._action_type: Any = None
        self._executor: ActionExecutor | None = None
        self._target = PoseStamped()
        self._farthest = 0.0  # distance remaining of the present goal, at its most (m)

    def configure(self) -> None:
        nav2 = require_interfaces("nav2_msgs", "action", "install nav2 and source it")
        action_type = self._action_type = nav2.NavigateToPose
        try:
            self._frames = self.own(make_frames(self))
        except ValueError as error:
            raise ConfigureError(f"static_transforms: {error}") from error
        follow_scene(self, self._scene)
        action = self.parameters.text("nav2_action")
        bounds = ActionBounds(
            accept=self.parameters.number("accept_timeout"),
            stop=self.parameters.number("stop_timeout"),
        )
        translation = Translation(self._make_goal, self._read_result, self._read_feedback)
        name = self.parameters.text("executor")
        self._executor = self.own(
            ActionExecutor(self, name, action_type, action, translation, bounds)
        )

    def deactivate(self) -> None:
        if self._executor is not None:
            self._executor.stop("The node was deactivated.")

    def release(self) -> None:
        super().release()
        self._executor = self._frames = None
        self._scene.clear()

    def diagnose(self) -> Diagnosis:
        executor = self._executor
        if executor is None:
            return Diagnosis()
        missing = [] if executor.is_ready else [f"nav2's {self.parameters.text('nav2_action')}"]
        missing += ["a scene graph"] if self._scene.sequence is None else []
        message = f"missing: {', '.join(missing)}" if missing else ""
        level = DiagnosticStatus.WARN if missing else DiagnosticStatus.OK
        return Diagnosis(level, message, {"performing": executor.step})

    # --- a step as nav2's goal ---

    def _make_goal(self, run: StepRun) -> Any:
        """Make nav2's goal. Raises StepRefused, or ValueError if the pose is unknown."""
        refusal = self.refusal(run.goal.request)
        if refusal is not None and not self.is_active:
            raise StepRefused(Outcome(OutcomeCode.NODE_INACTIVE, refusal.sentence))
        if refusal is not None:
            raise ValueError(refusal.sentence)
        arguments, name = dict(run.step.arguments), self.parameters.text("argument")
        if name not in arguments:
            raise ValueError(f"{run.step} has no argument {name!r}: set the parameter argument.")
        pose = self._find_pose(arguments[name])
        target = self._target = PoseStamped()
        target.header.frame_id = pose.frame_id  # no stamp: nav2 takes the newest transform
        target.pose.position.x, target.pose.position.y = pose.x, pose.y
        target.pose.orientation.z = math.sin(pose.yaw / 2.0)
        target.pose.orientation.w = math.cos(pose.yaw / 2.0)
        self._farthest = 0.0
        goal = self._action_type.Goal()
        goal.pose, goal.behavior_tree = target, self.parameters.text("behavior_tree")
        return goal

    def _find_pose(self, id_: str) -> StandingPose:
        """Find the pose of an element in the frame that nav2 gets; raises ValueError."""
        graph = self._read_graph()
        pose = find_standing_pose(graph, id_)
        assert self._frames is not None
        found = self._frames.find_transform(graph.frame_id, Time(), "scene_graph").transform
        moved = found.transform_pose(Pose.at(pose.x, pose.y, 0.0, pose.yaw))
        return StandingPose(self._frames.frame_id, *moved.position[:2], moved.yaw)

    def _read_graph(self) -> SceneGraph:
        try:
            graph = self._scene.graph()
        except NoSceneError as error:
            raise StepRefused(Outcome(OutcomeCode.SCENE_LOST, str(error))) from error
        if graph is None:
            raise StepRefused(Outcome(OutcomeCode.SCENE_LOST, "No scene graph has come yet."))
        return graph

    # --- nav2's answers ---

    def _read_feedback(self, feedback: Any) -> tuple[float, str]:
        left = max(float(feedback.distance_remaining), 0.0)
        self._farthest = max(self._farthest, left)
        progress = 1.0 - left / self._farthest if self._farthest > 0.0 else 0.0
        recoveries = int(feedback.number_of_recoveries)
        more = f", {recoveries} recoveries" if recoveries else ""
        return round(progress, 2), f"{left:.1f} m to go{more}"

    def _read_result(self, status: int, result: Any, feedback: Any) -> Outcome:
        if status == GoalStatus.STATUS_SUCCEEDED:
            distance = self._measure_distance(feedback)
            if distance is None:
                return Outcome(OutcomeCode.SUCCEEDED, "nav2 has arrived.")
            quality = max(0.0, 1.0 - distance / self.parameters.number("reach"))
            text = f"nav2 has arrived {distance:.2f} m from the pose."
            return Outcome(OutcomeCode.SUCCEEDED, text, quality)
        code, said = int(result.error_code), str(result.error_msg)
        if code == 0 and feedback is None:
            frame = self._target.header.frame_id
            text = (
                "nav2 ended the goal before it drove: it does not know where the robot is, or has "
                f"no transform from {frame} to its global frame."
            )
            return Outcome(OutcomeCode.NODE_INACTIVE, f"{text} {said}".strip())
        failed = OutcomeCode.PLANNING_FAILED if code in NO_PLAN else OutcomeCode.EXECUTION_FAILED
        return Outcome(failed, f"nav2 failed with its error code {code}. {said}".strip())

    def _measure_distance(self, feedback: Any) -> float | None:
        """Return how far from its goal nav2 last said the robot to be; None if it didn't."""
        if feedback is None:
            return None
        here, there = feedback.current_pose, self._target
        if here.header.frame_id.lstrip("/") != there.header.frame_id:
            return None
        one, other = here.pose.position, there.pose.position
        return math.dist((one.x, one.y), (other.x, other.y))


def main() -> int:
    return run_node(Nav2ExecutorNode)
