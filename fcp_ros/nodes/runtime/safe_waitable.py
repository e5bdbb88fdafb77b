# SPDX-License-Identifier: Apache-2.0
"""Action servers that can be destroyed while an executor spins."""

from __future__ import annotations

from typing import Any

from rclpy.action import ActionServer
from rclpy.action.server import RCLError
from rclpy.exceptions import InvalidHandle


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
