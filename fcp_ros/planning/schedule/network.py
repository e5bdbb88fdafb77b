# SPDX-License-Identifier: Apache-2.0
"""Simple temporal networks, and the one of a plan: a time point for the start of each step.

A network has time points and bounds on their differences (Dechter, Meiri, Pearl: Temporal
constraint networks, Artificial Intelligence 49, 1991). `solve_network` finds the times that keep
all bounds, `time_steps` does it for the order, windows and deadline of a plan's steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fcp_ros.domain.model import Window
from fcp_ros.foundation.wording import join_words
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.schedule.order import Pair


@dataclass(frozen=True, slots=True)
class TimeBound:
    """Time of `after` - time of `before` >= `least` (seconds; negative: an upper bound reversed).

    "b at most 5 after a" is "a at least -5 after b".
    """

    before: int
    after: int
    least: float


@dataclass(frozen=True, slots=True)
class Times:
    """The range of the solutions of a network; both ends are solutions themselves."""

    earliest: tuple[float, ...]  # of each time point; -infinity where nothing bounds it
    latest: tuple[float, ...]  # of each time point; infinity where nothing bounds it


@dataclass(frozen=True, slots=True)
class PositiveCycle:
    """A proof that a network has no solution: bounds that put a point after itself.

    It is a negative cycle of the distance graph. Each bound starts at the point where the one
    before it ends; together they ask for `excess` > 0 seconds too many.
    """

    bounds: tuple[int, ...]
    excess: float


def solve_network(points: int, bounds: Sequence[TimeBound]) -> Times | PositiveCycle:
    """Find the times that keep all bounds, with point 0 at time 0.

    Bellman-Ford on the distance graph: the earliest times are longest paths from point 0, the
    latest ones come from the longest paths to it. One or two passes are enough if the bounds come
    in the order of their paths.

    Args:
        bounds: between points 0 .. points - 1; `least` is finite or -infinity.
    """
    for bound in bounds:
        if math.isnan(bound.least) or bound.least == math.inf:
            raise ValueError(f"the bound {bound} is no bound: give a finite number of seconds")
    known = [(i, b) for i, b in enumerate(bounds) if b.least != -math.inf]
    cycle = _find_positive_cycle(points, known)
    if cycle is not None:
        return cycle
    earliest = _measure_longest(points, [(b.before, b.after, b.least) for _, b in known])
    to_zero = _measure_longest(points, [(b.after, b.before, b.least) for _, b in reversed(known)])
    return Times(tuple(earliest), tuple(-length for length in to_zero))


# --- the network of a plan


@dataclass(frozen=True, slots=True)
class TimedStep:
    """A step in the network: its words, its duration (seconds) and its window."""

    words: str
    duration: float
    window: Window


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A reason why steps can't be scheduled."""

    message: str
    steps: tuple[int, ...]  # positions of the steps that together take too long, in their order
    excess: float  # the time by which they are late (s)
    proven: bool  # True if no other order of the agents' steps can help either


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Start times of the steps, in seconds from the start of the plan."""

    earliest: tuple[float, ...]
    latest: tuple[float, ...]


def time_steps(
    steps: Sequence[TimedStep], order: Iterable[Pair], deadline: float
) -> StepTimes | Inconsistency:
    """Find the start times that keep an order of the steps, their windows and the deadline.

    Returns:
        the earliest start times, and the latest ones (infinity where nothing bounds them); or why
        there are none.
    """
    bounds = [TimeBound(0, i + 1, step.window.opens) for i, step in enumerate(steps)]
    bounds.extend(TimeBound(i + 1, j + 1, steps[i].duration) for i, j in order)
    for i, step in enumerate(steps):
        bounds.append(TimeBound(i + 1, 0, step.duration - min(step.window.closes, deadline)))
    solved = solve_network(len(steps) + 1, bounds)
    if isinstance(solved, Times):
        return StepTimes(solved.earliest[1:], solved.latest[1:])
    return _explain(solved, bounds, steps, deadline)


def _explain(
    cycle: PositiveCycle, bounds: Sequence[TimeBound], steps: Sequence[TimedStep], deadline: float
) -> Inconsistency:
    found = [bounds[index] for index in cycle.bounds]
    start = next(number for number, bound in enumerate(found) if bound.before == 0)
    chain = tuple(bound.after - 1 for bound in [*found[start:], *found[:start]][:-1])
    first, last = steps[chain[0]], steps[chain[-1]]
    shown = [f"step {number + 1} {steps[number].words}" for number in chain]
    if len(chain) == 1:
        takes = f"{shown[0]} takes {first.duration:g} s"
    else:
        total = math.fsum(steps[number].duration for number in chain)
        takes = f"{join_words(shown)} take {total:g} s one after the other"
    opens = first.window.opens
    since = (
        f" and can't start before {opens:g} s, when the window of the first opens" if opens else ""
    )
    if deadline < last.window.closes:
        limit = f"the deadline is at {deadline:g} s"
    else:
        limit = f"the window of the last closes at {last.window.closes:g} s"
    message = f"{takes}{since}, but {limit}: {cycle.excess:g} s too late."
    return Inconsistency(f"{message[0].upper()}{message[1:]}", chain, cycle.excess, proven=True)


# --- longest paths


def _measure_longest(points: int, edges: Sequence[tuple[int, int, float]]) -> list[float]:
    """Return the lengths of the longest paths from point 0; there is no positive cycle."""
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


def _find_positive_cycle(
    points: int, bounds: Sequence[tuple[int, TimeBound]]
) -> PositiveCycle | None:
    """Find a cycle with an excess of more than EPSILON, from a source before all points."""
    length = [0.0] * points
    reached_by: list[tuple[int, TimeBound] | None] = [None] * points
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
    # `last` may only hang on the cycle: after `points` steps back it is certainly on it.
    for _ in range(points):
        step = reached_by[last]
        assert step is not None
        last = step[1].before
    return _read_cycle(last, reached_by)


def _read_cycle(point: int, reached_by: Sequence[tuple[int, TimeBound] | None]) -> PositiveCycle:
    indices: list[int] = []
    excess, current = 0.0, point
    while not indices or current != point:
        step = reached_by[current]
        assert step is not None
        indices.append(step[0])
        excess += step[1].least
        current = step[1].before
    return PositiveCycle(tuple(reversed(indices)), excess)
