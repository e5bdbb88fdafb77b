# SPDX-License-Identifier: Apache-2.0
"""The node's end of a bond, by which nav2's lifecycle manager notices that a node has died.

Of bond_core only the message is needed, which nav2 brings (by bondcpp; bondpy it does not bring).
The protocol: both ends say every now and then, under the same id, that they are active. Who ends
says so, and the other end answers that once with the same.
"""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.node import Node

MakeTimer = Callable[[float, Callable[[], None], CallbackGroup], Any]
"""Makes a timer of the node: period (s), callback, group."""

TOPIC = "bond"
"""Relative, as nav2's: manager and nodes are in one namespace."""
BEAT_TIMEOUT = 4.0
"""Seconds of silence after which a bond is broken, as nav2's nodes say; each end has its own."""


def bond_is_installed() -> bool:
    return _find_status_type() is not None


def _find_status_type() -> Any:
    try:
        return importlib.import_module("bond.msg").Status
    except ImportError:
        return None


class Bond:
    """One end of a bond; what the other one does has no effect here, as in nav2's own nodes.

    `period`: time between two beats (s).
    """

    def __init__(self, node: Node, make_timer: MakeTimer, period: float) -> None:
        self._node: Any = node
        self._period = period
        self._type = _find_status_type()
        self._instance = str(uuid.uuid4())
        group = MutuallyExclusiveCallbackGroup()  # beats go on while services are served
        self._publisher = self._node.create_publisher(self._type, TOPIC, 5)
        self._subscription = self._node.create_subscription(
            self._type, TOPIC, self._hear, 5, callback_group=group
        )
        self._timer = make_timer(period, lambda: self._say(True), group)
        self._say(True)

    def close(self) -> None:
        self._node.destroy_timer(self._timer)
        self._node.destroy_subscription(self._subscription)
        self._say(False)
        self._node.destroy_publisher(self._publisher)

    def _say(self, active: bool) -> None:
        message = self._type(id=self._node.get_name(), instance_id=self._instance, active=active)
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.heartbeat_timeout = BEAT_TIMEOUT
        message.heartbeat_period = self._period
        self._publisher.publish(message)

    def _hear(self, message: Any) -> None:
        is_other = message.id == self._node.get_name() and message.instance_id != self._instance
        if is_other and not message.active:
            self._say(False)  # else the other end waits for that for seconds
