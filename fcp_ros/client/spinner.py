# SPDX-License-Identifier: Apache-2.0
"""A node with a thread and a ROS context of its own, for programs that have no node."""

from __future__ import annotations

import atexit
import threading
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from fcp_ros.nodes.runtime.rclpy_repairs import spin_until

JOIN_TIMEOUT = 5.0
"""Seconds to wait for the thread at the end."""


class SpinningNode:
    """A node in its own ROS context, independent of the rest of the process.

    `domain_id`: ROS domain; None takes ROS_DOMAIN_ID.
    """

    def __init__(self, name: str, namespace: str, domain_id: int | None = None) -> None:
        self._context = Context()
        rclpy.init(
            args=[],
            context=self._context,
            domain_id=domain_id,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        self.node: Any = rclpy.create_node(name, namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=spin_until,
            args=(self._closing, self._executor, self._context),
            name=name,
            daemon=True,
        )
        self._thread.start()
        # A thread that still spins when the interpreter ends aborts the process.
        atexit.register(self.close)

    def close(self) -> None:
        """End the thread, destroy the node, shut the context down."""
        atexit.unregister(self.close)
        self._closing.set()
        self._executor.shutdown(timeout_sec=JOIN_TIMEOUT)
        if threading.current_thread() is not self._thread:
            self._thread.join(JOIN_TIMEOUT)
        self.node.destroy_node()
        self._context.try_shutdown()
