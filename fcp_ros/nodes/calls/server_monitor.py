# SPDX-License-Identifier: Apache-2.0
"""Watches for servers that appear and disappear; rclpy has no callback for that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 0.1
"""Seconds between two looks, while there is something to watch for."""


@dataclass(frozen=True)
class ServerWatch:
    """A change to watch for: `then` is called once, as soon as `is_ready` returns `wanted`."""

    is_ready: Callable[[], bool]
    wanted: bool
    then: Callable[[], None] = field(compare=False)


class ServerMonitor:
    """Looks at servers with a timer that runs only while something is watched.

    Only the timer's own callback cancels the timer: an executor that is about to call a timer fails
    if another thread cancels it at that moment. `_lock` guards the table of watches; `then` is
    called without it, and only by whoever has just removed its watch from the table.

    Args:
        node: The node that the timer belongs to.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._watches: dict[str, ServerWatch] = {}
        self._lock = threading.Lock()
        self._timer = node.create_timer(
            PERIOD,
            self._on_timer,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),  # simulated time may stand still
        )
        self._timer.cancel()

    def watch(self, key: str, watch: ServerWatch) -> None:
        """Begin to watch, with a first look at once; a later watch of the same key replaces it."""
        if watch.is_ready() == watch.wanted:
            self.unwatch(key)
            watch.then()
            return
        with self._lock:
            self._watches[key] = watch
            self._timer.reset()
        executor = self._node.executor
        if executor is not None:
            executor.wake()  # it may sleep without a timer to wake it

    def unwatch(self, key: str | None = None) -> None:
        """End one watch, or all of them."""
        with self._lock:
            if key is None:
                self._watches.clear()
            else:
                self._watches.pop(key, None)

    def look(self) -> None:
        """Look now: something has changed."""
        with self._lock:
            watches = dict(self._watches)
        for key, watch in watches.items():
            if watch.is_ready() == watch.wanted and self._remove(key, watch):
                watch.then()

    def close(self) -> None:
        """Destroy the timer."""
        self.unwatch()
        self._node.destroy_timer(self._timer)

    def _on_timer(self) -> None:
        with self._lock:
            if not self._watches:
                self._timer.cancel()
        self.look()

    def _remove(self, key: str, watch: ServerWatch) -> bool:
        """Remove a watch; return False if it was replaced or removed meanwhile."""
        with self._lock:
            if self._watches.get(key) is not watch:
                return False
            del self._watches[key]
            return True
