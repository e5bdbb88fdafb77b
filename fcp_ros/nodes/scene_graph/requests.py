# SPDX-License-Identifier: Apache-2.0
"""Asks the senders of scene graph updates for a full one when something is missing."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from fcp_ros.msg import SceneGraphRequest
from fcp_ros.nodes.runtime.managed_node import ManagedNode

MOST_SOURCES = 64
"""Sources that are asked at a time; the names come from outside."""


@dataclass(frozen=True)
class _Wish:
    last: int
    reason: str


class FullUpdateRequests:
    """Publishes ``scene_graph_request``, repeated in a period until a full update has come.

    However fast updates are refused, a source is asked once in a period. Thread-safe.

    Arguments:
        node: that publishes, while it is active.
        period: time between two requests to a source [s].
    """

    def __init__(self, node: ManagedNode, period: float) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._wishes: dict[str, _Wish] = {}
        self._publisher = node.publish_events(SceneGraphRequest, "scene_graph_request")
        self._timer = node.create_steady_timer(
            period, self._repeat, MutuallyExclusiveCallbackGroup()
        )

    @property
    def open(self) -> int:
        """How many sources a full update is awaited from."""
        with self._lock:
            return len(self._wishes)

    def ask(self, source: str, last: int, reason: str) -> None:
        """Ask for a full update.

        Arguments:
            source: whose; "" for anybody's.
            last: number of the last update that was taken from it; 0 for none.
            reason: one sentence.
        """
        with self._lock:
            is_new = source not in self._wishes and len(self._wishes) < MOST_SOURCES
            if is_new or source in self._wishes:
                self._wishes[source] = _Wish(last, reason)
            if is_new:
                self._publish(source, self._wishes[source])

    def fulfilled(self) -> None:
        """A full update has come: what was missing before does not matter any more."""
        with self._lock:
            self._wishes.clear()

    def close(self) -> None:
        """Ask no more; the topic is the node's."""
        self._node.destroy_timer(self._timer)
        self.fulfilled()

    def _repeat(self) -> None:
        with self._lock:
            for source, wish in self._wishes.items():
                self._publish(source, wish)

    def _publish(self, source: str, wish: _Wish) -> None:
        if not self._node.is_active:
            return
        message = SceneGraphRequest(
            source=source, last_sequence_number=wish.last, reason=wish.reason
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
