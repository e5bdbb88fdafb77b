# SPDX-License-Identifier: Apache-2.0
"""Who sends scene graph updates, and which of theirs comes next."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum

from fcp_ros.nodes.conversions.scene_values import SceneUpdate

MOST_SOURCES = 64
"""Sources that are known at a time; beyond them the one that was silent longest is forgotten."""


class Order(str, Enum):
    """Where an update stands among those of its source."""

    NEXT = "next"
    LATE = "late"
    GAP = "gap"


@dataclass(frozen=True)
class Judged:
    """Whether an update is the next one; a sentence where it isn't, and the last number taken."""

    order: Order
    reason: str = ""
    last: int = 0


@dataclass(frozen=True, slots=True)
class _Last:
    number: int
    stamp: tuple[int, int]
    is_lost: bool = False


class SourceNumbers:
    """The numbers of all sources.

    A source with a name counts its own updates: full ones may begin anew at any number, a delta
    follows the one before. Its first delta is number 1, or the next after anybody's full update,
    which stands for the whole world. A lower number with a later time means that the source was
    started again; without a later time it is late, or came twice.

    Without a name, deltas count with the graph: several writers may want the same number, and the
    first gets it.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, _Last] = OrderedDict()

    def judge(self, update: SceneUpdate, graph_number: int) -> Judged:
        """Where an update stands.

        Arguments:
            update: that came.
            graph_number: of the present graph.
        """
        if update.sequence < 0:
            return Judged(Order.GAP, f"{update.sequence} is no sequence number", graph_number)
        if not update.source:
            return _judge_nameless(update, graph_number)
        last = self._last.get(update.source)
        if last is None:
            if update.is_full or update.sequence == 1:
                return Judged(Order.NEXT)
            reason = f"its first update here is number {update.sequence}: others were missed"
            return Judged(Order.GAP, reason)
        if update.sequence <= last.number:
            return _judge_lower(update, last)
        if update.is_full or last.is_lost or update.sequence == last.number + 1:
            return Judged(Order.NEXT)
        reason = f"number {update.sequence} came after number {last.number}"
        return Judged(Order.GAP, reason, last.number)

    def taken(self, update: SceneUpdate) -> None:
        """An update was taken."""
        if update.is_full:
            for name, last in self._last.items():
                self._last[name] = _Last(last.number, last.stamp, is_lost=True)
        if update.source:
            self._last[update.source] = _Last(update.sequence, _stamp(update))
            self._last.move_to_end(update.source)
            if len(self._last) > MOST_SOURCES:
                self._last.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        self._last.clear()

    def names(self) -> tuple[str, ...]:
        """The sources, the one that sent last at the end."""
        return tuple(self._last)


def _judge_nameless(update: SceneUpdate, graph_number: int) -> Judged:
    if update.is_full or update.sequence == graph_number + 1:
        return Judged(Order.NEXT)
    if update.sequence <= graph_number:
        reason = f"the graph is at {graph_number} already, and the delta is number"
        return Judged(Order.LATE, f"{reason} {update.sequence}", graph_number)
    reason = f"the delta is number {update.sequence}, and the graph needs {graph_number + 1}"
    return Judged(Order.GAP, reason, graph_number)


def _judge_lower(update: SceneUpdate, last: _Last) -> Judged:
    """A number that the source has used before."""
    stamp = _stamp(update)
    has_times = stamp != (0, 0) and last.stamp != (0, 0)
    is_anew = stamp > last.stamp if has_times else update.is_full and update.sequence < last.number
    if not is_anew:
        return Judged(Order.LATE, f"number {update.sequence} is late or came twice", last.number)
    if update.is_full:
        return Judged(Order.NEXT)
    return Judged(Order.GAP, f"it began anew with number {update.sequence}", last.number)


def _stamp(update: SceneUpdate) -> tuple[int, int]:
    return update.stamp.sec, update.stamp.nanosec
