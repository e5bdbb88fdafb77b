# SPDX-License-Identifier: Apache-2.0
"""Ends goals of action servers: succeeded, cancelled or aborted, whatever crosses it."""

from __future__ import annotations

import time
from enum import Enum

from rclpy.action.server import ServerGoalHandle

CANCEL_WAIT = 1.0
"""Seconds for which the status of a goal may lag behind the request to cancel it."""

CANCEL_LOOK = 0.005
"""Seconds between two looks at that status."""


class GoalEnd(str, Enum):
    """How a goal ends."""

    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    ABORTED = "aborted"


def end_goal(goal: ServerGoalHandle, end: GoalEnd) -> None:
    """Bring a goal into its terminal state.

    rclpy tells of a cancel request just before it changes the goal's state, and a goal can only
    become canceled from there: so that change is waited for. A goal that nobody asked to cancel is
    aborted instead.
    """
    if end is GoalEnd.SUCCEEDED:
        goal.succeed()
        return
    if end is GoalEnd.CANCELLED and _becomes_cancelling(goal):
        goal.canceled()
        return
    goal.abort()


def _becomes_cancelling(goal: ServerGoalHandle) -> bool:
    until = time.monotonic() + CANCEL_WAIT
    while not goal.is_cancel_requested:
        if time.monotonic() >= until:
            return False
        time.sleep(CANCEL_LOOK)
    return True
