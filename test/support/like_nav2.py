# SPDX-License-Identifier: Apache-2.0
"""An action server that behaves like nav2's bt_navigator; needs nav2_msgs."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from nav2_msgs.action import NavigateToPose
from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup

from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer


@dataclass
class Drive:
    """What the server does with the next goals."""

    off_by: float = 0.25  # distance from the goal at the end (m)
    code: int = 0  # error code with which it aborts; 0: it succeeds
    told: bool = True  # it gives feedback
    aborts: bool = False  # it aborts without a code
    hangs: bool = False  # until it is cancelled
    stops: bool = True  # it ends goals that were cancelled
    frame: str = "map"


class LikeNav2:
    """Serves ``navigate_to_pose`` on the node of a probe."""

    def __init__(self, probe: Any, name: str) -> None:
        self.accepts = True
        self.drive = Drive()
        self.goals: list[Any] = []
        self.released = threading.Event()  # ends drives that hang
        self._server: Any = SafeActionServer(
            probe.node,
            NavigateToPose,
            name,
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda _: GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def _execute(self, goal: Any) -> Any:
        drive = self.drive
        self.goals.append(goal.request)
        feedback = NavigateToPose.Feedback(distance_remaining=4.0, number_of_recoveries=1)
        feedback.current_pose.header.frame_id = drive.frame
        position = feedback.current_pose.pose.position
        if drive.told:
            goal.publish_feedback(feedback)
        while drive.hangs and not self.released.wait(0.01):
            if goal.is_cancel_requested and drive.stops:
                goal.canceled()
                return NavigateToPose.Result()
        if drive.code or drive.aborts:
            goal.abort()
            return NavigateToPose.Result(error_code=drive.code, error_msg="as the test wants it")
        if drive.told:
            there = goal.request.pose.pose.position
            position.x, position.y = there.x + drive.off_by, there.y
            feedback.distance_remaining = 0.0
            goal.publish_feedback(feedback)
        goal.succeed()
        return NavigateToPose.Result()

    def close(self) -> None:
        """Serve no more, and end drives that hang."""
        self.released.set()
        server, self._server = self._server, None
        if server is not None:
            server.destroy()
