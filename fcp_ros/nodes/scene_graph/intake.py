# SPDX-License-Identifier: Apache-2.0
"""Scene updates between the subscription and the scene: in order, and never more than fit."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene_values import SceneUpdate
from fcp_ros.nodes.conversions.scene_wire_glance import glance_at_update
from fcp_ros.nodes.conversions.scene_wire_read import SceneReader

MOST_WAITING = 1000
"""Updates that may wait."""
MOST_BYTES = 128 * 2**20
"""Bytes of the updates that may wait."""
STOP_TIMEOUT = 5.0
"""Seconds to wait for the thread at the end."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    data: bytes
    source: str | None
    is_full: bool


class SceneIntake:
    """Reads updates and hands them on, in a thread of its own.

    A full update stands for the whole world: when a newer one of the same sender waits, the older
    one is left out. So a sender that is faster than this computer is followed at the speed that
    there is, and not later and later. What does not fit any more is left out as well; its sender's
    numbers then have a gap, which the scene notices.

    Arguments:
        most_nodes: messages with more are refused.
        take: gets each update.
        refuse: gets one sentence about each message that can't be read.
    """

    def __init__(
        self,
        most_nodes: int,
        take: Callable[[SceneUpdate], None],
        refuse: Callable[[str], None],
    ) -> None:
        self._reader = SceneReader(most_nodes)
        self._take = take
        self._refuse = refuse
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0
        self._closed = False
        self._superseded = self._dropped = 0
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="scene updates", daemon=True)
        self._thread.start()

    def put(self, data: bytes) -> None:
        """Take in a serialised SceneGraphUpdate; returns at once."""
        try:
            source, is_full = glance_at_update(data)
            waiting = _Waiting(data, source, is_full)
        except ConversionError:
            waiting = _Waiting(data, None, False)  # reading it whole says what is wrong
        with self._news:
            if waiting.is_full:
                self._leave_out_older(waiting.source)
            if len(self._waiting) >= MOST_WAITING or self._bytes + len(data) > MOST_BYTES:
                self._dropped += 1
                return
            self._waiting.append(waiting)
            self._bytes += len(data)
            self._news.notify()

    def values(self) -> dict[str, object]:
        """For the diagnostics."""
        with self._news:
            return {
                "waiting_updates": len(self._waiting),
                "superseded_updates": self._superseded,
                "dropped_updates": self._dropped,
            }

    def close(self) -> None:
        """End the thread; what waits is left."""
        with self._news:
            self._closed = True
            self._news.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(STOP_TIMEOUT)

    def _leave_out_older(self, source: str | None) -> None:
        """What a newer full update says anyway. Nameless deltas are of any writer, and stay."""
        kept = [one for one in self._waiting if one.source != source or not (one.is_full or source)]
        self._superseded += len(self._waiting) - len(kept)
        self._waiting = deque(kept)
        self._bytes = sum(len(one.data) for one in kept)

    def _work(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._closed:
                    self._news.wait()
                if self._closed:
                    return
                waiting = self._waiting.popleft()
                self._bytes -= len(waiting.data)
            try:
                update = self._reader.update(waiting.data)
            except ConversionError as error:
                self._refuse(str(error))
            else:
                self._take(update)
