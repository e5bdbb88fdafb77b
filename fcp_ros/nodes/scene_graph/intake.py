# SPDX-License-Identifier: Apache-2.0
"""The queue of scene updates between the subscription and the scene: in order, and bounded."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import SceneUpdate, read_bytes, update_from_ros
from fcp_ros.nodes.conversions.scene_columns import NodeReader
from fcp_ros.nodes.runtime.worker import StreamThread
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.elements import SceneError

MOST_WAITING = 1000
"""Updates that may wait."""
MOST_BYTES = 128 * 2**20
"""Bytes of the updates that may wait."""
MOST_SOURCES = 64
"""Senders whose last number is remembered."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    message: SceneGraphUpdate | ConversionError
    size: int

    def is_superseded(self, source: str) -> bool:
        """Return True if a newer full update of a source replaces this message."""
        # Deltas without a source may be anybody's; messages that can't be read are reported.
        message = self.message
        if isinstance(message, ConversionError) or message.source != source:
            return False
        return bool(message.full_update or source)


class SceneIntake:
    """Reads updates and hands them on, in a thread of its own.

    A full update stands for the whole world: when a newer one of the same sender waits, the older
    one is left out. So a sender that is faster than this computer is followed at the computer's
    speed, without a growing delay. Updates that don't fit in the queue are lost, and never
    silently: whoever sent them is told, also where no number would show the gap.
    """

    def __init__(
        self,
        limits: SceneLimits,  # Larger messages are refused
        take: Callable[[SceneUpdate], None],
        refuse: Callable[[str], None],  # Gets one sentence about each message that can't be read
        # Gets the source of lost updates, and one sentence about them
        report_loss: Callable[[str, str], None],
    ) -> None:
        self._limits = limits
        self._take = take
        self._refuse = refuse
        self._report_loss = report_loss
        self._lost: dict[str, int] = {}  # source -> updates lost since the last report
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0  # of the waiting updates; changed under the condition, like the queue
        self._superseded = self._dropped = self._missed = 0
        self._newest: OrderedDict[str, int] = OrderedDict()  # source -> number
        self._reader = NodeReader()
        self._thread = StreamThread(
            "scene updates",
            lambda: bool(self._waiting),
            self._take_next,
            self._handle,
            self._confess,
        )

    def put(self, data: bytes) -> None:
        """Take in a serialised SceneGraphUpdate, without waiting for updates before it."""
        waiting = self._read(data)
        with self._thread.news:
            message = waiting.message
            if not isinstance(message, ConversionError):
                self._count_missed(message)
                if message.full_update:
                    self._drop_superseded(message.source)
            if len(self._waiting) >= MOST_WAITING or self._bytes + len(data) > MOST_BYTES:
                self._dropped += 1
                source = "" if isinstance(message, ConversionError) else message.source
                self._lost[source] = self._lost.get(source, 0) + 1
                return
            self._waiting.append(waiting)
            self._bytes += len(data)
            self._thread.news.notify()

    def values(self) -> dict[str, object]:
        with self._thread.news:
            return {
                "waiting_updates": len(self._waiting),
                "superseded_updates": self._superseded,
                "dropped_updates": self._dropped,
                "missed_updates": self._missed,
            }

    def close(self) -> None:
        """End the thread; waiting updates are dropped."""
        self._thread.close()

    def _read(self, data: bytes) -> _Waiting:
        try:
            self._limits.check_bytes(len(data), "the message", "max_message_bytes")
            message = read_bytes(data, SceneGraphUpdate)
            self._limits.check_nodes(len(message.nodes.ids), "the message")
            self._limits.check_relations(len(message.relations.names), "the message")
        except ConversionError as error:
            return _Waiting(error, len(data))
        except SceneError as error:
            return _Waiting(ConversionError(str(error)), 0)
        return _Waiting(message, len(data))

    def _count_missed(self, message: SceneGraphUpdate) -> None:
        """Count the numbers before a delta that never arrived: the middleware has lost them."""
        # A full update may begin at any number, and deltas without a source have none of their own.
        if not message.source:
            return
        number = int(message.sequence_number)
        newest = self._newest.get(message.source)
        if newest is not None and not message.full_update:
            self._missed += max(0, number - newest - 1)
            number = max(number, newest)
        self._newest[message.source] = number
        self._newest.move_to_end(message.source)
        if len(self._newest) > MOST_SOURCES:
            self._newest.popitem(last=False)

    def _drop_superseded(self, source: str) -> None:
        kept = [one for one in self._waiting if not one.is_superseded(source)]
        self._superseded += len(self._waiting) - len(kept)
        self._waiting = deque(kept)
        self._bytes = sum(one.size for one in kept)

    def _take_next(self) -> tuple[_Waiting, dict[str, int]]:
        """Take out the first update, and the losses to report before it."""
        waiting = self._waiting.popleft()
        self._bytes -= waiting.size
        lost, self._lost = self._lost, {}
        return waiting, lost

    def _handle(self, taken: tuple[_Waiting, dict[str, int]]) -> None:
        waiting, lost = taken
        for source, count in lost.items():
            sentence = f"{count} updates were lost: they come faster than they are worked in."
            self._report_loss(source, sentence)
        try:
            if isinstance(waiting.message, ConversionError):
                raise waiting.message
            self._take(update_from_ros(waiting.message, self._reader))
        except ConversionError as error:
            self._refuse(str(error))

    def _confess(self, error: Exception) -> None:
        """Tell of an update that met a fault of this node; the next ones are taken (issue 28)."""
        self._refuse(f"a fault of this node: {type(error).__name__}: {error}.")
