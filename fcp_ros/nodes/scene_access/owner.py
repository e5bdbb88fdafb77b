# SPDX-License-Identifier: Apache-2.0
"""The node that keeps the scene graph: as long as it lives and is active, the graph is the world.

A graph whose keeper is gone, inactive or silent says what the world was. Nothing may be sent,
confirmed, learned or planned on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.msg import SceneStatus
from fcp_ros.nodes.runtime.action_call import ServerMonitor, ServerWatch
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.server_life import ServerLife, read_participant
from fcp_ros.nodes.scene_access.follower import SceneFollower

GRAPH_TOPIC = "scene_graph"
STATUS_TOPIC = "scene_status"

MOST_OWNERS = 64
"""Nodes whose last word is remembered: each start of one is another."""

FIRST_WORD_WAIT = 5.0
"""Longest wait for the first word of a keeper that has just been discovered (s).

Its graph, its place in discovery and its status arrive one by one, under load seconds apart. This
is no time-out for a dead keeper: such a one is gone from discovery, or silent, within 1 s.
"""

LOOK_EVERY = 0.1
"""Seconds between two looks at discovery while the first word is waited for."""

ADVICE = "Start the node scene_graph, or activate it; execution goes on when it is back."


class SceneLostError(ValueError):
    """The scene graph is stale; one sentence why, and what to do."""


@dataclass(frozen=True)
class _Staleness:
    """A reason why the graph is stale; `is_unheard` if the first word may be on its way."""

    reason: str
    is_unheard: bool = False


class SceneOwner:
    """Tells if the scene graph is kept up to date; thread-safe, and cheap to ask.

    A publisher of the graph that gives no sign of life, and no status, counts as long as discovery
    lists it: of such a one nobody can tell more.
    """

    def __init__(self, node: ManagedNode, follower: SceneFollower) -> None:
        self._node = node
        self._follower = follower
        self._heard = threading.Condition()
        self._said: dict[bytes, SceneStatus] = {}  # participant -> its word; under `_heard`
        self._life = ServerLife(node, GRAPH_TOPIC, is_topic=True)
        self._status_topic = node.resolve_topic_name(STATUS_TOPIC)
        self._seen_live: float | None = None
        self._monitor = ServerMonitor(node)
        node.subscribe_state(SceneStatus, STATUS_TOPIC, self._hear)

    def find_problem(self) -> str:
        """Say why the graph is stale: one sentence; "" if it is kept up to date."""
        # Without any graph there is nothing that could be stale: "".
        return self._describe(self._look())

    @property
    def is_lost(self) -> bool:
        return bool(self.find_problem())

    def check(
        self, wait: float = FIRST_WORD_WAIT, is_cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        """Raise an error if the graph is stale.

        `wait`: longest wait (s) for the first word of a keeper that was just discovered. Raises
        SceneLostError if it is.
        """
        until = time.monotonic() + wait
        staleness = self._look()
        while staleness is not None and staleness.is_unheard and not is_cancelled():
            if (left := until - time.monotonic()) <= 0.0:
                break
            with self._heard:  # a word between the look and the wait costs one LOOK_EVERY
                self._heard.wait(min(left, LOOK_EVERY))
            staleness = self._look()
        if problem := self._describe(staleness):
            raise SceneLostError(f"{problem} {ADVICE}")

    def watch(self, key: str, is_lost: bool, then: Callable[[], None]) -> None:
        """Call a function once, as soon as the graph is lost, or is kept; it may be so now."""
        self._monitor.watch(key, ServerWatch(lambda: self.is_lost, is_lost, then))

    def unwatch(self, key: str) -> None:
        self._monitor.unwatch(key)

    def close(self) -> None:
        self._monitor.close()
        self._life.close()

    def _describe(self, staleness: _Staleness | None) -> str:
        if staleness is None:
            return ""
        return f"The scene graph is stale: {staleness.reason}{self._describe_age()}."

    def _look(self) -> _Staleness | None:
        if self._follower.sequence is None:
            return None
        staleness = self._examine()
        if staleness is None:
            self._seen_live = time.monotonic()
        return staleness

    def _examine(self) -> _Staleness | None:
        servers = self._life.examine()
        alive = [server for server, has_ended in servers if not has_ended]
        names = sorted(f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in alive)
        if not servers:
            return _Staleness(f"no node publishes {self._node.resolve_topic_name(GRAPH_TOPIC)}")
        if not alive:
            dead = servers[0][0]
            name = f"{dead.node_namespace.rstrip('/')}/{dead.node_name}"
            return _Staleness(f"the node {name} has died, or is stopped")
        if len(alive) > 1:
            # One that died before it was ever looked at shows it by its silence, a moment later.
            is_unheard = any(self._life.awaits_sign(one) for one in alive)
            return _Staleness(f"{len(alive)} nodes keep one: {', '.join(names)}", is_unheard)
        return self._read_status(read_participant(alive[0]), names[0])

    def _read_status(self, participant: bytes, name: str) -> _Staleness | None:
        with self._heard:
            status = self._said.get(participant)
        if status is not None:
            is_live = status.state == SceneStatus.LIVE
            return None if is_live else _Staleness(status.message.rstrip("."))
        listed = self._node.get_publishers_info_by_topic(self._status_topic)
        if participant in map(read_participant, listed):
            return _Staleness(f"the node {name} has not yet said that it keeps it", True)
        return None

    def _describe_age(self) -> str:
        if self._seen_live is None:
            return ""
        return f" (for {time.monotonic() - self._seen_live:.1f} s)"

    def _hear(self, status: SceneStatus) -> None:
        with self._heard:
            self._said.pop(bytes(status.participant), None)
            self._said[bytes(status.participant)] = status
            while len(self._said) > MOST_OWNERS:
                del self._said[next(iter(self._said))]
            self._heard.notify_all()
