# SPDX-License-Identifier: Apache-2.0
"""The death of a node's process, noticed within a second by those who depend on the node.

Discovery lists a process that was killed until its participant's lease has run out (20 s with Fast
DDS). So whoever depends on a server hears which process it is (`runtime.sign_of_life`), and from
then on asks the kernel. Where the kernel can't tell, because the process runs on another machine or
in another container, the beat has to go on. Of a server that gives no sign nobody can tell; for it
discovery alone counts. A process that a signal has stopped is as good as dead until it goes on.

A server is found by a topic that only such a server publishes: that of an action's status, or
another one.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.subscription import Subscription

from fcp_ros.msg import SignOfLife
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.nodes.runtime.sign_of_life import (
    TOPIC,
    Alarm,
    ProcessIdentity,
    ProcessState,
    call_later,
    read_participant,
)

STATUS_TOPIC = "{}/_action/status"
"""Topic on which the server of an action publishes the status of its goals."""

GROUNDER_TOPIC = "grounding_info"
"""A topic that only a grounder publishes: services do not tell who serves them."""

SILENT_AFTER = 0.7
"""Seconds without a beat after which a process that the kernel does not show counts as dead: the
next look, at most 0.1 s later, is still within a second of a death just after a beat."""

FIRST_SIGN = 4.0
"""Seconds within which a new server's sign has to come, and then its first beat. The sign is
latched, and there at once, unless two processes have just started: Fast DDS may repeat its first
announcement only 3 s later."""

LONGEST_LOOK = 0.2
"""Seconds that one look may add to a silence. Who was held up itself, for longer than its usual
0.1 s between two looks, has not yet read the beats of that time."""

STOPPED_AFTER = 0.5
"""Seconds after which a process that the kernel shows as stopped counts as dead: some tools stop a
process for a moment to look into it."""

SEARCH_PERIOD = 1.0
"""Seconds between two looks for a server, so that its process is known before it is needed."""


class _Beats:
    """A process that only its beats show: alive until they stop, and again when they go on."""

    def __init__(self) -> None:
        self._limit = FIRST_SIGN
        self._silence = 0.0
        self._looked = time.monotonic()

    def note(self) -> None:
        """Note a beat."""
        self._limit = SILENT_AFTER
        self._silence = 0.0

    def has_ended(self) -> bool:
        """Look; return True if the beats have stopped."""
        now = time.monotonic()
        self._silence += min(now - self._looked, LONGEST_LOOK)
        self._looked = now
        return self._silence > self._limit


class _Visible:
    """A process that the kernel shows."""

    def __init__(self, identity: ProcessIdentity) -> None:
        self._identity = identity
        self._stopped: float | None = None

    def has_ended(self) -> bool:
        """Look; return True if the process has ended, or was stopped a while ago."""
        state = self._identity.read_state()
        if state is not ProcessState.STOPPED:
            self._stopped = None
            return state is ProcessState.ENDED
        now = time.monotonic()
        self._stopped = now if self._stopped is None else self._stopped
        return now - self._stopped >= STOPPED_AFTER


@dataclass(frozen=True)
class Servers:
    """The nodes that discovery lists as servers, by their full names."""

    alive: tuple[str, ...] = ()  # Those that live, and those of which nobody can tell
    dead: tuple[str, ...] = ()  # Those whose process has died, or is stopped

    @property
    def are_dead(self) -> bool:
        """True if discovery still lists servers whose process has died, and no others."""
        return bool(self.dead) and not self.alive


class ServerLife:
    """Watches the processes of the servers of one kind.

    Looks come from any thread, and signs from the executor's; `_lock` guards the tables. There is a
    subscription only until the process is known to be visible here, so that beats cost nothing on
    one machine. `name`: name of the action whose servers are meant; or, with `is_topic`, of a topic
    that only the servers publish. `is_topic`: see `name`.
    """

    def __init__(self, node: Node, name: str, *, is_topic: bool = False) -> None:
        self._node = node
        self._topic = node.resolve_topic_name(name if is_topic else STATUS_TOPIC.format(name))
        self._lock = threading.Lock()
        self._processes: dict[bytes, _Visible | _Beats] = {}  # by participant
        self._unheard: dict[bytes, _Beats] = {}  # likewise: those that have not given a sign
        self._subscriptions: dict[str, Subscription] = {}  # by topic
        self._strangers: set[bytes] = set()  # that gave no sign when they were first seen
        self._alarm: Alarm | None = None
        self._closed = False
        self._search()

    @property
    def is_dead(self) -> bool:
        """True if discovery still lists servers whose process has died, and no others."""
        return self.look().are_dead

    def look(self) -> Servers:
        """Look at all servers."""
        alive: list[str] = []
        dead: list[str] = []
        for server, has_ended in self.examine():
            name = f"{server.node_namespace.rstrip('/')}/{server.node_name}"
            (dead if has_ended else alive).append(name)
        return Servers(tuple(alive), tuple(dead))

    def examine(self) -> list[tuple[Any, bool]]:
        """Return the endpoint of each server, and True if its process has died."""
        servers = self._node.get_publishers_info_by_topic(self._topic)
        return [(server, self._has_ended(server)) for server in servers]

    def close(self) -> None:
        """End the watch."""
        with self._lock:
            self._closed = True
            subscriptions = list(self._subscriptions.values())
            self._subscriptions.clear()
        if self._alarm is not None:
            self._alarm.cancel()
        for subscription in subscriptions:
            self._node.destroy_subscription(subscription)

    def _search(self) -> None:
        """Look until there is a server, and once more: its sign may be listed after its status."""
        with suppress(Exception):  # the node was destroyed meanwhile
            servers = self._node.get_publishers_info_by_topic(self._topic)
            for server in servers:
                self._has_ended(server)
            unknown = set(map(read_participant, servers)) - self._processes.keys()
            if not self._closed and (not servers or unknown - self._strangers):
                self._alarm = call_later(SEARCH_PERIOD, self._search)
            self._strangers |= unknown

    def _has_ended(self, server: Any) -> bool:
        participant = read_participant(server)
        process = self._processes.get(participant) or self._unheard.get(participant)
        if process is not None:
            return process.has_ended()
        topic = f"{server.node_namespace.rstrip('/')}/{server.node_name}/{TOPIC}"
        signs = self._node.get_publishers_info_by_topic(topic)
        if participant in map(read_participant, signs):
            self._listen(participant, topic)
        return False

    def _listen(self, participant: bytes, topic: str) -> None:
        with self._lock:
            if self._closed or participant in self._processes:
                return
            self._unheard[participant] = _Beats()
            if topic in self._subscriptions:
                return
            self._subscriptions[topic] = self._node.create_subscription(
                SignOfLife,
                topic,
                partial(self._hear, topic),
                state_qos(),
                callback_group=MutuallyExclusiveCallbackGroup(),
            )

    def _hear(self, topic: str, sign: SignOfLife) -> None:
        participant = bytes(sign.participant)
        with self._lock:
            process = self._processes.get(participant)
            if process is None:
                identity = ProcessIdentity(sign.machine, sign.pid, sign.start)
                process = _Visible(identity) if identity.is_visible() else _Beats()
                self._processes[participant] = process
                self._unheard.pop(participant, None)
            elif isinstance(process, _Beats):
                process.note()
            if self._unheard or any(isinstance(one, _Beats) for one in self._processes.values()):
                return
            subscription = self._subscriptions.pop(topic, None)
        if subscription is not None:
            self._node.destroy_subscription(subscription)
