# SPDX-License-Identifier: Apache-2.0
"""Signs of life of a node's process, and its death noticed by those who depend on the node.

The middleware notices only after 20 s that a process was killed (Fast DDS), and its liveliness
leases are no remedy: the thread of Fast DDS 2.14 that asserts an automatic one waits for the lock
of discovery while discovery, which removes a publisher that has gone, waits for that thread, so
that a process blocks for ever when another one leaves.

On the same machine the kernel knows who has died: at once, and without mistaking a process that is
only busy for a dead one. So a node tells, latched, which process it is. It also tells that again
every `BEAT` seconds while somebody subscribes: those who see other processes than its own (on
another machine, in another container) have nothing but the beat to judge by.

Discovery lists a process that was killed until its participant's lease has run out (20 s with Fast
DDS). So whoever depends on a server hears which process it is, and from
then on asks the kernel. Where the kernel can't tell, because the process runs on another machine or
in another container, the beat has to go on. Of a server that gives no sign nobody can tell; for it
discovery alone counts. A process that a signal has stopped is as good as dead until it goes on.

A server is found by a topic that only such a server publishes: that of an action's status, or
another one.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.subscription import Subscription

from fcp_ros.msg import SignOfLife
from fcp_ros.nodes.runtime.qos import state_qos

# --- calls at a later time, by one thread for the whole process ---


class Alarm:
    """A call that is still to come."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function: Callable[[], None] | None = function

    def cancel(self) -> None:
        """Leave the call out; too late if it has begun."""
        self._function = None

    def ring(self) -> None:
        function, self._function = self._function, None
        if function is not None:
            function()


class _AlarmThread:
    """Sleeps until the next alarm. `_changed` guards the heap, and the start of the thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[float, int, Alarm]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def add(self, at: float, alarm: Alarm) -> None:
        with self._changed:
            heapq.heappush(self._heap, (at, next(self._numbers), alarm))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="alarms", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._heap or self._heap[0][0] > time.monotonic():
                    left = self._heap[0][0] - time.monotonic() if self._heap else None
                    self._changed.wait(left)
                _, _, alarm = heapq.heappop(self._heap)
            with suppress(Exception):  # of the caller's making; the other alarms must still ring
                alarm.ring()


_THREAD = _AlarmThread()


def call_later(seconds: float, function: Callable[[], None]) -> Alarm:
    """Call a function after some time, in the thread of the alarms."""
    alarm = Alarm(function)
    _THREAD.add(time.monotonic() + seconds, alarm)
    return alarm


# --- A node's sign of life: where its process runs ---

TOPIC = "sign_of_life"
"""Private name of the topic: below the name of its node."""

BEAT = 0.25
"""Seconds between two signs while somebody subscribes (0.17 % of a core)."""

LOOK_PERIOD = 1.0
"""Seconds between two looks for subscribers while there are none."""

PREFIX = 12
"""Bytes of a DDS endpoint's id that are those of its participant."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_ENDED = "ZX"
"""States in ``/proc/PID/stat`` of a process that has ended, but was not waited for."""
_STOPPED = "T"
"""The state of one that a signal has stopped; a debugger's stop is another one."""


class ProcessState(Enum):
    """The states of a process that matter to those who depend on it."""

    ALIVE = "alive"
    STOPPED = "stopped"  # By a signal
    ENDED = "ended"


@dataclass(frozen=True)
class ProcessIdentity:
    """A process, among all that ever ran."""

    machine: str  # Equal for those who see the same processes; "" where that is unknown
    pid: int
    start: int  # Clock ticks from the machine's boot to its start

    @classmethod
    def find_own(cls) -> ProcessIdentity:
        """Identify this process; without Linux's ``/proc`` its machine stays unknown."""
        pid = os.getpid()
        try:
            machine = f"{_BOOT.read_text().strip()} {os.readlink('/proc/self/ns/pid')}"
        except OSError:
            return cls("", pid, 0)
        found = _read_process(pid)
        return cls("", pid, 0) if found is None else cls(machine, pid, found[1])

    def is_visible(self) -> bool:
        """Return True if the kernel shows the process here: only then it can tell its end."""
        return self.machine == ProcessIdentity.find_own().machine != "" and (
            self.read_state() is not ProcessState.ENDED
        )

    def read_state(self) -> ProcessState:
        found = _read_process(self.pid)
        if found is None or found[0] in _ENDED or found[1] != self.start:
            return ProcessState.ENDED
        return ProcessState.STOPPED if found[0] in _STOPPED else ProcessState.ALIVE


def _read_process(pid: int) -> tuple[str, int] | None:
    """Read state and start of a process; None if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before may contain anything
    return fields[0], int(fields[19])


class LifeSign:
    """Publishes a node's sign of life, from a thread of its own: a busy executor is no death.

    `node`: the node; any rclpy node, such as that of an executor of your own.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(SignOfLife, f"~/{TOPIC}", state_qos())
        # A node of this name may have died a moment ago and be listed still: this topic is ours.
        self._own = node.create_publisher(SignOfLife, f"~/_{TOPIC}_{uuid.uuid4().hex}", 1)
        self._sign: SignOfLife | None = None
        self._alarm: Alarm | None = None
        self._beat()

    @property
    def participant(self) -> bytes | None:
        """The node's DDS participant; None until discovery lists it, a moment after the start."""
        return None if self._sign is None else bytes(self._sign.participant)

    def close(self) -> None:
        """End the signs; the node is about to be destroyed."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None
        for publisher in (self._publisher, self._own):
            self._node.destroy_publisher(publisher)

    def _beat(self) -> None:
        with suppress(Exception):  # the node was destroyed meanwhile: no more beats
            is_first = self._sign is None
            self._sign = self._sign or self._make_sign()
            is_heard = self._publisher.get_subscription_count() > 0
            if self._sign is not None and (is_first or is_heard):
                self._publisher.publish(self._sign)
            is_quiet = self._sign is not None and not is_heard
            self._alarm = call_later(LOOK_PERIOD if is_quiet else BEAT, self._beat)

    def _make_sign(self) -> SignOfLife | None:
        """Make the message; None while discovery does not list this node."""
        found = self._node.get_publishers_info_by_topic(self._own.topic_name)
        if not found:
            return None
        process = ProcessIdentity.find_own()
        sign = SignOfLife(
            participant=list(read_participant(found[0])),
            machine=process.machine,
            pid=process.pid,
            start=process.start,
        )
        self._node.destroy_publisher(self._own)
        return sign


def read_participant(endpoint: Any) -> bytes:
    """Read which participant, and so which process, an endpoint in the graph belongs to."""
    return bytes(endpoint.endpoint_gid)[:PREFIX]


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
        self._limit = SILENT_AFTER
        self._silence = 0.0

    def has_ended(self) -> bool:
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
        return self.look().are_dead

    def look(self) -> Servers:
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

    def awaits_sign(self, server: Any) -> bool:
        """Return True for a server whose first sign of life may still come, or never come."""
        return read_participant(server) in self._unheard

    def close(self) -> None:
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
