# SPDX-License-Identifier: Apache-2.0
"""Publishes a scene graph: each change at once, the whole of it now and then."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange
from fcp_ros.nodes.conversions.scene_values import PublishedChange, PublishedGraph
from fcp_ros.nodes.conversions.scene_wire_write import SceneWriter
from fcp_ros.nodes.runtime.managed_node import ManagedNode


@dataclass(frozen=True)
class ReadyChange:
    """A change that is known to fit into its message."""

    graph: PublishedGraph
    data: bytes


class ScenePublisher:
    """Publishes ``scene_changes`` at each change, and ``scene_graph`` at most once in a period.

    The newest graph is always published in the end: within the period after its change. All
    methods may be called from any thread.

    Arguments:
        node: that publishes, while it is active.
        period: least time between two whole graphs [s].
    """

    def __init__(self, node: ManagedNode, period: float) -> None:
        self._node = node
        self._period = period
        self._lock = threading.Lock()
        self._writer = SceneWriter()
        self._changes = node.publish_events(SceneGraphChange, "scene_changes")
        self._graphs = node.publish_state(SceneGraphMessage, "scene_graph")
        self._newest: PublishedGraph | None = None
        self._is_due = False
        self._last = -period
        self._timer = node.create_steady_timer(
            period, self._publish_due, MutuallyExclusiveCallbackGroup()
        )

    def ready(self, change: PublishedChange, graph: PublishedGraph) -> ReadyChange:
        """Write a change, before it is made.

        Raises:
            ConversionError: something in it does not fit into a message.
        """
        with self._lock:
            return ReadyChange(graph, self._writer.change(change))

    def publish(self, change: ReadyChange) -> None:
        """Publish a change that was made."""
        with self._lock:
            self._newest = change.graph
            if not self._node.is_active:
                return
            self._changes.publish(change.data)
            self._is_due = True
            if time.monotonic() - self._last >= self._period:
                self._publish_graph()

    def publish_whole(self) -> None:
        """Publish the newest graph now, as far as there is one."""
        with self._lock:
            if self._newest is not None:
                self._publish_graph()

    def close(self) -> None:
        """Publish nothing more; the topics are the node's."""
        self._node.destroy_timer(self._timer)
        with self._lock:
            self._newest = None
            self._is_due = False

    def _publish_due(self) -> None:
        with self._lock:
            if self._is_due and self._node.is_active:
                self._publish_graph()

    def _publish_graph(self) -> None:
        assert self._newest is not None
        self._graphs.publish(self._writer.graph(self._newest))
        self._is_due = False
        self._last = time.monotonic()
        self._timer.reset()  # the next one a whole period from now
