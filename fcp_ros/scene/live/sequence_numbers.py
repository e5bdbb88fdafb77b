# SPDX-License-Identifier: Apache-2.0
"""The sequence numbers of sources, by which an update is next, late, or after a gap."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import Enum


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
    """The newest number of each source.

    A source counts its updates. A full one may have any number; one that is not greater than the
    last means that the source was restarted, unless its time shows that it is late. A delta has
    the number after the last one; the first delta of a source has number 1. A delta with a lower
    number is late (or a duplicate), unless its time is later than all before: then the source was
    restarted and its full update was missed, which is a gap, too.

    After another source's full update, which stands for the whole world, a source's numbers go on.

    The source "" has no numbers of its own: its deltas count with the graph, and of several writers
    that want the same number the first gets it.

    Args:
        most_sources: Greatest number of sources to remember; the one silent longest is dropped.
    """

    def __init__(self, most_sources: int = 64) -> None:
        self._most_sources = most_sources
        self._last: OrderedDict[str, _Last] = OrderedDict()

    def check_full(self, source: str, number: int, time: float | None) -> OrderCheck:
        """Find the position of a full update.

        Args:
            source: Who sent it.
            number: Its sequence number.
            time: Of the observation (s), by a clock that the source shares; None where unknown.
        """
        last = self._last.get(source)
        if last is None or not source:
            return OrderCheck(UpdateOrder.NEXT)
        if (
            time is not None
            and last.time is not None
            and (time, number) <= (last.time, last.number)
            and (time < last.time or number == last.number)
        ):
            return OrderCheck(UpdateOrder.LATE, f"number {number} is older than the last one")
        return OrderCheck(UpdateOrder.NEXT if number > last.number else UpdateOrder.RESTARTED)

    def check_delta(
        self, source: str, number: int, time: float | None, graph_number: int
    ) -> OrderCheck:
        """Find the position of a delta.

        Args:
            source: As in ``check_full``.
            number: As in ``check_full``.
            time: As in ``check_full``.
            graph_number: Sequence number of the present graph.
        """
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
        if time is not None and last.time is not None and time > last.time:
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
