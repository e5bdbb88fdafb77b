# SPDX-License-Identifier: Apache-2.0
"""What each direction keeps: labels, and the frontier of those that are still to be expanded."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fcp_ros.planning.search.bidirectional.pattern import Pattern
from fcp_ros.planning.search.bidirectional.resources import Amounts, Interval

Key = tuple[float, float]
"""The two criteria in the objective's order; whole numbers or infinite."""

WORST: Key = (math.inf, math.inf)
"""Worse than every plan."""


@dataclass(slots=True, eq=False)
class Label:
    """A half of a plan.

    Attributes:
        loss: composed loss of its operators, in units (see scale.py).
        cost: sum of their costs, in units.
        key: both, in the objective's order.
        operator: the operator that was added last; -1 in the half without operators.
        open: whether it is still to be expanded.
        distance: how far it is from the other side, as far as was looked.
    """

    loss: float
    cost: float
    key: Key
    operator: int
    open: bool = field(default=True, init=False)
    distance: float = field(default=math.inf, init=False)


@dataclass(slots=True, eq=False)
class Reached(Label):
    """A forward half: operators from the initial state to `state`, which leave `amounts`."""

    state: tuple[int, ...]
    amounts: Amounts
    parent: Reached | None

    def steps(self) -> list[int]:
        """Its operators, in order."""
        found = []
        label: Reached | None = self
        while label is not None and label.parent is not None:
            found.append(label.operator)
            label = label.parent
        return found[::-1]


@dataclass(slots=True, eq=False)
class Needed(Label):
    """A backward half: operators that lead from each state of `pattern` to the goal.

    Attributes:
        pattern: the states that it starts from.
        intervals: the amounts that it starts from.
        room: the requirement, as the largest loss that may come before it, in units.
        parent: the rest after the first operator.
    """

    pattern: Pattern
    intervals: tuple[Interval, ...]
    room: float
    parent: Needed | None

    def steps(self) -> list[int]:
        """Its operators, in order."""
        found = []
        label: Needed | None = self
        while label is not None and label.parent is not None:
            found.append(label.operator)
            label = label.parent
        return found


L = TypeVar("L", Reached, Needed)

BEACONS = 4
"""Labels of each direction whose distance to a new label of the other one is looked at."""


class Frontier(Generic[L]):
    """The open labels of one direction, by key and by distance.

    A label leaves it when it was expanded or dropped, wherever it lies in the heaps.

    Attributes:
        size: number of open labels.
        expanded: number of labels expanded so far.
        kept: number of labels that were added and not dropped.
        beacons: labels expanded last (and the end of this direction, until there are enough); the
            other direction looks at its distance to them.
    """

    def __init__(self) -> None:
        self._by_key: list[tuple[Key, float, int, L]] = []
        self._by_distance: list[tuple[float, Key, int, L]] = []
        self._made = 0
        self.size = 0
        self.expanded = 0
        self.kept = 0
        self.beacons: deque[L] = deque(maxlen=BEACONS)

    def add(self, label: L, tie: float) -> None:
        """A new open label; `tie` decides between equal keys."""
        self._made += 1
        self.size += 1
        self.kept += 1
        heapq.heappush(self._by_key, (label.key, tie, self._made, label))
        heapq.heappush(self._by_distance, (label.distance, label.key, self._made, label))

    def finish(self, label: L) -> None:
        """The label was expanded."""
        self.expanded += 1
        self.beacons.append(label)
        self.close(label)

    def drop(self, labels: Iterable[L]) -> None:
        """Labels that were added are not needed any more."""
        for label in labels:
            self.kept -= 1
            self.close(label)

    def close(self, label: L) -> None:
        """The label needs no expansion."""
        if label.open:
            label.open = False
            self.size -= 1

    def least(self) -> L | None:
        """The open label with the least key; None where there is none."""
        while self._by_key and not self._by_key[0][-1].open:
            heapq.heappop(self._by_key)
        return self._by_key[0][-1] if self._by_key else None

    def nearest(self) -> L | None:
        """The open label with the least distance; None where there is none."""
        while self._by_distance and not self._by_distance[0][-1].open:
            heapq.heappop(self._by_distance)
        return self._by_distance[0][-1] if self._by_distance else None

    def bound(self) -> Key:
        """The least key of an open label; `WORST` where there is none."""
        label = self.least()
        return WORST if label is None else label.key

    def work(self) -> float:
        """What it would take to go on here: open labels times successors of each."""
        return self.size * (self._made / max(1, self.expanded))
