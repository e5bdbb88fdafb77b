# SPDX-License-Identifier: Apache-2.0
"""Repairs of rclpy (Humble to Kilted): each closes one gap, named where it is closed.

- `spin_until`: an executor that survives exceptions.
- `SafeActionServer`, `SafeActionClient`: waitables that can be destroyed while an executor spins; a
  client that loses no answer when another thread spins.
- `RepeatedCall`: a service call that survives a lost answer.
- `end_goal`: a terminal state for a goal, whatever crosses it.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from enum import Enum
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import RCLError, ServerGoalHandle
from rclpy.client import Client
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.logging import get_logger
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

FAILURE_PAUSE = 0.05
"""Seconds to pause after a failed callback, so that one that keeps failing can't flood the log."""

REPEAT_AFTER = 3.0
"""Seconds without an answer after which a request is sent once more."""

CANCEL_WAIT = 1.0
"""Seconds for which the status of a goal may lag behind the request to cancel it."""

CANCEL_LOOK = 0.005
"""Seconds between two looks at that status."""


def spin_until(stopping: threading.Event, executor: Executor, context: Context) -> None:
    """Spin until `stopping` is set or the context is shut down; survive exceptions in callbacks.

    rclpy itself also raises while nodes make and destroy clients, services and topics. An executor
    that ended then would leave all later requests and answers unhandled.
    """
    while not stopping.is_set() and context.ok():
        try:
            executor.spin_once()
        except ExternalShutdownException:
            return
        except Exception:
            if stopping.is_set() or not threading.main_thread().is_alive():
                return  # the process ends, and the executor's pool has gone first
            get_logger("fcp_ros").error(f"callback: {traceback.format_exc().rstrip()}")
            stopping.wait(FAILURE_PAUSE)


class SafeWaitable:
    """Put before an rclpy waitable: once destroyed, it is quietly left out of the wait set.

    rclpy's executor collects waitables, finds the handle of a destroyed one invalid, and adds it to
    the wait set all the same; the error then ends the executor's spinning.
    """

    def add_to_wait_set(self, wait_set: Any) -> None:
        """See `rclpy.waitable.Waitable`."""
        try:
            super().add_to_wait_set(wait_set)  # type: ignore[misc]
        except (RCLError, InvalidHandle):
            return  # destroyed since it was collected

    def is_ready(self, wait_set: Any) -> bool:
        """See `rclpy.waitable.Waitable`."""
        try:
            return bool(super().is_ready(wait_set))  # type: ignore[misc]
        except (RCLError, InvalidHandle):
            return False


class SafeActionServer(SafeWaitable, ActionServer):  # type: ignore[misc]
    """rclpy's action server, destroyable at any time."""


class SafeActionClient(SafeWaitable, ActionClient):  # type: ignore[misc]
    """rclpy's action client, with sending and taking made exclusive, and with the goals' status.

    rclpy of ROS 2 Jazzy sends a request and only then notes its number. When the executor's thread
    takes the answer in between, it is dropped as unexpected, and whoever waits for it waits for
    ever. (Later releases have the same lock inside; a second one does no harm.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._exchange = threading.RLock()
        self._watchers: dict[bytes, Callable[[int], None]] = {}
        # rclpy of ROS 2 Kilted makes its own lock only after executors can see the client.
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def watch(self, goal_id: UUID, on_status: Callable[[int], None]) -> None:
        """Call `on_status` with each status of a goal that the server publishes.

        Args:
            goal_id: The id that the goal is sent with.
            on_status: Called in the executor's threads; must return at once.
        """
        self._watchers[bytes(goal_id.uuid)] = on_status

    def unwatch(self, goal_id: UUID) -> None:
        """End `watch`."""
        self._watchers.pop(bytes(goal_id.uuid), None)

    async def execute(self, taken_data: Any) -> None:
        """See `rclpy.waitable.Waitable`."""
        await super().execute(taken_data)
        if "status" in taken_data:
            for item in taken_data["status"].status_list:
                on_status = self._watchers.get(bytes(item.goal_info.goal_id.uuid))
                if on_status is not None:
                    on_status(item.status)

    def take_data(self) -> Any:
        """See `rclpy.waitable.Waitable`."""
        with self._exchange:
            return super().take_data()

    def send_goal_async(self, *args: Any, **kwargs: Any) -> Future:
        """See `rclpy.action.ActionClient`."""
        with self._exchange:
            return super().send_goal_async(*args, **kwargs)

    def handle_of(self, goal_id: UUID) -> ClientGoalHandle:
        """Return a handle for an unanswered goal, to cancel it or to get its result.

        Args:
            goal_id: The id that the goal was sent with.
        """
        unanswered = self._action_type.Impl.SendGoalService.Response()
        return ClientGoalHandle(self, goal_id, unanswered)

    def _cancel_goal_async(self, goal_handle: ClientGoalHandle) -> Future:
        with self._exchange:
            return super()._cancel_goal_async(goal_handle)

    def _get_result_async(self, goal_handle: ClientGoalHandle) -> Future:
        with self._exchange:
            return super()._get_result_async(goal_handle)


class RepeatedCall:
    """Sends a request, and once more when no answer arrives; the first answer counts.

    A client may see a server before the server has seen the client's end for answers (DDS discovery
    goes each way by itself). rmw_fastrtps then holds the answer back for 0.1 s and drops it
    ("client will not receive response": ros2/rmw_fastrtps#842). Fast DDS 2.14 and 3 make that
    likely: a new participant announces itself before it listens, and what it misses in that moment
    it hears only seconds later. Only for requests that may be served twice without harm. Nothing
    here waits.

    Args:
        client: Of the service; its server must be there, and somebody must spin its node.
        request: The request message.
    """

    def __init__(self, client: Client, request: Any) -> None:
        self._client = client
        self._request = request
        self._repeat_at = time.monotonic() + REPEAT_AFTER
        self._futures: list[Future] = [client.call_async(request)]

    def poll(self) -> bool:
        """Return True if there is an answer; send the request again when it is time to."""
        if any(future.done() for future in self._futures):
            return True
        if len(self._futures) == 1 and time.monotonic() >= self._repeat_at:
            self._futures.append(self._client.call_async(self._request))
        return False

    def response(self) -> Any:
        """Return the answer; only to be called when `poll` has returned True."""
        return next(future.result() for future in self._futures if future.done())

    def forget(self) -> None:
        """Discard answers that are still to come."""
        for future in self._futures:
            self._client.remove_pending_request(future)


class GoalEnd(str, Enum):
    """The terminal states of a goal."""

    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    ABORTED = "aborted"


def end_goal(goal: ServerGoalHandle, end: GoalEnd) -> None:
    """Bring a goal into its terminal state.

    rclpy calls the cancel callback just before it changes the goal's state, and a goal can only
    become canceled from there: so that change is awaited. A goal that nobody asked to cancel is
    aborted instead.
    """
    if end is GoalEnd.SUCCEEDED:
        goal.succeed()
        return
    if end is GoalEnd.CANCELLED and _await_cancelling(goal):
        goal.canceled()
        return
    goal.abort()


def _await_cancelling(goal: ServerGoalHandle) -> bool:
    until = time.monotonic() + CANCEL_WAIT
    while not goal.is_cancel_requested:
        if time.monotonic() >= until:
            return False
        time.sleep(CANCEL_LOOK)
    return True
