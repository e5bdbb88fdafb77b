# SPDX-License-Identifier: Apache-2.0
"""The last message of a latched topic."""

from __future__ import annotations

from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from fcp_ros.nodes.runtime.qos import state_qos


def fetch_latched(
    node: Node, message_type: Any, topic: str, group: CallbackGroup, timeout: float
) -> Any:
    """Fetch the last message of a latched topic.

    `node`: that another thread spins. Raises TimeoutError if nobody has published one in time.
    """
    come: Future[Any] = Future()

    def take(message: Any) -> None:
        if not come.done():
            come.set_result(message)

    subscription = node.create_subscription(
        message_type, topic, take, state_qos(), callback_group=group
    )
    try:
        return come.result(timeout)
    except FutureTimeout as error:  # before Python 3.11 it is no TimeoutError
        raise TimeoutError(f"no message on {topic} within {timeout} s") from error
    finally:
        node.destroy_subscription(subscription)
