# SPDX-License-Identifier: Apache-2.0
"""The executive's line to the planner: the action ``make_plan``, told in events."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from fcp_ros.action import MakePlan
from fcp_ros.msg import PlanRequest
from fcp_ros.nodes.executive.events import (
    PlannerAnswered,
    PlannerFound,
    PlannerLost,
    PlannerProgress,
)
from fcp_ros.nodes.runtime.action_call import ActionCall, CallListener
from fcp_ros.nodes.runtime.safe_action_client import SafeActionClient
from fcp_ros.nodes.runtime.server_monitor import Seeker, Watch

ACTION = "make_plan"


class PlannerLink:
    """Asks for one plan at a time; nothing here waits.

    Arguments:
        node: that the client belongs to.
        post: takes the events (see `inbox.Inbox.post`).
    """

    def __init__(self, node: Node, post: Callable[[Any, Hashable | None], None]) -> None:
        self._post = post
        self._seeker = Seeker(node)
        self._client = SafeActionClient(
            node, MakePlan, ACTION, callback_group=MutuallyExclusiveCallbackGroup()
        )
        self._serial = 0
        self._call: ActionCall | None = None

    def find(self) -> None:
        """Post `PlannerFound` as soon as the planner answers."""
        watch = Watch(self._client.server_is_ready, True, lambda: self._post(PlannerFound(), None))
        self._seeker.seek(ACTION, watch)

    def request(self, request: PlanRequest) -> int:
        """Ask for a plan.

        Returns:
            The serial number that the events about it carry.
        """
        self._serial += 1
        serial = self._serial

        def ended(_status: int, result: Any) -> None:
            self._post(PlannerAnswered(serial, result.result), None)

        def refused() -> None:
            self._post(PlannerAnswered(serial, None), None)

        def feedback(message: Any) -> None:
            self._post(PlannerProgress(serial, message), "planner progress")

        listener = CallListener(ended=ended, forgotten=refused, rejected=refused, feedback=feedback)
        self._call = ActionCall(self._client, MakePlan.Goal(request=request), listener)
        watch = Watch(self._client.server_is_ready, False, lambda: self._post(PlannerLost(), None))
        self._seeker.seek(ACTION, watch)
        return serial

    def cancel(self) -> None:
        """Ask the planner to end the present request."""
        if self._call is not None:
            self._call.cancel()

    def stop_seeking(self) -> None:
        """Nobody waits for the planner any more."""
        self._seeker.forget()

    def close(self) -> None:
        """Destroy the client."""
        self._seeker.close()
        self._client.destroy()
