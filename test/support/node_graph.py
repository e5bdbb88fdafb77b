# SPDX-License-Identifier: Apache-2.0
"""What a node offers and uses, as the ROS graph shows it from outside."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)


def look_at(watcher: Any, node: str) -> Iterator[tuple[str, str, str]]:
    """List (kind, full name, type), the kinds as in the README's table of the interface."""
    looks = {
        "pub": watcher.get_publisher_names_and_types_by_node,
        "sub": watcher.get_subscriber_names_and_types_by_node,
        "srv": watcher.get_service_names_and_types_by_node,
        "srv client": watcher.get_client_names_and_types_by_node,
        "action": partial(get_action_server_names_and_types_by_node, watcher),
        "action client": partial(get_action_client_names_and_types_by_node, watcher),
    }
    for kind, look in looks.items():
        for name, types in look(node, "/"):
            yield kind, name, types[0]
