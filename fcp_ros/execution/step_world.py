# SPDX-License-Identifier: Apache-2.0
"""Worlds beside the scene graph, in which steps are performed: the graph follows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from fcp_ros.execution.outcome import Outcome
from fcp_ros.planning.model.plan import PlanStep
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
class TimedWorld(Protocol):
    """A world with a clock of its own."""

    def keep_time(self, seconds: float) -> float:
        """Let time pass where no step does that; return the world's time (s)."""
