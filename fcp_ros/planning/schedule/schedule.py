# SPDX-License-Identifier: Apache-2.0
"""From a verified sequence of steps to a schedule: partial order, agents, windows, times."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain, Window
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.plan import PlanStep, Schedule
from fcp_ros.planning.model.request import never_stop
from fcp_ros.planning.schedule.agents import Agents
from fcp_ros.planning.schedule.facts import FactView
from fcp_ros.planning.schedule.footprint import find_footprints
from fcp_ros.planning.schedule.network import Inconsistency, StepTimes, TimedStep, time_steps
from fcp_ros.planning.schedule.order import (
    Pair,
    PartialOrder,
    find_causal_pairs,
    find_reservoir_pairs,
)


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
    check: Callable[[], None] = never_stop,
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
