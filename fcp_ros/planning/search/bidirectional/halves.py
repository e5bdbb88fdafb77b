# SPDX-License-Identifier: Apache-2.0
"""Halves of plans, the labels of each direction, and the frontier of those still to be expanded."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fcp_ros.planning.search.bidirectional.partial_state import PartialState
from fcp_ros.planning.search.bidirectional.resources import Amounts, Interval

Key = tuple[float, float]
"""The two criteria in the objective's order; whole numbers or infinite."""

WORST: Key = (math.inf, math.inf)
"""Worse than every plan."""


@dataclass(slots=True, eq=False)
class HalfPlan:
    """A half of a plan."""

    loss: float  # composed loss of its operators, in units (see scale.py)
    cost: float
    key: Key  # both, in the objective's order
    operator: int
    open: bool = field(default=True, init=False)  # True until it was expanded or dropped
    # its distance from the halves of the other side that it was compared with
    distance: float = field(default=math.inf, init=False)


@dataclass(slots=True, eq=False)
class ForwardHalf(HalfPlan):
    """A forward half: operators from the initial state to `state`, which leave `amounts`."""

    state: tuple[int, ...]
    amounts: Amounts
    parent: ForwardHalf | None

    def steps(self) -> list[int]:
        """Its operators, in order."""
        found = []
        half: ForwardHalf | None = self
        while half is not None and half.parent is not None:
            found.append(half.operator)
            half = half.parent
        return found[::-1]


@dataclass(slots=True, eq=False)
class BackwardHalf(HalfPlan):
    """A backward half: operators that lead from each state of `partial_state` to the goal."""

    partial_state: PartialState
    intervals: tuple[Interval, ...]  # the amounts that it starts from
    room: float  # the requirement, as the largest loss that may come before it, in units
    parent: BackwardHalf | None

    def steps(self) -> list[int]:
        """Its operators, in order."""
        found = []
        half: BackwardHalf | None = self
        while half is not None and half.parent is not None:
            found.append(half.operator)
            half = half.parent
        return found


H = TypeVar("H", ForwardHalf, BackwardHalf)

BEACONS = 4
"""Halves of each direction that a new half of the other one is compared with."""


class Frontier(Generic[H]):
    """The open halves of one direction, by key and by distance.

    A half leaves it when it was expanded or dropped; its entries in the heaps are skipped later.
    """

    def __init__(self) -> None:
        self._by_key: list[tuple[Key, float, int, H]] = []
        self._by_distance: list[tuple[float, Key, int, H]] = []
        self._made = 0
        self.size = 0
        self.expanded = 0
        self.kept = 0
        # halves expanded last (and the end of this direction, until there are enough); the other
        # direction measures its distance to them
        self.beacons: deque[H] = deque(maxlen=BEACONS)

    def add(self, half: H, tie: float) -> None:
        """Add an open half; `tie` decides between equal keys."""
        self._made += 1
        self.size += 1
        self.kept += 1
        heapq.heappush(self._by_key, (half.key, tie, self._made, half))
        heapq.heappush(self._by_distance, (half.distance, half.key, self._made, half))

    def finish(self, half: H) -> None:
        """Note that a half was expanded."""
        self.expanded += 1
        self.beacons.append(half)
        self.close(half)

    def drop(self, halves: Iterable[H]) -> None:
        """Drop halves that were added."""
        for half in halves:
            self.kept -= 1
            self.close(half)

    def close(self, half: H) -> None:
        """Note that a half needs no expansion."""
        if half.open:
            half.open = False
            self.size -= 1

    def least(self) -> H | None:
        """The open half with the least key; None if there is none."""
        while self._by_key and not self._by_key[0][-1].open:
            heapq.heappop(self._by_key)
        return self._by_key[0][-1] if self._by_key else None

    def nearest(self) -> H | None:
        """The open half with the least distance; None if there is none."""
        while self._by_distance and not self._by_distance[0][-1].open:
            heapq.heappop(self._by_distance)
        return self._by_distance[0][-1] if self._by_distance else None

    def least_key(self) -> Key:
        """The least key of an open half; `WORST` if there is none."""
        half = self.least()
        return WORST if half is None else half.key

    def work(self) -> float:
        """The estimated work left in this direction: open halves times successors of each."""
        return self.size * (self._made / max(1, self.expanded))
