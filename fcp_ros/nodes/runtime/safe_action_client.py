# SPDX-License-Identifier: Apache-2.0
"""An action client that loses no answer when another thread spins, and tells what it hears."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from fcp_ros.nodes.runtime.safe_waitable import SafeWaitable


class SafeActionClient(SafeWaitable, ActionClient):  # type: ignore[misc]
    """rclpy's client, with sending and taking made exclusive.

    rclpy of ROS 2 Jazzy sends a request and only then notes its number. When the executor's thread
    takes the answer in between, it is dropped as unexpected, and whoever waits for it waits for
    ever. (Later releases have the same lock inside; twice does no harm.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._exchange = threading.RLock()
        self._watchers: dict[bytes, Callable[[int], None]] = {}
        # rclpy of ROS 2 Kilted makes its own lock only after executors can see the client.
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def watch(self, goal_id: UUID, heard: Callable[[int], None]) -> None:
        """Let `heard` be called with each status of a goal that the server publishes.

        Arguments:
            goal_id: the id that the goal is sent with.
            heard: called in the executor's threads; must return at once.
        """
        self._watchers[bytes(goal_id.uuid)] = heard

    def unwatch(self, goal_id: UUID) -> None:
        """End `watch`."""
        self._watchers.pop(bytes(goal_id.uuid), None)

    async def execute(self, taken_data: Any) -> None:
        """See `rclpy.waitable.Waitable`."""
        await super().execute(taken_data)
        if "status" in taken_data:
            for item in taken_data["status"].status_list:
                heard = self._watchers.get(bytes(item.goal_info.goal_id.uuid))
                if heard is not None:
                    heard(item.status)

    def take_data(self) -> Any:
        """See `rclpy.waitable.Waitable`."""
        with self._exchange:
            return super().take_data()

    def send_goal_async(self, *args: Any, **kwargs: Any) -> Future:
        """See `rclpy.action.ActionClient`."""
        with self._exchange:
            return super().send_goal_async(*args, **kwargs)

    def handle_of(self, goal_id: UUID) -> ClientGoalHandle:
        """A handle for a goal that was sent but not answered, to cancel it or ask for its result.

        Arguments:
            goal_id: the id that the goal was sent with.
        """
        unanswered = self._action_type.Impl.SendGoalService.Response()
        return ClientGoalHandle(self, goal_id, unanswered)

    def _cancel_goal_async(self, goal_handle: ClientGoalHandle) -> Future:
        with self._exchange:
            return super()._cancel_goal_async(goal_handle)

    def _get_result_async(self, goal_handle: ClientGoalHandle) -> Future:
        with self._exchange:
            return super()._get_result_async(goal_handle)


def knows_goal(response: CancelGoal.Response) -> bool:
    """Whether the server that answered a cancel request has, or had, such a goal."""
    return bool(response.return_code != CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID)


def says_terminated(response: CancelGoal.Response) -> bool:
    """Whether the server could not cancel because the goal has ended, or is ending, already."""
    return bool(response.return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED)
