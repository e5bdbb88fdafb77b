# SPDX-License-Identifier: Apache-2.0
"""Simple temporal networks (Dechter, Meiri, Pearl: Temporal constraint networks, Artificial
Intelligence 49, 1991): time points, bounds on their differences, and the times that keep them all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.fuzzy import EPSILON


@dataclass(frozen=True, slots=True)
class Bound:
    """Time of `after` - time of `before` >= `least` (seconds; negative: an upper bound reversed).

    "b at most 5 after a" is "a at least -5 after b".
    """

    before: int
    after: int
    least: float


@dataclass(frozen=True, slots=True)
class Times:
    """The solutions of a network lie between these; both are solutions themselves.

    Attributes:
        earliest: of each time point; -infinity where nothing bounds it.
        latest: of each time point; infinity where nothing bounds it.
    """

    earliest: tuple[float, ...]
    latest: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PositiveCycle:
    """Why a network has no solution: bounds that together ask a point to be after itself.

    (A negative cycle of the distance graph.) Each bound starts at the point where the one before it
    ends; together they ask for `excess` > 0 seconds too many.
    """

    bounds: tuple[int, ...]
    excess: float


def solve(points: int, bounds: Sequence[Bound]) -> Times | PositiveCycle:
    """The times that keep all bounds, where point 0 is at time 0.

    Bellman-Ford on the distance graph: the earliest times are longest paths from point 0, the
    latest ones come from the longest paths to it. Bounds in the order in which their paths run make
    it fast: one or two passes.

    Arguments:
        points: how many time points there are.
        bounds: between points 0 .. points - 1; `least` is finite or -infinity.

    Returns:
        the times, or a cycle of bounds (by their indices) that can't all be kept.

    Raises:
        ValueError: a bound is NaN or +infinity.
    """
    for bound in bounds:
        if math.isnan(bound.least) or bound.least == math.inf:
            raise ValueError(f"the bound {bound} is no bound: give a finite number of seconds")
    known = [(i, b) for i, b in enumerate(bounds) if b.least != -math.inf]
    cycle = _positive_cycle(points, known)
    if cycle is not None:
        return cycle
    earliest = _longest(points, [(b.before, b.after, b.least) for _, b in known])
    to_zero = _longest(points, [(b.after, b.before, b.least) for _, b in reversed(known)])
    return Times(tuple(earliest), tuple(-length for length in to_zero))


def _longest(points: int, edges: Sequence[tuple[int, int, float]]) -> list[float]:
    """Lengths of the longest paths from point 0; there is no positive cycle."""
    length = [-math.inf] * points
    length[0] = 0.0
    for _ in range(points):
        changed = False
        for source, target, least in edges:
            # Rounding can make a cycle of length 0 look positive: passes are bounded.
            if length[source] + least > length[target] and target != 0:
                length[target] = length[source] + least
                changed = True
        if not changed:
            break
    return length


def _positive_cycle(points: int, bounds: Sequence[tuple[int, Bound]]) -> PositiveCycle | None:
    """A cycle that asks for more than EPSILON, or None; from a source before all points."""
    length = [0.0] * points
    reached_by: list[tuple[int, Bound] | None] = [None] * points
    last = -1
    for _ in range(points):
        last = -1
        for index, bound in bounds:
            if length[bound.before] + bound.least > length[bound.after] + EPSILON:
                length[bound.after] = length[bound.before] + bound.least
                reached_by[bound.after] = (index, bound)
                last = bound.after
        if last < 0:
            return None
    for _ in range(points):  # back into the cycle
        step = reached_by[last]
        assert step is not None
        last = step[1].before
    return _cycle_at(last, reached_by)


def _cycle_at(point: int, reached_by: Sequence[tuple[int, Bound] | None]) -> PositiveCycle:
    indices: list[int] = []
    excess, current = 0.0, point
    while not indices or current != point:
        step = reached_by[current]
        assert step is not None
        indices.append(step[0])
        excess += step[1].least
        current = step[1].before
    return PositiveCycle(tuple(reversed(indices)), excess)
