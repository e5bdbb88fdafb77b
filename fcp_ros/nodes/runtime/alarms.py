# SPDX-License-Identifier: Apache-2.0
"""Calls at a later time, by one thread for the whole process; nothing polls."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from contextlib import suppress


class Alarm:
    """A call that is still to come."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function: Callable[[], None] | None = function

    def cancel(self) -> None:
        """Leave the call out; too late if it has begun."""
        self._function = None

    def ring(self) -> None:
        """Call the function, once."""
        function, self._function = self._function, None
        if function is not None:
            function()


class _AlarmThread:
    """Sleeps until the next alarm. `_changed` guards the heap, and the start of the thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[float, int, Alarm]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def add(self, at: float, alarm: Alarm) -> None:
        with self._changed:
            heapq.heappush(self._heap, (at, next(self._numbers), alarm))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="alarms", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._heap or self._heap[0][0] > time.monotonic():
                    left = self._heap[0][0] - time.monotonic() if self._heap else None
                    self._changed.wait(left)
                _, _, alarm = heapq.heappop(self._heap)
            with suppress(Exception):  # of the caller's making; the other alarms must still ring
                alarm.ring()


_THREAD = _AlarmThread()


def call_later(seconds: float, function: Callable[[], None]) -> Alarm:
    """Call a function after some time, in the thread of the alarms.

    Args:
        seconds: The time until then.
        function: Must return at once.
    """
    alarm = Alarm(function)
    _THREAD.add(time.monotonic() + seconds, alarm)
    return alarm
