# SPDX-License-Identifier: Apache-2.0
"""One goal at an action server, from sending it to its end, told in calls; nothing here waits."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from fcp_ros.nodes.safe_action_client import SafeActionClient, knows_goal, says_terminated

SETTLED = 1.0
"""Seconds after which a goal has reached a server that is there. Before, a request to cancel could
overtake it, and be answered with "unknown" for a goal that is about to begin."""


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
        self._cancel_wanted = False
        self._sent = time.monotonic()
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
        with self._lock:
            self._answered = True
            cancel_wanted = self._cancel_wanted
        if not handle.accepted:
            self._listener.rejected()
            return
        self._handle = handle
        self._listener.accepted()
        self._ask_for_result()
        if cancel_wanted:
            self._ask_to_cancel()

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
        if response.status == GoalStatus.STATUS_UNKNOWN:
            self._listener.forgotten()
        else:
            self._listener.ended(response.status, response.result)
