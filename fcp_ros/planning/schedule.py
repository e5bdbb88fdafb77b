# SPDX-License-Identifier: Apache-2.0
"""From a verified sequence of steps to a schedule: a simple temporal network and its times.

A network has time points and bounds on their differences (Dechter, Meiri, Pearl: Temporal
constraint networks, Artificial Intelligence 49, 1991). `solve_network` finds the times that keep
all bounds, `time_steps` does it for the order, windows and deadline of a plan's steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain, Window
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.foundation.wording import join_words
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.footprint import FactView, find_footprints
from fcp_ros.planning.model.ground_step import Agents, GroundStep
from fcp_ros.planning.model.plan import PlanStep, Schedule
from fcp_ros.planning.step_order import (
    Pair,
    PartialOrder,
    find_causal_pairs,
    find_reservoir_pairs,
)


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


# --- from a verified sequence of steps to a schedule: partial order, agents, windows, times


def schedule_steps(
    domain: Domain,
    instance: Instance,
    steps: Sequence[PlanStep],  # a sequence that can be done there (this is not checked)
    *,
    levels: Mapping[str, float] | None = None,
    deadline: float = math.inf,
    # each step begins when the one before it has ended: for goals with trajectory constraints,
    # which another order might break
    in_order: bool = False,
    # the times in which each step may run, within the window of its rule; by default that one
    windows: Sequence[Window] = (),
    check: Check = never_stop,
) -> Schedule | Inconsistency:
    """Work out when each step of a plan can run.

    Every order that the schedule's partial order allows can be executed, keeps constraints and
    resources, and ends in the same state. Steps that it does not order don't interfere, so they may
    overlap; two steps of one agent never do (see agents.py). Each agent does its steps as the plan
    has them; where windows or the deadline rule that out, those that must end first come first.
    """
    if math.isnan(deadline) or deadline < 0.0:
        raise ValueError(f"the deadline is {deadline}: give a number of seconds, 0 or more")
    bound = tuple(GroundStep(domain.rules[step.rule], step.elements) for step in steps)
    timed = _time_windows(steps, windows or [one.rule.window for one in bound])
    who = Agents(domain, instance)
    agents = tuple(who.of(step) for step in steps)
    if in_order or _is_chain(agents):
        found = _schedule_chain(timed, agents, deadline)
        if in_order or not isinstance(found, Inconsistency):
            return found
    given = find_causal_pairs(FactView(instance), find_footprints(domain, instance, bound, check))
    given |= find_reservoir_pairs(domain, bound, levels or {})
    pairs = given | _pair_by_agent(agents, range(len(steps)))
    times = time_steps(timed, sorted(pairs), deadline)
    if isinstance(times, Inconsistency):
        pairs, times = _reorder_agents(timed, given, agents, deadline, times)
        if isinstance(times, Inconsistency):
            return times
    order = PartialOrder.of(len(steps), pairs).pairs()
    return _make_schedule(timed, sorted(pairs), order, agents, times)


def _time_windows(steps: Sequence[PlanStep], windows: Sequence[Window]) -> tuple[TimedStep, ...]:
    return tuple(
        TimedStep(str(step), _check_duration(step), window)
        for step, window in zip(steps, windows, strict=True)
    )


def _schedule_chain(
    timed: Sequence[TimedStep], agents: tuple[tuple[str, ...], ...], deadline: float
) -> Schedule | Inconsistency:
    chain = tuple(pairwise(range(len(timed))))
    times = time_steps(timed, chain, deadline)
    if isinstance(times, Inconsistency):
        return times
    return _make_schedule(timed, chain, chain, agents, times)


def _check_duration(step: PlanStep) -> float:
    if not math.isfinite(step.duration) or step.duration < 0.0:
        raise ValueError(
            f"the duration of {step} is {step.duration}: give a finite number of seconds, 0 or more"
        )
    return step.duration


def _is_chain(agents: Sequence[tuple[str, ...]]) -> bool:
    """Return True if each step shares an agent with the one before: the sequence is the order."""
    return all(not set(one).isdisjoint(other) for one, other in pairwise(agents))


def _pair_by_agent(agents: Sequence[tuple[str, ...]], sequence: Iterable[int]) -> set[Pair]:
    """Pair the steps of each agent, one after the other as they come in the sequence."""
    pairs: set[Pair] = set()
    last: dict[str, int] = {}
    for number in sequence:
        for agent in agents[number]:
            if agent in last:
                pairs.add((last[agent], number))
            last[agent] = number
    return pairs


def _reorder_agents(
    steps: Sequence[TimedStep],
    given: set[Pair],
    agents: Sequence[tuple[str, ...]],
    deadline: float,
    failed: Inconsistency,
) -> tuple[set[Pair], StepTimes | Inconsistency]:
    """Find times for another order of each agent's steps: what must start first comes first.

    This is a heuristic: the best order is a scheduling problem of its own. If the steps fail
    without any order of the agents, though, that is a proof.
    """
    free = time_steps(steps, sorted(given), deadline)
    if isinstance(free, Inconsistency):
        return given, free
    order = PartialOrder.of(len(steps), given)
    chosen: list[int] = []
    waiting = set(range(len(steps)))
    while waiting:
        ready = [n for n in waiting if order.predecessors[n].isdisjoint(waiting)]
        chosen.append(min(ready, key=lambda n: (free.latest[n], free.earliest[n], n)))
        waiting.remove(chosen[-1])
    pairs = given | _pair_by_agent(agents, chosen)
    position = {number: place for place, number in enumerate(chosen)}
    times = time_steps(steps, sorted(pairs, key=lambda p: (position[p[0]], p)), deadline)
    if isinstance(times, Inconsistency):
        return pairs, replace(failed, proven=False)
    return pairs, times


def _make_schedule(
    steps: Sequence[TimedStep],
    pairs: Sequence[Pair],
    order: tuple[Pair, ...],
    agents: tuple[tuple[str, ...], ...],
    times: StepTimes,
) -> Schedule:
    starts = times.earliest
    ends = tuple(start + step.duration for start, step in zip(starts, steps, strict=True))
    makespan = max(ends, default=0.0)
    within = time_steps(steps, pairs, makespan)
    # Rounding may put the last end a little beyond the makespan that it gave.
    latest = starts if isinstance(within, Inconsistency) else within.latest
    return Schedule(
        starts=starts,
        ends=ends,
        latest_starts=tuple(max(pair) for pair in zip(starts, latest, strict=True)),
        order=order,
        agents=agents,
        makespan=makespan,
    )
