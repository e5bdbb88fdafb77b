# SPDX-License-Identifier: Apache-2.0
"""A request at a service that may survive a lost answer; nothing here waits or polls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future as Answer
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rclpy.client import Client
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.task import Future

from fcp_ros.nodes.runtime.sign_of_life import Alarm, call_later
from fcp_ros.nodes.runtime.worker import PausableTimer

# --- watches for servers that appear and disappear ---

PERIOD = 0.1
"""Seconds between two looks, while there is something to watch for."""


@dataclass(frozen=True)
class ServerWatch:
    """A change to watch for: `then` is called once, as soon as `is_ready` returns `wanted`."""

    is_ready: Callable[[], bool]
    wanted: bool
    then: Callable[[], None] = field(compare=False)


class ServerMonitor:
    """Looks at servers with a timer that runs only while something is watched.

    `_lock` guards the table of watches; `then` is called without it, and only by whoever has just
    removed its watch from the table.
    """

    def __init__(self, node: Node) -> None:
        self._watches: dict[str, ServerWatch] = {}
        self._lock = threading.Lock()
        self._timer = PausableTimer(node, PERIOD, self._look_again)

    def watch(self, key: str, watch: ServerWatch) -> None:
        """Begin to watch, with a first look at once; a later watch of the same key replaces it."""
        if watch.is_ready() == watch.wanted:
            self.unwatch(key)
            watch.then()
            return
        with self._lock:
            self._watches[key] = watch
        self._timer.start()

    def unwatch(self, key: str | None = None) -> None:
        """End one watch, or all of them."""
        with self._lock:
            if key is None:
                self._watches.clear()
            else:
                self._watches.pop(key, None)

    def look(self) -> None:
        """Look now: something has changed."""
        with self._lock:
            watches = dict(self._watches)
        for key, watch in watches.items():
            if watch.is_ready() == watch.wanted and self._remove(key, watch):
                watch.then()

    def close(self) -> None:
        """Destroy the timer."""
        self.unwatch()
        self._timer.close()

    def _look_again(self) -> bool:
        self.look()
        with self._lock:
            return bool(self._watches)

    def _remove(self, key: str, watch: ServerWatch) -> bool:
        """Remove a watch; return False if it was replaced or removed meanwhile."""
        with self._lock:
            if self._watches.get(key) is not watch:
                return False
            del self._watches[key]
            return True


# --- A request at a service that may survive a lost answer ---

REPEAT_AFTER = 3.0
"""Seconds without an answer after which a request is sent again, and each time twice as many."""

LONGEST_PAUSE = 60.0
"""Longest time between two tries, in seconds."""


class ServiceCall:
    """Sends a request, and if it may be repeated, again while no answer arrives.

    A client may see a server before the server has seen the client's end for answers (DDS discovery
    goes each way by itself). rmw_fastrtps then holds the answer back for 0.1 s and drops it
    ("client will not receive response": ros2/rmw_fastrtps#842). Fast DDS 2.14 and 3 make that
    likely: a new participant announces itself before it listens, and what it misses in that moment
    it hears only seconds later. The first answer counts. `client`: of the service; its server must
    be there, and somebody must spin its node. `repeatable`: True if the request may come twice
    without harm: it changes nothing, or has an id by which the server knows it again (see
    `ManagedNode.offer_service`).
    """

    def __init__(self, client: Client, request: Any, *, repeatable: bool) -> None:
        self.answer: Answer[Any] = Answer()  # The response message, once it has come
        self._client = client
        self._request = request
        self._lock = threading.Lock()  # guards the list, and the end of the answer
        self._futures: list[Future] = []
        self._pause = REPEAT_AFTER
        self._alarm = Alarm(self._repeat)  # rings only if it is set
        if repeatable:
            self._alarm = call_later(self._pause, self._repeat)
        self._send()

    def forget(self) -> None:
        """Discard answers that are still to come."""
        self._alarm.cancel()
        with self._lock:
            futures, self._futures = self._futures, []
            self.answer.cancel()
        for future in futures:
            self._client.remove_pending_request(future)

    def _send(self) -> None:
        future = self._client.call_async(self._request)
        with self._lock:
            self._futures.append(future)
        future.add_done_callback(self._on_answer)

    def _repeat(self) -> None:
        if not self.answer.done():
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
            with suppress(InvalidHandle):  # the client was destroyed meanwhile
                self._send()
                self._alarm = call_later(self._pause, self._repeat)

    def _on_answer(self, future: Future) -> None:
        self._alarm.cancel()
        with self._lock:
            if not self.answer.done():
                self.answer.set_result(future.result())
