# SPDX-License-Identifier: Apache-2.0
"""The word of the scene_graph node on its graph: live, old, or that the node is inactive."""

from __future__ import annotations

import threading

from fcp_ros.msg import SceneStatus
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.nodes.runtime.sign_of_life import Alarm, call_later

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
        """True while the graph is older than the world."""
        return self._is_old

    def set_active(self, active: bool) -> None:
        """Say that the node was activated, or deactivated."""
        with self._lock:
            self._is_active = active
            self._publish()

    def set_old(self, old: bool) -> None:
        """Say that the graph is older than the world, or that it is not any more."""
        if old == self._is_old:  # asked for at each update
            return
        with self._lock:
            self._is_old = old
            self._publish()

    def close(self) -> None:
        """End the retries; the node destroys the topic."""
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
