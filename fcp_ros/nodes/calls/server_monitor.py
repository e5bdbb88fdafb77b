# SPDX-License-Identifier: Apache-2.0
"""Watches for servers that appear and disappear; rclpy has no callback for that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from rclpy.node import Node

from fcp_ros.nodes.runtime.pausable_timer import PausableTimer

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

    `_lock` guards the table of watches; `then` is called without it, and only by whoever has just
    removed its watch from the table.

    Args:
        node: The node that the timer belongs to.
    """

    def __init__(self, node: Node) -> None:
        self._watches: dict[str, ServerWatch] = {}
        self._lock = threading.Lock()
        self._timer = PausableTimer(node, PERIOD, self._look_again)

    def watch(self, key: str, watch: ServerWatch) -> None:
        """Begin to watch, with a first look at once; a later watch of the same key replaces it."""
        if watch.is_ready() == watch.wanted:
            self.unwatch(key)
            watch.then()
            return
        with self._lock:
            self._watches[key] = watch
        self._timer.start()

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
        self._timer.close()

    def _look_again(self) -> bool:
        self.look()
        with self._lock:
            return bool(self._watches)

    def _remove(self, key: str, watch: ServerWatch) -> bool:
        """Remove a watch; return False if it was replaced or removed meanwhile."""
        with self._lock:
            if self._watches.get(key) is not watch:
                return False
            del self._watches[key]
            return True
