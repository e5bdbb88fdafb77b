# SPDX-License-Identifier: Apache-2.0
"""The node that keeps the scene graph: as long as it lives and is active, the graph is the world.

A graph whose keeper is gone, inactive or silent says what the world was. Nothing may be sent,
confirmed, learned or planned on it.
"""

from __future__ import annotations

import threading
import time

from fcp_ros.msg import SceneStatus
from fcp_ros.nodes.calls.server_life import ServerLife
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.sign_of_life import read_participant
from fcp_ros.nodes.scene_access.follower import SceneFollower

GRAPH_TOPIC = "scene_graph"
STATUS_TOPIC = "scene_status"

MOST_OWNERS = 64
"""Nodes whose last word is remembered: each start of one is another."""

ADVICE = "Start the node scene_graph, or activate it; execution goes on when it is back."


class SceneLostError(ValueError):
    """The scene graph is stale; one sentence why, and what to do."""


class SceneOwner:
    """Tells if the scene graph is kept up to date; thread-safe, and cheap to ask.

    A publisher of the graph that gives no sign of life, and no status, counts as long as discovery
    lists it: of such a one nobody can tell more.

    Args:
        node: The node that follows the graph.
        follower: Follows it.
    """

    def __init__(self, node: ManagedNode, follower: SceneFollower) -> None:
        self._node = node
        self._follower = follower
        self._lock = threading.Lock()
        self._said: dict[bytes, SceneStatus] = {}  # participant -> its word; under the lock
        self._life = ServerLife(node, GRAPH_TOPIC, is_topic=True)
        self._status_topic = node.resolve_topic_name(STATUS_TOPIC)
        self._seen_live: float | None = None
        node.subscribe_state(SceneStatus, STATUS_TOPIC, self._hear)

    def find_problem(self) -> str:
        """Say why the graph is stale: one sentence; "" if it is kept up to date.

        Without any graph there is nothing that could be stale: "".
        """
        if self._follower.sequence is None:
            return ""
        problem = self._look()
        if not problem:
            self._seen_live = time.monotonic()
            return ""
        return f"The scene graph is stale: {problem}{self._describe_age()}."

    @property
    def is_lost(self) -> bool:
        """True if the graph is stale."""
        return bool(self.find_problem())

    def check(self) -> None:
        """Raise an error if the graph is stale.

        Raises:
            SceneLostError: it is.
        """
        if problem := self.find_problem():
            raise SceneLostError(f"{problem} {ADVICE}")

    def close(self) -> None:
        """End the watch; the node destroys the subscription."""
        self._life.close()

    def _look(self) -> str:
        servers = self._life.examine()
        alive = [server for server, has_ended in servers if not has_ended]
        names = sorted(f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in alive)
        if not servers:
            return f"no node publishes {self._node.resolve_topic_name(GRAPH_TOPIC)}"
        if not alive:
            dead = servers[0][0]
            name = f"{dead.node_namespace.rstrip('/')}/{dead.node_name}"
            return f"the node {name} has died, or is stopped"
        if len(alive) > 1:
            return f"{len(alive)} nodes keep one: {', '.join(names)}"
        return self._read_status(read_participant(alive[0]), names[0])

    def _read_status(self, participant: bytes, name: str) -> str:
        with self._lock:
            status = self._said.get(participant)
        if status is not None:
            return "" if status.state == SceneStatus.LIVE else status.message.rstrip(".")
        listed = self._node.get_publishers_info_by_topic(self._status_topic)
        if participant in map(read_participant, listed):
            return f"the node {name} has not yet said that it keeps it"
        return ""

    def _describe_age(self) -> str:
        if self._seen_live is None:
            return ""
        return f" (for {time.monotonic() - self._seen_live:.1f} s)"

    def _hear(self, status: SceneStatus) -> None:
        with self._lock:
            self._said.pop(bytes(status.participant), None)
            self._said[bytes(status.participant)] = status
            while len(self._said) > MOST_OWNERS:
                del self._said[next(iter(self._said))]
