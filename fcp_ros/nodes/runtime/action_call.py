# SPDX-License-Identifier: Apache-2.0
"""One goal at an action server, from sending it to its end, told in calls; nothing here waits."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.exceptions import InvalidHandle
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from fcp_ros.nodes.runtime.repeated_call import REPEAT_AFTER
from fcp_ros.nodes.runtime.safe_action_client import SafeActionClient, knows_goal, says_terminated

SETTLED = 1.0
"""Seconds after which a goal has reached a server that is there. Before, a request to cancel could
overtake it, and be answered with "unknown" for a goal that is about to begin."""

_ENDED = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)


def _nothing(*_: Any) -> None:
    """For events that a caller does not care about."""


@dataclass(frozen=True)
class CallListener:
    """What is called, in the executor's threads, as a call goes on; each must return at once.

    Attributes:
        ended: (goal status, result) of the terminal answer.
        forgotten: the server says that it has no such goal.
        accepted, rejected: the server's answer to the goal.
        feedback: (feedback message).
    """

    ended: Callable[[int, Any], None]
    forgotten: Callable[[], None]
    accepted: Callable[[], None] = _nothing
    rejected: Callable[[], None] = _nothing
    feedback: Callable[[Any], None] = _nothing


class ActionCall:
    """Sends one goal when it is made.

    An action's answers can be lost as any service's (see `RepeatedCall`). A goal must not be sent
    twice, but the server also publishes the status of its goals, latched: a goal with a status is
    accepted, and one that has ended has a result to ask for once more.

    Arguments:
        client: of the action.
        goal: the goal message.
        listener: told what happens.
    """

    def __init__(self, client: SafeActionClient, goal: Any, listener: CallListener) -> None:
        self._client = client
        self._listener = listener
        self._id = UUID(uuid=list(uuid.uuid4().bytes))
        self._handle = client.handle_of(self._id)
        self._lock = threading.Lock()
        self._answered = False
        self._ended = False
        self._again: threading.Timer | None = None
        self._cancel_wanted = False
        self._sent = time.monotonic()
        client.watch(self._id, self._on_status)
        answered = client.send_goal_async(
            goal, feedback_callback=self._on_feedback, goal_uuid=self._id
        )
        answered.add_done_callback(self._on_answer)

    def cancel(self) -> None:
        """Ask the server to end the goal; also finds out whether it still knows of it.

        A goal that was sent a moment ago is cancelled when the server has accepted it.
        """
        with self._lock:
            self._cancel_wanted = True
            if not self._answered and time.monotonic() - self._sent < SETTLED:
                return
        self._ask_to_cancel()

    def _ask_to_cancel(self) -> None:
        self._handle.cancel_goal_async().add_done_callback(self._on_cancel_answer)

    def _ask_for_result(self) -> None:
        self._handle.get_result_async().add_done_callback(self._on_result)

    def _on_answer(self, future: Future) -> None:
        handle = future.result()
        if handle.accepted:
            self._handle = handle
            self._begin()
            return
        self._client.unwatch(self._id)
        with self._lock:
            self._answered = True
        self._listener.rejected()

    def _on_status(self, status: int) -> None:
        self._begin()
        if status not in _ENDED:
            return
        with self._lock:
            if self._ended or self._again is not None:
                return
            self._again = threading.Timer(REPEAT_AFTER, self._ask_again)
            self._again.daemon = True
            self._again.start()

    def _begin(self) -> None:
        """The goal is accepted; known from its answer or its status, whichever comes first."""
        with self._lock:
            if self._answered:
                return
            self._answered = True
            cancel_wanted = self._cancel_wanted
        self._listener.accepted()
        self._ask_for_result()
        if cancel_wanted:
            self._ask_to_cancel()

    def _ask_again(self) -> None:
        with suppress(InvalidHandle):  # the client was destroyed meanwhile
            self._ask_for_result()

    def _on_feedback(self, message: Any) -> None:
        self._listener.feedback(message.feedback)

    def _on_cancel_answer(self, future: Future) -> None:
        response = future.result()
        if not knows_goal(response):
            self._listener.forgotten()
        elif says_terminated(response):
            self._ask_for_result()  # the answer to the first request may have been lost

    def _on_result(self, future: Future) -> None:
        response = future.result()
        with self._lock:
            if self._ended:
                return  # asked for twice
            self._ended = True
            again = self._again
        if again is not None:
            again.cancel()
        self._client.unwatch(self._id)
        if response.status == GoalStatus.STATUS_UNKNOWN:
            self._listener.forgotten()
        else:
            self._listener.ended(response.status, response.result)
