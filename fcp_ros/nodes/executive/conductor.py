# SPDX-License-Identifier: Apache-2.0
"""The executive's thread: works on one goal at a time; takes care of late answers in between."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from fcp_ros.nodes.executive.events import CancelTicket, NewGoal, Shutdown, Ticket
from fcp_ros.nodes.executive.inbox import Inbox
from fcp_ros.nodes.runtime.goal_end import GoalEnd


class Conductor:
    """Owns the thread.

    Arguments:
        inbox: where all events arrive.
        serve: works on a goal in the thread; returns how it ends and its result. What it raises
            ends the goal without a result.
        late: takes events that come while there is no goal.
    """

    def __init__(
        self,
        inbox: Inbox[Any],
        serve: Callable[[Ticket], tuple[GoalEnd, Any]],
        late: Callable[[object], None],
    ) -> None:
        self._inbox = inbox
        self._serve = serve
        self._late = late
        self._lock = threading.Lock()
        self._current: Ticket | None = None
        self._thread = threading.Thread(target=self._work, name="executive", daemon=True)
        self._thread.start()

    def submit(self, ticket: Ticket) -> bool:
        """Begin with a goal; False when there is one already."""
        with self._lock:
            if self._current is not None:
                return False
            self._current = ticket
        self._inbox.post(NewGoal(ticket))
        return True

    def cancel(self, ticket: Ticket) -> None:
        """End a goal; one that is not being worked on only gets its mark."""
        ticket.cancelled.set()
        self._inbox.post(CancelTicket(ticket.number))

    def interrupt(self, reason: str) -> Ticket | None:
        """End the present goal because the node can't go on; returns it."""
        with self._lock:
            ticket = self._current
        if ticket is not None:
            ticket.interrupted = reason
            self.cancel(ticket)
        return ticket

    @property
    def is_busy(self) -> bool:
        """Whether there is a goal."""
        with self._lock:
            return self._current is not None

    @property
    def is_alive(self) -> bool:
        """Whether the thread still works."""
        return self._thread.is_alive()

    def close(self, timeout: float) -> bool:
        """End the thread; returns whether it did within `timeout` seconds."""
        self.interrupt("The node is shutting down.")
        self._inbox.post(Shutdown())
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while True:
            event = self._inbox.take(None)
            if isinstance(event, Shutdown):
                return
            if not isinstance(event, NewGoal):
                self._late(event)
                continue
            end, result = GoalEnd.ABORTED, None
            try:
                end, result = self._serve(event.ticket)
            finally:
                with self._lock:  # first free for the next goal, then tell the client
                    self._current = None
                event.ticket.finish(end, result)
