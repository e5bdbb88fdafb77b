# SPDX-License-Identifier: Apache-2.0
"""The node ``simulation_bridge``: keeps the scene graph like the world of a simulator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import ANY_NUMBER, SceneUpdate, delta_to_ros, update_to_ros
from fcp_ros.nodes.runtime.lifecycle import Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.optional_packages import require_interfaces
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, follow_scene
from fcp_ros.nodes.simulation.calls import (
    ANSWER_TIMEOUT,
    INSTALL,
    PACKAGE,
    SimulatorCalls,
    SimulatorError,
    SimulatorLost,
)
from fcp_ros.nodes.simulation.entities import HOLD_REACH, EntityFrames, merge_entities
from fcp_ros.nodes.simulation.reading import SimulatorReader, WorldReading

SOURCE = "simulation"
"""The sender of the first update of a scene graph that is empty."""

PARAMETERS = (
    ParameterSpec(
        "simulator",
        "/",
        "What stands before the names of the simulator's services: '/gzserver' for Gazebo, '/' "
        "(nothing) for Isaac Sim.",
    ),
    ANSWER_TIMEOUT,
    ParameterSpec(
        "poll_period",
        0.2,
        "Time between two looks at the simulator [s].",
        minimum=0.01,
        maximum=60.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "entities",
        "",
        "POSIX regular expression of the names of entities to follow; '' for all.",
    ),
    ParameterSpec(
        "only_known",
        False,
        "Follow only entities that the loaded scene has, by their names: for simulators that list "
        "each prim.",
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "hold_reach",
        HOLD_REACH,
        "Distance from the middle of a robot at which it no longer holds a thing [m]; no service "
        "tells what a robot holds.",
        minimum=0.0,
        maximum=100.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec("frame_id", "map", "Frame of the simulator's world in the scene graph."),
)

POLL = "poll"
"""The work of the node's thread."""

SHOWN_WAIT = 2.0
"""Longest wait (s) until the scene graph shows a change, before the next look."""

LOOK_AGAIN = 1.0
"""Seconds between two looks for a simulator that is not there."""


class SimulationBridge(ManagedNode):
    """Keeps the scene graph like the world of a simulator that serves ``simulation_interfaces``.

    Publishes ``scene_graph_update`` (SceneGraphUpdate): whatever the scene graph has otherwise.
    Subscribes to ``scene_graph`` and ``scene_changes``.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("simulation_bridge", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._calls: SimulatorCalls | None = None
        self._reader: SimulatorReader | None = None
        self._publisher: Any = None
        self._frames = EntityFrames()
        self._problem = "it has not been asked yet"
        self._state = ""
        self._reading = WorldReading(())

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        messages = require_interfaces(PACKAGE, "msg", INSTALL)
        patience = lambda: self.parameters.number("answer_timeout")  # noqa: E731
        simulator = self.parameters.text("simulator")
        calls = self._calls = self.own(SimulatorCalls(self, simulator, patience))
        pattern = self.parameters.text("entities")
        self._reader = SimulatorReader(calls, messages, pattern)
        self._publisher = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        follow_scene(self, self._scene)
        self.workers.open(POLL, 1)

    def activate(self) -> None:
        assert self._calls is not None
        self._calls.stopped.clear()
        self.workers[POLL].submit(self._follow)

    def deactivate(self) -> None:
        if self._calls is not None:
            self._calls.stopped.set()
        self.workers.cancel_jobs()
        self._scene.wake()

    def release(self) -> None:
        super().release()
        self._calls = self._reader = self._publisher = None
        self._scene.clear()
        self._frames = EntityFrames()
        self._reading = WorldReading(())

    def diagnose(self) -> Diagnosis:
        values = {
            "simulation_state": self._state,
            "entities": len(self._reading.entities),
            "does_without": "; ".join(self._reading.notes),
        }
        level = DiagnosticStatus.WARN if self._problem else DiagnosticStatus.OK
        return Diagnosis(level, self._problem and f"Simulator: {self._problem}.", values)

    # --- following ------------------------------------------------------------------------------

    def _follow(self, token: CancelToken) -> None:
        while not token.cancelled:
            try:
                self._look(token)
                self._note("")
                pause = self.parameters.number("poll_period")
            except SimulatorError as error:
                self._note(str(error))
                pause = LOOK_AGAIN if isinstance(error, SimulatorLost) else 0.0
                pause = max(pause, self.parameters.number("poll_period"))
                if isinstance(error, SimulatorLost) and self._reader is not None:
                    self._reader.forget()
            except Exception as error:  # the next look may go well
                self._note(self.internal_fault("following the simulator", error).sentence)
                pause = LOOK_AGAIN
            token.wait(pause)

    def _note(self, problem: str) -> None:
        if problem != self._problem and problem:
            self.get_logger().warning(f"simulator: {problem}")
        self._problem = problem

    def _look(self, token: CancelToken) -> None:
        assert self._calls is not None
        assert self._reader is not None
        state = self._calls.check_state()
        if state != self._state:
            self.get_logger().info(f"the simulator is {state or 'there'}")
            self._state = state
        # The graph is taken before the simulator is asked: what an executor has set and reported
        # between the two shows in both, or in the simulator only, and never in the graph only.
        try:
            graph = self._scene.graph()
        except NoSceneError:
            graph = None
        seen = self._scene.sequence
        reading = self._reading = self._reader.read()
        places, frames = reading.places, self._frames
        delta = merge_entities(
            graph,
            reading.entities,
            places,
            frames,
            only_known=self.parameters.flag("only_known"),
            hold_reach=self.parameters.number("hold_reach"),
        )
        if delta is None or token.cancelled:
            return
        stamp = self.get_clock().now().to_msg()
        frame = self.parameters.text("frame_id")
        if graph is None:
            update = SceneUpdate(stamp, frame, True, replace(delta, sequence=1), SOURCE)
            self._publisher.publish(update_to_ros(update))
        else:
            delta = replace(delta, sequence=ANY_NUMBER)
            self._publisher.publish(delta_to_ros(delta, frame, stamp))
        self._scene.wait_for(lambda: token.cancelled or self._scene.sequence != seen, SHOWN_WAIT)


def main() -> int:
    return run_node(SimulationBridge)
