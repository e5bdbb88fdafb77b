# SPDX-License-Identifier: Apache-2.0
"""The executive's thread: works on one goal at a time, and handles late answers in between."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from fcp_ros.nodes.runtime.worker import CancelToken, Job, Worker, WorkerClosed

CAPACITY = 2
"""Jobs that may wait: the goal, and the late events before or after it."""

Post = Callable[[object, Hashable | None], None]
"""Posts an event, under a key or None: see `EventQueue.post`."""


@dataclass(frozen=True)
class GoalCancelled:
    """Event: wakes the thread. The goal's token says that, and which, goal was cancelled."""


class ThreadClosed(RuntimeError):
    """The thread is to end at once: whoever takes an event gets this instead."""


class EventQueue:
    """The bounded queue of events between rclpy's callbacks and the executive's thread.

    Events are taken in the order in which they were posted. An event that is posted under a key
    replaces the one that still waits under the same key (progress, "the scene changed"): however
    often such events arrive, each key takes one place. Events without a key are never dropped; they
    are answers, and as many as there were questions. `notice`: called after each post, in the
    thread that posts.
    """

    def __init__(self, notice: Callable[[], None] = lambda: None) -> None:
        self._notice = notice
        self._waiting: OrderedDict[Hashable, object] = OrderedDict()
        self._number = 0
        self._closed = False
        self._changed = threading.Condition()

    def post(self, event: object, key: Hashable | None = None) -> None:
        """Add an event; from any thread, returns at once."""
        with self._changed:
            if key is None:
                self._number += 1
                key = ("event", self._number)
            self._waiting[key] = event
            self._changed.notify()
        self._notice()

    def take(self, until: float | None) -> object | None:
        """Take out the oldest event; wait for one.

        `until`: time (s, of `time.monotonic`) to wait until; None waits as long as it takes.
        Returns the event, or None when the time has come and there is no event. Raises ThreadClosed
        if the queue was closed.
        """
        with self._changed:
            while not self._waiting or self._closed:
                if self._closed:
                    raise ThreadClosed
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0.0:
                    return None
                self._changed.wait(left)
            return self._waiting.popitem(last=False)[1]

    def close(self) -> None:
        """End all waits for events, now and later."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            return len(self._waiting)


class GoalContext:
    """One goal of an action on its way through the executive's thread."""

    def __init__(self, goal: Any) -> None:
        self.goal = goal
        self.token = CancelToken()  # Cancelled when somebody wants the goal to end
        self.interruption = ""  # The reason why the node itself ended it; "" if it did not

    @property
    def key(self) -> bytes:
        """The goal's id."""
        return bytes(self.goal.goal_id.uuid)

    @property
    def is_cancelled(self) -> bool:
        """True once the goal is to end."""
        return self.token.cancelled


class ExecutiveThread:
    """Owns the thread (a `Worker`), the queue of events, and the goal at hand.

    Invariants:

    - At most one goal is current: from `submit` until its job is about to end. Only while it is
      current does its job take events (`take`, `wait_events`).
    - While no goal is current, events are handled by a job of their own (the late job), which is
      submitted with the first event. An answer of an executor therefore never waits for the next
      goal: the executor may have to be stopped.
    - No event is lost between the two. An event is first put into the queue and then noticed under
      `_lock`; a goal ceases to be current, and a late job ends, under the same lock and only then
      looks (or has just looked) into the queue. Whoever comes second sees the other.
    - A goal is free for the next one before its client learns of its end.

    `handle_late`: handles an event that concerns no wait of the current goal; called in the thread.
    """

    def __init__(self, handle_late: Callable[[object], None]) -> None:
        self.events = EventQueue(self._notice)
        self._handle_late = handle_late
        self._lock = threading.Lock()
        self._current: GoalContext | None = None
        self._is_late_job_open = False
        self._worker = Worker("executive", CAPACITY)

    # --- for rclpy's threads --------------------------------------------------------------------

    def submit(self, context: GoalContext, work: Callable[[], Any]) -> Job[Any] | None:
        """Begin to work on a goal.

        Returns the job, whose result is that of `work`; None if there is a goal already. Raises
        WorkerClosed if the thread was closed.
        """

        def run(_token: CancelToken) -> Any:
            try:
                return work()
            finally:
                with self._lock:
                    self._current = None
                    self._open_late_job()

        with self._lock:
            if self._current is not None:
                return None
            job = self._worker.submit(run)
            self._current = context
            return job

    def wake(self) -> None:
        """Let the thread see that the token of a goal was cancelled."""
        self.events.post(GoalCancelled(), "goal cancelled")

    def interrupt(self, reason: str) -> None:
        """Ask the current goal to end because the node can't go on; returns at once."""
        with self._lock:
            context = self._current
        if context is not None:
            context.interruption = reason
            context.token.cancel()
            self.wake()

    @property
    def is_busy(self) -> bool:
        """True while there is a goal."""
        with self._lock:
            return self._current is not None

    def close(self, timeout: float) -> bool:
        """End the thread, and the current goal at once, whatever its step still does.

        Returns True if the thread ended within `timeout` seconds.
        """
        self.interrupt("The node is shutting down.")
        self.events.close()
        return self._worker.close(timeout)

    def _notice(self) -> None:
        with self._lock:
            if self._current is None:
                self._open_late_job()

    def _open_late_job(self) -> None:
        """Have late events handled, if there are any; to be called under the lock."""
        if self._is_late_job_open or not len(self.events):
            return
        try:
            self._worker.submit(self._handle_late_events)
        except WorkerClosed:
            return
        self._is_late_job_open = True

    # --- in the thread --------------------------------------------------------------------------

    def take(self, until: float | None) -> object | None:
        """Take the oldest event for the current goal: see `EventQueue.take`."""
        return self.events.take(until)

    def wait_events(self, seconds: float) -> Iterator[object]:
        """Yield the events of the coming seconds; those about executors are handled on the way."""
        # The caller looks after each event whether its goal was cancelled: that is one.
        until = time.monotonic() + seconds
        while (event := self.events.take(until)) is not None:
            self._handle_late(event)
            yield event

    def _handle_late_events(self, _token: CancelToken) -> None:
        while True:
            with self._lock:  # a goal that was submitted meanwhile takes the events itself
                try:
                    event = None if self._current is not None else self.events.take(0.0)
                except ThreadClosed:
                    event = None
                if event is None:
                    self._is_late_job_open = False
                    return
            self._handle_late(event)
