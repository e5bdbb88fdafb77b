# SPDX-License-Identifier: Apache-2.0
"""The topic ``scene_markers``: changes once in a period, and everything for new subscribers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from rclpy.parameter import Parameter
from visualization_msgs.msg import Marker, MarkerArray

from fcp_ros.msg import Plan
from fcp_ros.nodes.markers.board import MarkerBoard
from fcp_ros.nodes.markers.parts import PARTS, RELATIONS, View, draw_parts
from fcp_ros.nodes.markers.route import PlanSteps
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.pausable_timer import PausableTimer
from fcp_ros.scene.graph.graph import SceneGraph

PARAMETERS = (
    ParameterSpec(
        "marker_period",
        0.5,
        "Least time between two scene_markers messages [s].",
        minimum=0.05,
        maximum=3600.0,
    ),
    ParameterSpec(
        "marker_parts",
        list(PARTS),
        f"What scene_markers shows: any of {', '.join(PARTS)}.",
        choices=tuple(PARTS),
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "marker_relations",
        list(RELATIONS),
        "Names of the relations that scene_markers shows.",
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "max_markers",
        5_000,
        "Most markers that are shown at a time; labels go first, then relations, then boxes.",
        minimum=1,
        maximum=1_000_000,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)


DEPTH = 10
"""Messages that a receiver may be behind; each has only changes, so none may be lost."""


class SceneMarkers:
    """Publishes the scene and the present plan as markers, while its node is active.

    Publishes ``scene_markers`` (MarkerArray, latched) and subscribes to ``task_plan`` (Plan,
    latched). A message holds the changes since the one before. When a new subscriber appears,
    everything is sent, beginning with DELETEALL. Without subscribers nothing is drawn, and without
    changes nothing runs. Thread-safe.

    Args:
        node: In its ``configure``; it has the parameters `PARAMETERS`.
    """

    def __init__(self, node: ManagedNode) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._graph: SceneGraph | None = None
        self._steps: PlanSteps = ()
        self._drawn: SceneGraph | None = None
        self._drawn_with: tuple[object, ...] = ()
        self._board = MarkerBoard()
        self._sends_all = True
        self._left_out = ""
        self._timer = PausableTimer(node, node.parameters.number("marker_period"), self._publish)
        self._publisher = node.publish_state(MarkerArray, "scene_markers", DEPTH, self._on_match)
        node.subscribe_state(Plan, "task_plan", self._take_plan)
        node.add_post_set_parameters_callback(self._on_parameters)

    def show(self, graph: SceneGraph) -> None:
        """Show this graph from the next message on; costs nothing now."""
        with self._lock:
            self._graph = graph
        self._timer.start()

    def send_all(self) -> None:
        """Send everything with the next message."""
        with self._lock:
            self._sends_all = True
        self._timer.start()

    def close(self) -> None:
        """Stop publishing; the node destroys the topics."""
        self._node.remove_post_set_parameters_callback(self._on_parameters)
        self._timer.close()

    def values(self) -> Mapping[str, object]:
        """Return the values for the diagnostics."""
        return {"markers": len(self._board), "markers_left_out_from": self._left_out}

    def _take_plan(self, message: Plan) -> None:
        steps = tuple(tuple(arg.value for arg in step.arguments) for step in message.steps)
        with self._lock:
            self._steps = steps
        self._timer.start()

    def _on_match(self, counts: Any) -> None:
        """Send everything to a new subscriber: the latched messages hold the last changes alone."""
        if counts.total_count_change:
            self.send_all()

    def _on_parameters(self, _parameters: list[Parameter]) -> None:
        self._timer.start()

    def _publish(self) -> bool:
        if self._graph is None or not self._node.is_active:
            return False
        if not self._publisher.get_subscription_count():
            return False
        with self._lock:
            graph, steps = self._graph, self._steps
            sends_all, self._sends_all = self._sends_all, False
        changed = self._draw(graph, steps)
        markers = self._board.repeat_all() if sends_all else changed
        if markers:
            self._publisher.publish(MarkerArray(markers=markers))
        return False

    def _draw(self, graph: SceneGraph, steps: PlanSteps) -> list[Marker]:
        parameters = self._node.parameters
        limit = parameters.integer("max_markers")
        parts = parameters.texts("marker_parts")
        relations = frozenset(parameters.texts("marker_relations"))
        drawn_with = (steps, parts, relations, limit)
        if graph is self._drawn and drawn_with == self._drawn_with:
            return []
        drawings = draw_parts(View(graph, steps, relations), parts)
        changed, left_out = self._board.show(drawings, graph.frame_id, limit)
        self._drawn, self._drawn_with = graph, drawn_with
        if left_out and left_out != self._left_out:
            self._node.get_logger().warning(
                f"the scene has more than {limit} markers: {left_out} and what comes after it is "
                "not or only partly shown; raise max_markers, or choose fewer marker_parts"
            )
        self._left_out = left_out
        return changed
