# SPDX-License-Identifier: Apache-2.0
"""The node ``world_executor``: performs steps in a world that the scene graph follows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.action.server import ServerGoalHandle
from rosgraph_msgs.msg import Clock

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.step_world import StepWorld, TimedWorld
from fcp_ros.msg import SceneGraphRequest, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import SceneUpdate, update_to_ros
from fcp_ros.nodes.executors.step_threads import STEP_PARAMETERS, StepThreads
from fcp_ros.nodes.runtime.domain_parameter import (
    list_executors,
    read_domain,
)
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import (
    SCENE_FILES,
    ParameterSpec,
    ParameterTable,
    TakesEffect,
)
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import SceneFollower, follow_scene
from fcp_ros.package_files import find_scene
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene import load_scene
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph


def _make_pyrobosim(parameters: ParameterTable) -> StepWorld:
    from fcp_ros.execution.pyrobosim_world import PyrobosimWorld

    seed, speed = parameters.integer("seed"), parameters.number("time_scale")
    return PyrobosimWorld(Path(parameters.file("world_file")), seed=seed, speed=speed)


def _make_physics(parameters: ParameterTable) -> StepWorld:
    from fcp_ros.execution.physics import PhysicsError, PhysicsWorld, WorldOptions

    seed, pace = parameters.integer("seed"), max(0.0, parameters.number("time_scale"))
    graph = load_scene(find_scene(parameters.file("world_file")))
    try:
        return PhysicsWorld(graph, seed, WorldOptions(pace=pace))
    except PhysicsError as error:
        raise ConfigureError(str(error)) from error


WORLDS: Mapping[str, Callable[[ParameterTable], StepWorld]] = {
    "physics": _make_physics,
    "pyrobosim": _make_pyrobosim,
}
"""Kind of world -> constructor, which raises SceneError or ConfigureError."""

PARAMETERS = (
    *STEP_PARAMETERS,
    ParameterSpec("kind", "pyrobosim", "The kind of the world.", choices=tuple(WORLDS)),
    ParameterSpec("world_file", "", "File that describes the world.", files=SCENE_FILES),
    ParameterSpec(
        "time_scale",
        1.0,
        "Simulated seconds in one real second; negative: as fast as it can.",
        minimum=-1.0,
        maximum=10_000.0,
    ),
    ParameterSpec(
        "publish_clock",
        False,
        "Publish the time of a world that has a clock on /clock, for nodes with use_sim_time.",
    ),
    ParameterSpec(
        "publish_period",
        0.5,
        "Time between two looks at the world, while nothing ends there [s].",
        minimum=0.02,
        maximum=60.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)

CLOCK = "clock of the world"
"""The work of the thread that publishes the time of the world."""

CLOCK_PERIOD = 0.02
"""Seconds between two messages on ``/clock``."""

LOOKS = "looks at the world"
"""The work of the thread that keeps the scene graph like the world."""

ECHO_WAIT = 1.0
"""Seconds after which an update that does not show is published again."""


class WorldExecutorNode(ManagedNode):
    """Performs steps in a world beside the scene graph.

    Offers one action (ExecuteStep) for each executor of the domain; the world decides how a step
    ends. Publishes ``scene_graph_update`` (SceneGraphUpdate): the whole world, whenever it has
    changed, and before a step is reported as ended. Subscribes to ``scene_graph`` and
    ``scene_changes``, and to ``scene_graph_request``, which it answers. Of a world with a clock,
    publishes the time on ``/clock`` if the parameter ``publish_clock`` says so.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world_executor", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._publishing = threading.Lock()  # Guards the three below
        self._number = 0
        self._published: SceneGraph | None = None
        self._shown_from: int | None = None  # Number of the scene graph before the last update
        self._world: StepWorld | None = None
        self._steps: StepThreads | None = None
        self._publisher: Any = None
        self._clock_publisher: Any = None

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        domain = read_domain(self.parameters)
        if not self.parameters.file("world_file"):
            raise ConfigureError("there is no world: set world_file to the file of one.")
        try:
            self._world = self.own(WORLDS[self.parameters.text("kind")](self.parameters))
        except SceneError as error:
            raise ConfigureError(str(error)) from error
        self._publisher = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        follow_scene(self, self._scene)
        self.subscribe_events(SceneGraphRequest, "scene_graph_request", self._answer_request)
        self.workers.open(LOOKS, 0)
        if isinstance(self._world, TimedWorld) and self.parameters.flag("publish_clock"):
            self._clock_publisher = self.publish_events(Clock, "/clock")
            self.workers.open(CLOCK, 0)
        at_once = self.parameters.integer("steps_at_once")
        self._steps = self.own(StepThreads(self, list_executors(domain), self._perform, at_once))

    def activate(self) -> None:
        with self._publishing:
            self._published = None
        self.workers[LOOKS].submit(self._follow)
        if self._clock_publisher is not None:
            self.workers[CLOCK].submit(self._keep_time)

    def deactivate(self) -> None:
        self.workers.cancel_jobs()
        self._scene.wake()

    def release(self) -> None:
        super().release()
        self._scene.clear()
        self._world = self._steps = self._publisher = None
        self._clock_publisher = None

    def diagnose(self) -> Diagnosis:
        sequence = self._scene.sequence
        values = {
            "kind": self.parameters.text("kind"),
            "performing": "" if self._steps is None else self._steps.describe(),
            "scene_sequence_number": "none" if sequence is None else sequence,
        }
        return Diagnosis(values=values)

    # --- steps ----------------------------------------------------------------------------------

    def _perform(self, step: PlanStep, goal: ServerGoalHandle, token: CancelToken) -> Outcome:
        assert self._world is not None

        def tell(progress: float, message: str) -> None:
            goal.publish_feedback(ExecuteStep.Feedback(progress=progress, message=message))

        outcome = self._world.perform(step, tell, lambda: token.cancelled)
        limit = self.parameters.number("report_timeout")
        # A cancelled step reports, too: how far it came shows in the graph.
        if self._publish_until_shown(limit) or not outcome.succeeded:
            return outcome
        return Outcome(
            OutcomeCode.POSTCONDITION_FAILED,
            f"The scene graph did not take the update within {limit:g} s; is the node scene_graph "
            "active?",
        )

    # --- the scene graph ------------------------------------------------------------------------

    def _follow(self, token: CancelToken) -> None:
        while not token.cancelled:
            try:
                # Only steps change a world; to read one costs up to 0.1 s of CPU.
                is_busy = self._steps is not None and self._steps.describe()
                if self._published is None or is_busy:
                    self._publish_until_shown(ECHO_WAIT)
            except SceneError as error:
                self.get_logger().error(f"the world can't be read: {error}")
            token.wait(self.parameters.number("publish_period"))

    def _keep_time(self, token: CancelToken) -> None:
        """Publish the time of the world, and let it pass while no step does."""
        assert isinstance(self._world, TimedWorld)
        scale = self.parameters.number("time_scale")
        while not token.wait(CLOCK_PERIOD):
            seconds = self._world.keep_time(CLOCK_PERIOD * (scale if scale > 0.0 else 1.0))
            stamp = Time(sec=int(seconds), nanosec=int(seconds % 1.0 * 1e9))
            self._clock_publisher.publish(Clock(clock=stamp))

    def _answer_request(self, request: SceneGraphRequest) -> None:
        """Publish the world again at the next look: something was lost."""
        if request.source in ("", self.get_name()):
            with self._publishing:
                self._published = None

    def _publish_until_shown(self, limit: float) -> bool:
        """Publish the world if it has changed; return False if the graph doesn't follow in time."""
        assert self._world is not None
        with self._publishing:
            world = self._world.read_scene()
            end = time.monotonic() + limit
            while not self._is_published(world) or self._scene.sequence == self._shown_from:
                left = end - time.monotonic()
                if left <= 0.0 or not self.is_active:
                    self._published = None
                    return False
                self._publish(world)
                self._scene.wait_for(
                    lambda: self._scene.sequence != self._shown_from or not self.is_active,
                    min(left, ECHO_WAIT),
                )
            return True

    def _is_published(self, world: SceneGraph) -> bool:
        published = self._published
        return published is not None and (
            (published.nodes, published.relations) == (world.nodes, world.relations)
        )

    def _publish(self, world: SceneGraph) -> None:
        self._number += 1
        self._published, self._shown_from = world, self._scene.sequence
        delta = SceneDelta(
            self._number, upserted=tuple(world.nodes.values()), added=tuple(world.relations)
        )
        stamp = self.get_clock().now().to_msg()
        update = SceneUpdate(stamp, world.frame_id, True, delta, self.get_name())
        self._publisher.publish(update_to_ros(update))


def main() -> int:
    return run_node(WorldExecutorNode)
