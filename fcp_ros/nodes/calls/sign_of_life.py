# SPDX-License-Identifier: Apache-2.0
"""The death of another node's process, noticed within a second.

Discovery forgets a process that was killed only when its participant's lease has run out (20 s with
Fast DDS). An action server's status topic may offer a liveliness lease of its own, which the
middleware asserts without any work of the process, and whoever depends on the server watches that.
A server without a lease is not matched, and discovery alone tells. Our nodes offer one where the
parameter ``liveliness_lease`` says so (see `qos.status_qos` for why it is 0 by default); any rclpy
or rclcpp action server takes part whose status topic offers one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatusArray
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node

from fcp_ros.nodes.runtime.qos import DEAD_AFTER, watch_qos

STATUS_TOPIC = "{}/_action/status"
"""Topic on which the server of an action publishes the status of its goals."""


PREFIX = 12
"""Bytes of a DDS endpoint's id that are those of its participant."""


LONGEST = Duration(seconds=2 * DEAD_AFTER)
"""Longest lease that counts as one; without a lease, nobody can tell."""


def _ignore(*_: Any) -> None:
    """Ignore a message (the goals' status is the action client's affair), or a foreign profile."""


class SignOfLife:
    """Watches the publisher of a topic for the death of its process.

    Args:
        node: The node that the subscription belongs to.
        message_type: Type of the topic.
        topic: The topic.
        on_change: Called, in the executor's threads, after each change; must return at once.
    """

    def __init__(
        self,
        node: Node,
        message_type: Any,
        topic: str,
        on_change: Callable[[], None] = _ignore,
    ) -> None:
        self._node = node
        self._on_change = on_change
        self._dead: frozenset[bytes] = frozenset()  # ids of publishers
        self._subscription = node.create_subscription(
            message_type,
            topic,
            _ignore,
            watch_qos(),
            callback_group=MutuallyExclusiveCallbackGroup(),
            event_callbacks=SubscriptionEventCallbacks(
                liveliness=self._on_liveliness,
                incompatible_qos=_ignore,
                use_default_callbacks=False,
            ),
            raw=True,
        )

    @property
    def is_dead(self) -> bool:
        """True if discovery still lists publishers whose process has died, and no others."""
        dead = self._dead
        return bool(dead) and dead.issuperset(map(_read_id, self._list_publishers()))

    def close(self) -> None:
        """End the watch."""
        self._node.destroy_subscription(self._subscription)

    def _on_liveliness(self, event: Any) -> None:
        """Note which publishers have died: those with a lease, if none is alive any more.

        Fast DDS asserts the liveliness of a participant's publishers to other participants only: a
        publisher of the node's own participant lives as long as the node does.
        """
        if event.alive_count:
            self._dead = frozenset()
        else:
            own = self._find_own_prefix()
            self._dead = frozenset(
                _read_id(found)
                for found in self._list_publishers()
                if found.qos_profile.liveliness_lease_duration < LONGEST
                and _read_id(found)[:PREFIX] != own
            )
        self._on_change()

    def _list_publishers(self) -> list[Any]:
        return list(self._node.get_publishers_info_by_topic(self._subscription.topic_name))

    def _find_own_prefix(self) -> bytes:
        name = self._node.get_name(), self._node.get_namespace()
        for found in self._node.get_subscriptions_info_by_topic(self._subscription.topic_name):
            if (found.node_name, found.node_namespace) == name:
                return _read_id(found)[:PREFIX]
        return b""


def _read_id(endpoint: Any) -> bytes:
    return bytes(endpoint.endpoint_gid)


def watch_action(
    node: Node, action: str, on_change: Callable[[], None] = _ignore
) -> SignOfLife:
    """Watch the server of an action; see `SignOfLife`."""
    return SignOfLife(node, GoalStatusArray, STATUS_TOPIC.format(action), on_change)
