# SPDX-License-Identifier: Apache-2.0
"""The topic ``scene_markers``: changes once in a period, and everything for new subscribers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rclpy.parameter import Parameter
from visualization_msgs.msg import Marker, MarkerArray

from fcp_ros.msg import ExecutionState, Plan
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.worker import PausableTimer
from fcp_ros.nodes.scene_graph.marker_parts import (
    PARTS,
    RELATIONS,
    Doing,
    Drawing,
    PlanSteps,
    View,
    draw_parts,
)
from fcp_ros.scene.graph.graph import SceneGraph

# --- the markers that are shown, and the messages that change them ---

_LAST_ID = 2**31 - 1


@dataclass(slots=True)
class _Shown:
    made_of: tuple[object, ...]
    marker: Marker


class MarkerBoard:
    """The markers that are shown, by namespace and key.

    A marker keeps its id while what it stands for exists, so that a change is sent as one ADD and
    an end as one DELETE. Not thread-safe.

    Headers have no time: RViz then shows a marker with the newest transform of its frame, however
    old the marker is.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, Hashable], _Shown] = {}
        self._frame_id = ""
        self._last_id = -1

    def __len__(self) -> int:
        return len(self._shown)

    def show(
        self, drawings: Iterable[Drawing], frame_id: str, limit: int
    ) -> tuple[list[Marker], str]:
        """Show these drawings and nothing else.

        `drawings`: in the order of their importance. Returns the markers to send (removals first),
        and the namespace in which the limit was reached; "" if it was not.
        """
        gone = []
        if frame_id != self._frame_id:
            self._frame_id = frame_id
            gone = self._make_clear() if self._shown else []
            self._shown = {}
        remaining = iter(drawings)
        wanted = {}
        changed = []
        for drawing in islice(remaining, limit):
            name = drawing.namespace, drawing.key
            shown = self._shown.get(name)
            if shown is None or shown.made_of != drawing.made_of:
                marker = self._make_add(
                    drawing, self._next_id() if shown is None else shown.marker.id
                )
                shown = _Shown(drawing.made_of, marker)
                changed.append(marker)
            wanted[name] = shown
        gone += [
            self._make_delete(ns, shown.marker.id)
            for (ns, key), shown in self._shown.items()
            if (ns, key) not in wanted
        ]
        self._shown = wanted
        first_left_out = next(remaining, None)
        return [*gone, *changed], first_left_out.namespace if first_left_out else ""

    def repeat_all(self) -> list[Marker]:
        """Return all shown markers after a DELETEALL, for a new receiver."""
        return [*self._make_clear(), *(shown.marker for shown in self._shown.values())]

    def _make_clear(self) -> list[Marker]:
        clear = Marker(action=Marker.DELETEALL)
        clear.header.frame_id = self._frame_id
        return [clear]

    def _make_delete(self, namespace: str, id_: int) -> Marker:
        marker = Marker(action=Marker.DELETE, ns=namespace, id=id_)
        marker.header.frame_id = self._frame_id
        return marker

    def _make_add(self, drawing: Drawing, id_: int) -> Marker:
        marker = drawing.make()
        marker.ns, marker.id = drawing.namespace, id_
        marker.header.frame_id = self._frame_id
        return marker

    def _next_id(self) -> int:
        # Ids of removed markers are not reused soon: a late DELETE must not hit a new marker.
        self._last_id = 0 if self._last_id >= _LAST_ID else self._last_id + 1
        return self._last_id


# --- the steps that are being done, from the executive's messages ---

MOST_PLANS = 16
"""Plans that are remembered: twice as many as are ever executed side by side."""


class RunningSteps:
    """The steps that are being done, as the executive says. Not thread-safe.

    A state may come before the plan that it is about.
    """

    def __init__(self) -> None:
        self._plans: OrderedDict[bytes, Plan] = OrderedDict()
        self._states: dict[bytes, ExecutionState] = {}  # of plans with such steps; the newest last

    def take_plan(self, plan: Plan) -> None:
        self._plans[bytes(plan.id.uuid)] = plan
        while len(self._plans) > MOST_PLANS:
            self._plans.popitem(last=False)

    def take_state(self, state: ExecutionState) -> None:
        key = bytes(state.plan_id.uuid)
        self._states.pop(key, None)
        if state.state == ExecutionState.IDLE:
            self._states.clear()
        elif state.running:
            self._states[key] = state

    def list_doing(self) -> Doing:
        """List who does what now, with the progress; an agent does what was said of it last."""
        doing: dict[str, str] = {}
        for key, state in self._states.items():
            steps = self._plans[key].steps if key in self._plans else ()
            for index, progress in zip(state.running, state.progress, strict=False):
                if index < len(steps):
                    step = steps[index]
                    values = [argument.value for argument in step.arguments]
                    share = f" {progress:.0%}" if progress > 0.0 else ""
                    words = f"{index + 1}: {step.rule}({', '.join(values)}){share}"
                    doing.update(dict.fromkeys(step.agents or values, words))
        return tuple(sorted(doing.items()))


# --- the topic ``scene_markers``: changes once in a period ---

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
    latched), and to ``plan_in_execution`` (Plan, latched) and ``execution_state`` (ExecutionState,
    latched) for what is being done. A message holds the changes since the one before. When a new
    subscriber appears, everything is sent, beginning with DELETEALL. Without subscribers nothing is
    drawn, and without changes nothing runs. Thread-safe. `node`: in its ``configure``; it has the
    parameters `PARAMETERS`.
    """

    def __init__(self, node: ManagedNode) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._graph: SceneGraph | None = None
        self._steps: PlanSteps = ()
        self._running = RunningSteps()
        self._drawn: SceneGraph | None = None
        self._drawn_with: tuple[object, ...] = ()
        self._board = MarkerBoard()
        self._sends_all = True
        self._left_out = ""
        self._timer = PausableTimer(node, node.parameters.number("marker_period"), self._publish)
        self._publisher = node.publish_state(MarkerArray, "scene_markers", DEPTH, self._on_match)
        node.subscribe_state(Plan, "task_plan", self._take_plan)
        node.subscribe_state(Plan, "plan_in_execution", self._take_running_plan)
        node.subscribe_state(ExecutionState, "execution_state", self._take_state)
        node.add_post_set_parameters_callback(self._on_parameters)

    def show(self, graph: SceneGraph) -> None:
        """Show this graph from the next message on; costs nothing now."""
        with self._lock:
            self._graph = graph
        self._timer.start()

    def send_all(self) -> None:
        with self._lock:
            self._sends_all = True
        self._timer.start()

    def close(self) -> None:
        self._node.remove_post_set_parameters_callback(self._on_parameters)
        self._timer.close()

    def values(self) -> Mapping[str, object]:
        return {"markers": len(self._board), "markers_left_out_from": self._left_out}

    def _take_plan(self, message: Plan) -> None:
        steps = tuple(tuple(arg.value for arg in step.arguments) for step in message.steps)
        with self._lock:
            self._steps = steps
        self._timer.start()

    def _take_running_plan(self, message: Plan) -> None:
        with self._lock:
            self._running.take_plan(message)
        self._timer.start()

    def _take_state(self, message: ExecutionState) -> None:
        with self._lock:
            self._running.take_state(message)
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
            graph, steps, doing = self._graph, self._steps, self._running.list_doing()
            sends_all, self._sends_all = self._sends_all, False
        changed = self._draw(graph, steps, doing)
        markers = self._board.repeat_all() if sends_all else changed
        if markers:
            self._publisher.publish(MarkerArray(markers=markers))
        return False

    def _draw(self, graph: SceneGraph, steps: PlanSteps, doing: Doing) -> list[Marker]:
        parameters = self._node.parameters
        limit = parameters.integer("max_markers")
        parts = parameters.texts("marker_parts")
        relations = frozenset(parameters.texts("marker_relations"))
        drawn_with = (steps, doing, parts, relations, limit)
        if graph is self._drawn and drawn_with == self._drawn_with:
            return []
        drawings = draw_parts(View(graph, steps, doing, relations), parts)
        changed, left_out = self._board.show(drawings, graph.frame_id, limit)
        self._drawn, self._drawn_with = graph, drawn_with
        if left_out and left_out != self._left_out:
            self._node.get_logger().warning(
                f"the scene has more than {limit} markers: {left_out} and what comes after it is "
                "not or only partly shown; raise max_markers, or choose fewer marker_parts"
            )
        self._left_out = left_out
        return changed
