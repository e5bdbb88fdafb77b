# SPDX-License-Identifier: Apache-2.0
"""Moves entities of a simulator as steps move things, where no robot does: by SetEntityState.

What the step moves is set to where the scene graph will have it; where the simulator then has it
is read back, so that the outcome is the simulator's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rclpy.node import Node

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.conversions.common import pose_from_ros, pose_to_ros
from fcp_ros.nodes.simulation.calls import (
    ENTITY,
    LOOK_EVERY,
    PACKAGE,
    SimulatorCalls,
    SimulatorError,
    SimulatorLost,
)
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import Transform

REACH = 0.1
"""Distance (m) from where a thing was set to where it is then, at which a step has failed."""

APPEAR_WAIT = 3.0
"""Longest wait (s) for a simulator that discovery may not have found yet."""

NOTHING_MOVES = "The simulator has no SetEntityState."

RUNNING = ("", "playing")
"""States of a simulator in which steps go on."""


class EntityMover:
    """Moves the entities of a simulator. For worker threads."""

    def __init__(self, node: Node, prefix: str, answer_wait: Callable[[], float]) -> None:
        self._messages: Any = import_module(f"{PACKAGE}.msg")
        self._calls = SimulatorCalls(node, prefix, answer_wait)

    def find_problem(self, is_cancelled: Callable[[], bool] = lambda: False) -> str:
        """Say why nothing can be moved; "" if it can. Waits for one who may just be appearing."""
        end = time.monotonic() + APPEAR_WAIT
        while True:
            problem = self._look()
            over = time.monotonic() > end or is_cancelled() or self._calls.stopped.is_set()
            if not problem or over:
                return problem
            self._calls.stopped.wait(LOOK_EVERY)

    def _look(self) -> str:
        try:
            self._calls.check_state()
            return "" if self._calls.supports("SetEntityState") else NOTHING_MOVES
        except SimulatorError as error:
            self._calls.forget_features()
            return f"{error}."

    def is_paused(self) -> bool:
        """Return True while the simulator's time stands still. Raises SimulatorLost."""
        return self._calls.check_state() not in RUNNING

    def move(self, graph: SceneGraph, delta: SceneDelta) -> Outcome:
        """Move the entities whose nodes a change of the scene graph moves."""
        moves = [
            (str(node.attributes[ENTITY]), before.pose, node.pose)
            for node in sorted(delta.upserted, key=lambda node: node.layer is not Layer.AGENT)
            if ENTITY in node.attributes
            and (before := graph.nodes.get(node.id)) is not None
            and before.pose is not None
            and node.pose not in (None, before.pose)
        ]
        try:
            aims = {name: self._find_aim(name, old, new) for name, old, new in moves}
        except SimulatorLost as error:
            return Outcome(OutcomeCode.EXECUTOR_LOST, f"{error}: nothing was moved.")
        except SimulatorError as error:
            return Outcome(OutcomeCode.PRECONDITION_FAILED, f"Nothing was moved: {error}.")
        worst = 0.0
        for name, aim in aims.items():  # robots before what they hold
            try:
                worst = max(worst, self._move(name, aim))
            except SimulatorLost as error:
                text = f"{error}: how far {name} came is unknown."
                return Outcome(OutcomeCode.EXECUTOR_LOST, text)
            except SimulatorError as error:
                return Outcome(OutcomeCode.EXECUTION_FAILED, f"{name} can't be moved: {error}.")
            if worst > REACH:
                text = f"{name} is {worst:.2f} m from where it was put."
                return Outcome(OutcomeCode.POSTCONDITION_FAILED, text)
        return Outcome(OutcomeCode.SUCCEEDED, "", 1.0 - worst / REACH)

    def shows(self, graph: SceneGraph, delta: SceneDelta) -> bool:
        """Return True if a graph has things where they were set: the bridge has looked."""
        for node in delta.upserted:
            now = graph.nodes.get(node.id)
            if ENTITY not in node.attributes or node.pose is None:
                continue
            if now is None or now.pose is None:
                return False
            if math.dist(now.pose.position, node.pose.position) > REACH:
                return False
        return True

    def stop(self) -> None:
        """End what waits for the simulator, which then counts as lost."""
        self._calls.stopped.set()

    def resume(self) -> None:
        self._calls.stopped.clear()

    def close(self) -> None:
        self._calls.close()

    def _find_aim(self, name: str, before: Pose, after: Pose) -> Pose:
        # The frame of the entity need not be in the middle of its box: both move alike.
        box, target = (Transform(one.position, one.orientation) for one in (before, after))
        return (target @ box.inverse()).transform_pose(self._find_pose(name))

    def _move(self, name: str, aim: Pose) -> float:
        """Set the pose of an entity; return how far from there it then is (m)."""
        state = self._messages.EntityState(pose=pose_to_ros(aim))
        self._calls.ask("SetEntityState", entity=name, state=state, set_pose=True, set_twist=True)
        return math.dist(self._find_pose(name).position, aim.position)

    def _find_pose(self, name: str) -> Pose:
        return pose_from_ros(self._calls.ask("GetEntityState", entity=name).state.pose)
