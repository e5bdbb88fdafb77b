# SPDX-License-Identifier: Apache-2.0
"""Watches for action servers that come and go; rclpy has no callback for that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 0.1
"""Seconds between two looks, while there is something to look for."""


@dataclass(frozen=True)
class Watch:
    """Something to look for: `then` is called once, as soon as `server is ready` is `wanted`."""

    is_ready: Callable[[], bool]
    wanted: bool
    then: Callable[[], None] = field(compare=False)


class Seeker:
    """Looks for servers with a timer that runs only while something is sought.

    Only the timer's own callback cancels it: an executor that is about to call a timer fails when
    another thread cancels it at that moment.

    Arguments:
        node: that the timer belongs to.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._watches: dict[str, Watch] = {}
        self._lock = threading.Lock()
        self._timer = node.create_timer(
            PERIOD,
            self._look,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),  # simulated time may stand still
        )
        self._timer.cancel()

    def seek(self, key: str, watch: Watch) -> None:
        """Begin to look; one watch a key, a later one replaces it. Looks once at once."""
        if watch.is_ready() == watch.wanted:
            self.forget(key)
            watch.then()
            return
        with self._lock:
            self._watches[key] = watch
            self._timer.reset()
        executor = self._node.executor
        if executor is not None:
            executor.wake()  # it may sleep without a timer to wake it

    def forget(self, key: str | None = None) -> None:
        """Stop to look for one thing, or for everything."""
        with self._lock:
            if key is None:
                self._watches.clear()
            else:
                self._watches.pop(key, None)

    def close(self) -> None:
        """Destroy the timer."""
        self.forget()
        self._node.destroy_timer(self._timer)

    def _look(self) -> None:
        with self._lock:
            watches = dict(self._watches)
            if not watches:
                self._timer.cancel()
        for key, watch in watches.items():
            if watch.is_ready() == watch.wanted:
                with self._lock:
                    current = self._watches.get(key) is watch
                if current:
                    self.forget(key)
                    watch.then()
