# SPDX-License-Identifier: Apache-2.0
"""The sequence numbers of sources, by which an update is next, late, or after a gap."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.scene.graph.elements import SceneError

GREATEST_NUMBER = 2**62
"""Greatest sequence number of an update. A message has 64 bits for it: a graph that takes this one
over from a sender can still count on for ever, after 2**63 - 1 nothing could follow (issue 28)."""

LATEST = 60.0
"""Seconds by which an update may be late. What is older still is of another run: a clock was set, a
recording or a simulation began again."""

MOST_BEHIND = 100
"""Numbers by which a delta may be late, the depth of the topic's queue; one further back, or the
first of all, means that the source counts anew."""


class UpdateOrder(str, Enum):
    """The position of an update in the sequence of its source."""

    NEXT = "next"
    RESTARTED = "restarted"
    LATE = "late"
    GAP = "gap"


@dataclass(frozen=True)
class OrderCheck:
    """The position of an update, and a clause why it cannot be taken."""

    order: UpdateOrder
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Last:
    number: int
    time: float | None
    is_lost: bool = False


class SequenceNumbers:
    """The newest number of each source, of ``most_sources`` at most (the silent longest go).

    A source counts its updates. A full one may have any number; one that is not greater than the
    last means that the source was restarted, unless its time shows that it is late. A delta has
    the number after the last one; the first delta of a source has number 1. A delta with a lower
    number is late (or a duplicate), unless its time or its number shows that the source was
    restarted: then its full update was missed, which is a gap, too.

    After another source's full update, which stands for the whole world, a source's numbers go on.
    The source "" has no numbers of its own: its deltas count with the graph, and of several writers
    that want the same number the first gets it.
    """

    def __init__(self, most_sources: int = 64) -> None:
        self._most_sources = most_sources
        self._last: OrderedDict[str, _Last] = OrderedDict()

    def check_full(self, source: str, number: int, time: float | None) -> OrderCheck:
        """Find the position of a full update; ``time`` (s) by a clock of the source, None: unknown.

        Raises SceneError if the number is no sequence number.
        """
        _check_number(source, number)
        last = self._last.get(source)
        if last is None or not source:
            return OrderCheck(UpdateOrder.NEXT)
        if time is not None and last.time is not None:
            is_repeated = time == last.time and number == last.number
            if is_repeated or (time < last.time and not _is_of_another_run(number, time, last)):
                return OrderCheck(UpdateOrder.LATE, f"number {number} is older than the last one")
        return OrderCheck(UpdateOrder.NEXT if number > last.number else UpdateOrder.RESTARTED)

    def check_delta(
        self, source: str, number: int, time: float | None, graph_number: int
    ) -> OrderCheck:
        """Find the position of a delta; arguments as in ``check_full``."""
        _check_number(source, number)
        last = self._last.get(source) if source else _Last(graph_number, None)
        if last is None:
            if number == 1:
                return OrderCheck(UpdateOrder.NEXT)
            return OrderCheck(
                UpdateOrder.GAP, f"the first update of this source here is number {number}"
            )
        if last.is_lost:
            return OrderCheck(UpdateOrder.GAP, "the requested full update has not come yet")
        if number == last.number + 1:
            return OrderCheck(UpdateOrder.NEXT)
        if number > last.number:
            return OrderCheck(UpdateOrder.GAP, f"number {number} came after number {last.number}")
        if source and _is_of_another_run(number, time, last):
            return OrderCheck(UpdateOrder.GAP, f"the source restarted with number {number}")
        return OrderCheck(UpdateOrder.LATE, f"number {number} came after number {last.number}")

    def record(self, source: str, number: int, time: float | None) -> None:
        """Record that an update was worked in."""
        if not source:
            return
        last = self._last.get(source)
        if time is None and last is not None and number > last.number:
            time = last.time
        self._last[source] = _Last(number, time)
        self._last.move_to_end(source)
        if len(self._last) > self._most_sources:
            self._last.popitem(last=False)

    def record_loss(self, source: str) -> None:
        """Record that an update was missed or could not be used: only a full one helps."""
        if source in self._last:
            self._last[source] = replace(self._last[source], is_lost=True)


def _check_number(source: str, number: int) -> None:
    if not 0 <= number <= GREATEST_NUMBER:
        raise SceneError(
            f"{number} is no sequence number",
            source=source,
            advice="Count updates from 1, each with the number after the one before.",
        )


def _is_of_another_run(number: int, time: float | None, last: _Last) -> bool:
    """Return True if an update that falls back is of another run of its source, and not late."""
    if time is not None and last.time is not None and not 0.0 <= last.time - time <= LATEST:
        return True
    return counts_anew(number, last.number)


def counts_anew(number: int, last: int) -> bool:
    """Return True if a number that falls back behind the last one begins another count."""
    return number < last and (number == 1 or last - number > MOST_BEHIND)
