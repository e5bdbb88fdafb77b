# SPDX-License-Identifier: Apache-2.0
"""Moves entities of a simulator as steps move things, where no robot does: by SetEntityState.

What the step moves is set to where the scene graph will have it; where the simulator then has it
is read back, so that the outcome is the simulator's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from rclpy.node import Node

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.conversions.common import pose_from_ros, pose_to_ros
from fcp_ros.nodes.simulation.calls import PACKAGE, SimulatorCalls, SimulatorError, SimulatorLost
from fcp_ros.nodes.simulation.entities import ENTITY
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Pose
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import Transform

REACH = 0.1
"""Distance (m) from where a thing was set to where it is then, at which a step has failed."""

RUNNING = ("", "playing")
"""States of a simulator in which steps go on."""


class EntityMover:
    """Moves the entities of a simulator. For worker threads."""

    def __init__(self, node: Node, prefix: str, answer_wait: Callable[[], float]) -> None:
        self._messages: Any = import_module(f"{PACKAGE}.msg")
        self._calls = SimulatorCalls(node, prefix, answer_wait)

    def find_problem(self) -> str:
        """Say why nothing can be moved; "" if it can."""
        try:
            self._calls.check_state()
            missing = not self._calls.supports("SetEntityState")
        except SimulatorError as error:
            self._calls.forget_features()
            return f"{error}."
        return "The simulator has no SetEntityState." if missing else ""

    def is_paused(self) -> bool:
        """Return True while the simulator's time stands still. Raises SimulatorLost."""
        return self._calls.check_state() not in RUNNING

    def move(self, graph: SceneGraph, delta: SceneDelta) -> Outcome:
        """Move the entities whose nodes a change of the scene graph moves."""
        worst = 0.0
        for node in delta.upserted:
            before = graph.nodes.get(node.id)
            name = node.attributes.get(ENTITY)
            if before is None or name is None or before.pose is None or node.pose is None:
                continue
            if node.pose == before.pose:
                continue
            try:
                worst = max(worst, self._move(str(name), before.pose, node.pose))
            except SimulatorLost as error:
                text = f"{error}: how far {name} came is unknown."
                return Outcome(OutcomeCode.EXECUTOR_LOST, text)
            except SimulatorError as error:
                return Outcome(OutcomeCode.EXECUTION_FAILED, f"{name} can't be moved: {error}.")
            if worst > REACH:
                text = f"{name} is {worst:.2f} m from where it was put."
                return Outcome(OutcomeCode.POSTCONDITION_FAILED, text)
        return Outcome(OutcomeCode.SUCCEEDED, "", 1.0 - worst / REACH)

    def stop(self) -> None:
        """End what waits for the simulator, which then counts as lost."""
        self._calls.stopped.set()

    def resume(self) -> None:
        """Move entities again after `stop`."""
        self._calls.stopped.clear()

    def close(self) -> None:
        """Destroy the clients."""
        self._calls.close()

    def _move(self, name: str, before: Pose, after: Pose) -> float:
        """Move an entity as its box moves; return how far from there it then is (m)."""
        # The frame of the entity need not be in the middle of its box: both move alike.
        now = self._find_pose(name)
        box, target = (Transform(one.position, one.orientation) for one in (before, after))
        aim = (target @ box.inverse()).transform_pose(now)
        state = self._messages.EntityState(pose=pose_to_ros(aim))
        flags: Mapping[str, bool] = {"set_pose": True, "set_twist": True}
        self._calls.ask("SetEntityState", entity=name, state=state, **flags)
        return math.dist(self._find_pose(name).position, aim.position)

    def _find_pose(self, name: str) -> Pose:
        return pose_from_ros(self._calls.ask("GetEntityState", entity=name).state.pose)
