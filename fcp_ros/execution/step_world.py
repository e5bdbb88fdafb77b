# SPDX-License-Identifier: Apache-2.0
"""Worlds beside the scene graph, in which steps are performed: the graph follows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from fcp_ros.execution.outcome import Outcome
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose
from fcp_ros.scene.graph.graph import SceneGraph


class StepWorld(Protocol):
    """A world that decides by itself how a step ends. Methods may be called from any thread."""

    def perform(
        self,
        step: PlanStep,
        tell: Callable[[float, str], None],  # Gets progress in [0, 1], and a sentence
        is_cancelled: Callable[[], bool],  # True once the step is to end
    ) -> Outcome:
        """Perform a step; returns when it has ended. Steps of several robots may overlap."""

    def read_scene(self) -> SceneGraph:
        """Read how the world is now; ids stay."""

    def close(self) -> None:
        """End what still moves."""


@runtime_checkable
class ServedWorld(StepWorld, Protocol):
    """A world with a clock of its own, which others may change."""

    def keep_time(self, seconds: float) -> float:
        """Let time pass where no step does that; return the world's time (s)."""

    def set_pose(self, name: str, pose: Pose) -> None:
        """Set the pose of the middle of a thing's box. Raises ValueError if it can't be."""

    def set_paused(self, paused: bool) -> None:
        """Let time stand still, or go on."""

    def reset(self) -> None:
        """Bring the world into the state that it began with."""

    def spawn(self, name: str, uri: str, pose: Pose) -> None:
        """Make a thing. Raises ValueError if it can't be made."""

    def delete(self, name: str) -> None:
        """Remove a thing. Raises ValueError if it can't be removed."""
