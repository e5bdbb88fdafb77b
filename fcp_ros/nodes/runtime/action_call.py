# SPDX-License-Identifier: Apache-2.0
"""One goal at an action server, one request at a service: reported in calls, nothing waits."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future as Answer
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.client import Client
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionClient
from fcp_ros.nodes.runtime.server_life import Alarm, call_later
from fcp_ros.nodes.runtime.worker import PausableTimer

# --- watches for servers that appear and disappear ---

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
        with self._lock:
            if key is None:
                self._watches.clear()
            else:
                self._watches.pop(key, None)

    def look(self) -> None:
        with self._lock:
            watches = dict(self._watches)
        for key, watch in watches.items():
            if watch.is_ready() == watch.wanted and self._remove(key, watch):
                watch.then()

    def close(self) -> None:
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


# --- A request at a service that may survive a lost answer ---

REPEAT_AFTER = 3.0
"""Seconds without an answer after which a request is sent again, and each time twice as many."""

LONGEST_PAUSE = 60.0
"""Longest time between two tries, in seconds."""


class ServiceCall:
    """Sends a request, and if it may be repeated, again while no answer arrives.

    A client may see a server before the server has seen the client's end for answers (DDS discovery
    goes each way by itself). rmw_fastrtps then holds the answer back for 0.1 s and drops it
    ("client will not receive response": ros2/rmw_fastrtps#842). Fast DDS 2.14 and 3 make that
    likely: a new participant announces itself before it listens, and what it misses in that moment
    it hears only seconds later. The first answer counts. `client`: of the service; its server must
    be there, and somebody must spin its node. `repeatable`: True if the request may come twice
    without harm: it changes nothing, or has an id by which the server knows it again (see
    `ManagedNode.offer_service`).
    """

    def __init__(self, client: Client, request: Any, *, repeatable: bool) -> None:
        self.answer: Answer[Any] = Answer()  # The response message, once it has come
        self._client = client
        self._request = request
        self._lock = threading.Lock()  # guards the list, and the end of the answer
        self._futures: list[Future] = []
        self._pause = REPEAT_AFTER
        self._alarm = Alarm(self._repeat)  # rings only if it is set
        if repeatable:
            self._alarm = call_later(self._pause, self._repeat)
        self._send()

    def forget(self) -> None:
        """Discard answers that are still to come."""
        self._alarm.cancel()
        with self._lock:
            futures, self._futures = self._futures, []
            self.answer.cancel()
        for future in futures:
            self._client.remove_pending_request(future)

    def _send(self) -> None:
        future = self._client.call_async(self._request)
        with self._lock:
            self._futures.append(future)
        future.add_done_callback(self._on_answer)

    def _repeat(self) -> None:
        if not self.answer.done():
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
            with suppress(InvalidHandle):  # the client was destroyed meanwhile
                self._send()
                self._alarm = call_later(self._pause, self._repeat)

    def _on_answer(self, future: Future) -> None:
        self._alarm.cancel()
        with self._lock:
            if not self.answer.done():
                self.answer.set_result(future.result())


SETTLED = 1.0
"""Seconds after which a goal has reached a server that is there. Before, a request to cancel could
overtake it, and be answered with "unknown" for a goal that is about to begin."""

_ENDED = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)


def _nothing(*_: Any) -> None:
    """Ignore an event that a caller does not care about."""


def make_action_client(
    node: Node, action_type: Any, name: str, group: CallbackGroup | None = None
) -> SafeActionClient:
    """Make a client of an action, with room for many goals at once.

    `group`: its callback group; None makes one for it alone.
    """
    return SafeActionClient(
        node,
        action_type,
        name,
        callback_group=group or MutuallyExclusiveCallbackGroup(),
        goal_service_qos_profile=request_qos(),
        result_service_qos_profile=request_qos(),
        cancel_service_qos_profile=request_qos(),
        feedback_sub_qos_profile=request_qos(),
    )


@dataclass(frozen=True)
class CallListener:
    """Functions that are called, in the executor's threads, as a call proceeds.

    Each must return at once.
    """

    ended: Callable[[int, Any], None]  # Gets goal status and result of the terminal answer
    forgotten: Callable[[], None]  # The server answers that it has no such goal
    accepted: Callable[[], None] = _nothing  # The server accepted the goal
    rejected: Callable[[], None] = _nothing  # The server rejected the goal
    feedback: Callable[[Any], None] = _nothing


class ActionCall:
    """Sends one goal when it is constructed.

    An action's answers can be lost like any service's (see `ServiceCall`). A goal must not be sent
    twice, but the server also publishes the status of its goals, latched: a goal with a status is
    accepted, and the result of one that has ended can be requested again.

    Invariants, guarded by `_lock`: `accepted` or `rejected` is reported once, by whichever comes
    first of answer and status (`_answered`); the terminal answer is reported once, however often
    the result was requested (`_ended`); a cancel that comes before the answer is sent with it
    (`_cancel_wanted`).
    """

    def __init__(self, client: SafeActionClient, goal: Any, listener: CallListener) -> None:
        self._client = client
        self._listener = listener
        self._id = UUID(uuid=list(uuid.uuid4().bytes))
        self._handle = client.handle_of(self._id)
        self._lock = threading.Lock()
        self._answered = False
        self._ended = False
        self._again: Alarm | None = None
        self._pause = REPEAT_AFTER
        self._cancel_wanted = False
        self._sent = time.monotonic()
        client.watch(self._id, self._on_status)
        answered = client.send_goal_async(
            goal, feedback_callback=self._on_feedback, goal_uuid=self._id
        )
        answered.add_done_callback(self._on_answer)

    def cancel(self) -> None:
        """Ask the server to end the goal; if it no longer knows the goal, that is reported."""
        # A goal that was sent a moment ago is cancelled once the server has accepted it.
        with self._lock:
            self._cancel_wanted = True
            if not self._answered and time.monotonic() - self._sent < SETTLED:
                return
        self._ask_to_cancel()

    def _ask_to_cancel(self) -> None:
        repeat = call_later(REPEAT_AFTER, self._send_cancel)

        def on_answer(future: Future) -> None:
            repeat.cancel()
            self._on_cancel_answer(future)

        self._send_cancel(on_answer)

    def _send_cancel(self, on_answer: Callable[[Future], None] | None = None) -> None:
        with suppress(InvalidHandle):  # the client was destroyed meanwhile
            answered = self._handle.cancel_goal_async()
            answered.add_done_callback(on_answer or self._on_cancel_answer)

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
            self._again = call_later(REPEAT_AFTER, self._ask_again)

    def _begin(self) -> None:
        """Report that the goal is accepted: by its answer or its status, whichever comes first."""
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
        """Ask for the result until it comes: a first answer may be lost, and so may a second."""
        with self._lock:
            if self._ended:
                return
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
            self._again = call_later(self._pause, self._ask_again)
        with suppress(InvalidHandle):  # the client was destroyed meanwhile
            self._ask_for_result()

    def _on_feedback(self, message: Any) -> None:
        self._listener.feedback(message.feedback)

    def _on_cancel_answer(self, future: Future) -> None:
        unknown = CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
        if future.result().return_code not in (unknown, CancelGoal.Response.ERROR_GOAL_TERMINATED):
            return
        # It has ended, and the answer to the first request for its result may have been lost. Of a
        # goal that is unknown the result may still be there; the answer says if it is not.
        with self._lock:
            if self._ended or self._again is not None:
                return
        self._ask_again()

    def _on_result(self, future: Future) -> None:
        response = future.result()
        with self._lock:
            if self._ended:
                return  # requested twice
            self._ended = True
            again = self._again
        if again is not None:
            again.cancel()
        self._client.unwatch(self._id)
        if response.status == GoalStatus.STATUS_UNKNOWN:
            self._listener.forgotten()
        else:
            self._listener.ended(response.status, response.result)
