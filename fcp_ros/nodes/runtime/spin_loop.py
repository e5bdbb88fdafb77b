# SPDX-License-Identifier: Apache-2.0
"""Spinning that nothing but its end ends."""

from __future__ import annotations

import threading
import traceback

from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.logging import get_logger

AFTER_FAILURE = 0.05
"""Seconds to pause after a failure, so that one that stays can't fill the log at full speed."""


def spin_until(stopping: threading.Event, executor: Executor, context: Context) -> None:
    """Spin until `stopping` is set or the context shut down, whatever a callback raises.

    rclpy itself also raises while nodes make and destroy clients, services and topics; an executor
    that ended then would leave all later requests and answers lying.
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
            stopping.wait(AFTER_FAILURE)
