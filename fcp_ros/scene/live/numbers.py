# SPDX-License-Identifier: Apache-2.0
"""Sequence numbers: which update of a source comes next, and which is late or tells of a gap."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import Enum


class Turn(str, Enum):
    """Where an update stands among those of its source."""

    NEXT = "next"
    ANEW = "anew"
    LATE = "late"
    GAP = "gap"


@dataclass(frozen=True)
class Judgement:
    """Whether it is an update's turn, and a clause why not."""

    turn: Turn
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Last:
    number: int
    time: float | None
    is_lost: bool = False


class SourceNumbers:
    """The newest number of each source.

    A source counts its updates. A full one may have any number; one that is not greater than the
    last means that the source was started again, unless its time says that it is late. A delta has
    the number after the last one; the first delta of a source has number 1. A delta with a lower
    number is late (or came twice), unless its time is later than all before: then the source was
    started again and its full update was missed, which is a gap, too.

    After another source's full update, which stands for the whole world, a source's numbers go on.

    The source "" has no numbers of its own: its deltas count with the graph, and of several writers
    that want the same number the first gets it.

    Args:
        most_sources: Beyond so many sources, the one that was silent longest is forgotten.
    """

    def __init__(self, most_sources: int = 64) -> None:
        self._most_sources = most_sources
        self._last: OrderedDict[str, _Last] = OrderedDict()

    def of_full(self, source: str, number: int, time: float | None) -> Judgement:
        """Whether it is the turn of a full update.

        Args:
            source: Who sent it.
            number: Its sequence number.
            time: Of the observation (s), by a clock that the source shares; None where unknown.
        """
        last = self._last.get(source)
        if last is None or not source:
            return Judgement(Turn.NEXT)
        if (
            time is not None
            and last.time is not None
            and (time, number) <= (last.time, last.number)
            and (time < last.time or number == last.number)
        ):
            return Judgement(Turn.LATE, f"number {number} is older than what is known")
        return Judgement(Turn.NEXT if number > last.number else Turn.ANEW)

    def of_delta(
        self, source: str, number: int, time: float | None, graph_number: int
    ) -> Judgement:
        """Whether it is the turn of a delta; arguments as above.

        Args:
            graph_number: Of the present graph.
        """
        last = self._last.get(source) if source else _Last(graph_number, None)
        if last is None:
            if number == 1:
                return Judgement(Turn.NEXT)
            return Judgement(Turn.GAP, f"the first update of this source here is number {number}")
        if last.is_lost:
            return Judgement(Turn.GAP, "the full update that was asked for has not come yet")
        if number == last.number + 1:
            return Judgement(Turn.NEXT)
        if number > last.number:
            return Judgement(Turn.GAP, f"number {number} came after number {last.number}")
        if time is not None and last.time is not None and time > last.time:
            return Judgement(Turn.GAP, f"the source began anew with number {number}")
        return Judgement(Turn.LATE, f"number {number} came after number {last.number}")

    def took(self, source: str, number: int, time: float | None) -> None:
        """An update was worked in."""
        if not source:
            return
        last = self._last.get(source)
        if time is None and last is not None and number > last.number:
            time = last.time
        self._last[source] = _Last(number, time)
        self._last.move_to_end(source)
        if len(self._last) > self._most_sources:
            self._last.popitem(last=False)

    def lost(self, source: str) -> None:
        """An update of a source was missed or could not be used: only a full one helps."""
        if source in self._last:
            self._last[source] = replace(self._last[source], is_lost=True)

    def knows(self, source: str) -> bool:
        """Whether a source has sent anything, as far as that is remembered."""
        return source in self._last
