# SPDX-License-Identifier: Apache-2.0
"""A timer that runs only while there is something to do, so that an idle node sleeps."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node


class PausableTimer:
    """A timer that pauses when it has nothing left to do, until somebody starts it again.

    Each time that it wakes a node costs about 1.5 ms: rclpy collects all its topics and services.
    It keeps running while simulated time stands still.

    Only its own callback cancels the timer: an executor that is about to call a timer fails if
    another thread cancels it at that moment. `_lock` guards both flags; `act` is called without it.

    Args:
        node: The node that the timer belongs to.
        period: Time from the start to the first call, and between two calls [s].
        act: Called in the executor's thread; returns True if it wants to be called again.
        group: Callback group; by default one of its own.
    """

    def __init__(
        self,
        node: Node,
        period: float,
        act: Callable[[], bool],
        group: CallbackGroup | None = None,
    ) -> None:
        self._node = node
        self._act = act
        self._lock = threading.Lock()
        self._runs = False
        self._was_started = False
        self._timer = node.create_timer(
            period,
            self._on_timer,
            callback_group=group or MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._timer.cancel()

    def start(self) -> None:
        """Run; a timer that runs already keeps its rhythm. From any thread."""
        with self._lock:
            self._was_started = True
            if self._runs:
                return
            self._runs = True
            self._timer.reset()
        executor = self._node.executor
        if executor is not None:
            executor.wake()  # it may sleep without a timer to wake it

    def close(self) -> None:
        """Destroy the timer."""
        self._node.destroy_timer(self._timer)

    def _on_timer(self) -> None:
        with self._lock:
            self._was_started = False
        goes_on = self._act()
        with self._lock:
            if not goes_on and not self._was_started:
                self._runs = False
                self._timer.cancel()
