# SPDX-License-Identifier: Apache-2.0
"""A node's sign of life: where its process runs, and a beat for those who can't look there.

The middleware notices only after 20 s that a process was killed (Fast DDS), and its liveliness
leases are no remedy: the thread of Fast DDS 2.14 that asserts an automatic one waits for the lock
of discovery while discovery, which removes a publisher that has gone, waits for that thread, so
that a process blocks for ever when another one leaves.

On the same machine the kernel knows who has died: at once, and without mistaking a process that is
only busy for a dead one. So a node tells, latched, which process it is. It also tells that again
every `BEAT` seconds while somebody subscribes: those who see other processes than its own (on
another machine, in another container) have nothing but the beat to judge by.
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
from pathlib import Path
from typing import Any

from rclpy.node import Node

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
        """Call the function, once."""
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
        """Read the state of the process, which was visible before."""
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
