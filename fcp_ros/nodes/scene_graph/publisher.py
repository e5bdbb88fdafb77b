# SPDX-License-Identifier: Apache-2.0
"""The topics of the scene_graph node: changes, graphs, its standing, requests for full updates."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from rclpy.serialization import serialize_message

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange, SceneGraphRequest, SceneStatus
from fcp_ros.nodes.conversions.scene import PublishedGraph, SceneUpdate, change_to_ros, graph_to_ros
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.nodes.runtime.server_life import Alarm, call_later
from fcp_ros.nodes.runtime.worker import PausableTimer

TOPIC = "scene_status"

LOOK_AGAIN = 0.1
"""Seconds until the next look for the node's own participant, right after its start."""

OLD = (
    "the scene was read from its file after a crash, and the world may have changed since. Call "
    "load_scene, or publish scene_graph_update"
)


class SceneStanding:
    """Publishes ``scene_status``, also while the node is inactive; thread-safe."""

    def __init__(self, node: ManagedNode) -> None:
        self._node = node
        self._publisher = node.publish_to_the_end(SceneStatus, TOPIC, state_qos())
        self._lock = threading.Lock()
        self._is_old = False
        self._is_active = False
        self._alarm: Alarm | None = None
        self.set_active(False)

    @property
    def is_old(self) -> bool:
        return self._is_old

    def set_active(self, active: bool) -> None:
        with self._lock:
            self._is_active = active
            self._publish()

    def set_old(self, old: bool) -> None:
        if old == self._is_old:  # asked for at each update
            return
        with self._lock:
            self._is_old = old
            self._publish()

    def close(self) -> None:
        with self._lock:
            if self._alarm is not None:
                self._alarm.cancel()

    def _publish(self) -> None:
        participant = self._node.participant
        if participant is None:
            self._alarm = call_later(LOOK_AGAIN, self._retry)
            return
        name = self._node.get_fully_qualified_name()
        status = SceneStatus(participant=list(participant), state=SceneStatus.LIVE)
        if not self._is_active:
            status.state = SceneStatus.INACTIVE
            status.message = f"the node {name} is not active"
        elif self._is_old:
            status.state, status.message = SceneStatus.OLD, OLD
        status.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(status)

    def _retry(self) -> None:
        with self._lock:
            self._publish()


@dataclass(frozen=True)
class ReadyChange:
    """A change, and its serialised message."""

    graph: PublishedGraph
    data: bytes


class ScenePublisher:
    """Publishes ``scene_changes`` at each change, and ``scene_graph`` at most once in a period.

    The newest graph is always published within a period after its change. Thread-safe. `node`: the
    node; it publishes while it is active. `period`: least time between two whole graphs [s].
    """

    def __init__(self, node: ManagedNode, period: float) -> None:
        self._node = node
        self._period = period
        self._lock = threading.Lock()
        self._changes = node.publish_events(SceneGraphChange, "scene_changes")
        self._graphs = node.publish_state(SceneGraphMessage, "scene_graph")
        self._newest: PublishedGraph | None = None
        self._is_due = False
        self._last = -period
        self._timer = PausableTimer(node, period, self._publish_due)

    def prepare(self, change: SceneUpdate, graph: PublishedGraph) -> ReadyChange:
        """Serialise a change, before it is made the present state.

        Raises ConversionError if something in it does not fit into a message.
        """
        return ReadyChange(graph, serialize_message(change_to_ros(change)))

    def publish(self, change: ReadyChange) -> None:
        with self._lock:
            self._newest = change.graph
            if not self._node.is_active:
                return
            self._changes.publish(change.data)
            if not self._is_due and time.monotonic() - self._last >= self._period:
                self._publish_graph()
            else:
                self._is_due = True
                self._timer.start()

    def publish_whole(self) -> None:
        with self._lock:
            if self._newest is not None:
                self._publish_graph()

    def close(self) -> None:
        self._timer.close()
        with self._lock:
            self._newest = None
            self._is_due = False

    def _publish_due(self) -> bool:
        with self._lock:
            if self._is_due and self._node.is_active:
                self._publish_graph()
            return False

    def _publish_graph(self) -> None:
        assert self._newest is not None
        self._graphs.publish(graph_to_ros(self._newest.graph, self._newest.stamp))
        self._is_due = False
        self._last = time.monotonic()


MOST_SOURCES = 64
"""Sources that are asked at a time: their names come from outside, so there may be many."""


@dataclass(frozen=True)
class _Request:
    last: int
    reason: str


class FullUpdateRequests:
    """Publishes ``scene_graph_request``, repeated in a period until a full update has come.

    However fast updates are refused, a source is asked once in a period. Thread-safe. `node`: the
    node; it publishes while it is active. `period`: time between two requests to a source [s].
    """

    def __init__(self, node: ManagedNode, period: float) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._requests: dict[str, _Request] = {}
        self._publisher = node.publish_events(SceneGraphRequest, "scene_graph_request")
        self._timer = PausableTimer(node, period, self._repeat)

    @property
    def open(self) -> int:
        """Number of sources from which a full update is awaited."""
        with self._lock:
            return len(self._requests)

    def ask(self, source: str, last: int, reason: str) -> None:
        """Ask for a full update.

        `source`: the source; "" for anybody. `last`: number of the last update that was taken from
        it; 0 for none.
        """
        with self._lock:
            is_new = source not in self._requests and len(self._requests) < MOST_SOURCES
            if is_new or source in self._requests:
                self._requests[source] = _Request(last, reason)
            if is_new:
                self._publish(source, self._requests[source])
                self._timer.start()

    def withdraw_all(self) -> None:
        """Stop asking: after a full update, what was missing before no longer matters."""
        with self._lock:
            self._requests.clear()

    def close(self) -> None:
        self._timer.close()
        self.withdraw_all()

    def _repeat(self) -> bool:
        with self._lock:
            for source, request in self._requests.items():
                self._publish(source, request)
            return bool(self._requests)

    def _publish(self, source: str, request: _Request) -> None:
        if not self._node.is_active:
            return
        message = SceneGraphRequest(
            source=source, last_sequence_number=request.last, reason=request.reason
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
