# SPDX-License-Identifier: Apache-2.0
"""Messages as a subscriber gets them, and those of scenes written by hand, column by column."""

from __future__ import annotations

from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

from fcp_ros.msg import SceneNodes


def over_the_wire(message: Any) -> Any:
    """A message as a subscriber gets it."""
    return deserialize_message(serialize_message(message), type(message))


def columns(*ids: str, layer: str = "room", category: str = "x", **more) -> SceneNodes:
    """Nodes of one layer and category without poses; `more` adds or replaces columns."""
    count = len(ids)
    return SceneNodes(
        **{
            "ids": list(ids),
            "layers": [layer] * count,
            "categories": [category] * count,
            "poses_known": [False] * count,
            "poses": [0.0] * (7 * count),
            "sizes_known": [False] * count,
            "sizes": [0.0] * (3 * count),
            "heights": [0.0] * count,
            **more,
        }
    )
