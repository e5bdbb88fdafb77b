# SPDX-License-Identifier: Apache-2.0
"""Servers of one name: a goal for one of them goes to all of them, and all would act."""

from __future__ import annotations

from rclpy.node import Node

from fcp_ros.nodes.calls.server_life import ServerLife

OWN_ACTION = "achieve_goal"


class Doubles:
    """Notices other executives in this namespace; see `describe_double` for executors.

    Args:
        node: The executive.
    """

    def __init__(self, node: Node) -> None:
        self._life = ServerLife(node, OWN_ACTION)

    def find_problem(self) -> str:
        """Say that another executive acts in this namespace: one sentence; "" if none does."""
        return describe_double(self._life, OWN_ACTION)

    def close(self) -> None:
        """End the watch."""
        self._life.close()


def describe_double(life: ServerLife, name: str) -> str:
    """Say that several living nodes offer one action: one sentence; "" if at most one does."""
    alive = life.look().alive
    if len(alive) < 2:
        return ""
    return (
        f"{len(alive)} nodes offer the action {name} ({', '.join(sorted(alive))}): nothing is sent "
        "while they do, since each of them would act. Stop all but one."
    )
