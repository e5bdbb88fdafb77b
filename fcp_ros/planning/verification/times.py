# SPDX-License-Identifier: Apache-2.0
"""Check the times of a plan: durations, windows, deadline, and the schedule if there is one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.trajectories import round_time
from fcp_ros.domain.model import Domain, Window
from fcp_ros.planning.model.ground_step import Agents, compute_duration
from fcp_ros.planning.model.plan import Plan, PlanStep, Schedule

TOLERANCE = 1e-6
"""Times that differ by less count as equal (s); messages carry nanoseconds."""


def find_wrong_times(
    domain: Domain, instance: Instance, plan: Plan, deadline: float
) -> Iterator[str]:
    """Yield what is wrong with the times of a plan, one clause each.

    Without a schedule the steps run one after the other, and wait for their windows.
    """
    for number, step in enumerate(plan.steps, start=1):
        rule = domain.rules[step.rule]
        expected = compute_duration(rule, step.elements, instance)
        if not abs(step.duration - expected) <= TOLERANCE:
            yield (
                f"step {number} {step}: its duration is {expected:g} s, "
                f"not {step.duration:g} s as claimed"
            )
    windows = [domain.rules[step.rule].window for step in plan.steps]
    starts: Sequence[float]
    ends: Sequence[float]
    if plan.schedule is None:
        starts, ends = _time_sequence(plan.steps, windows)
    else:
        wrong = list(_find_wrong_schedule(plan.steps, plan.schedule, Agents(domain, instance)))
        if wrong:
            yield from wrong
            return
        starts, ends = plan.schedule.starts, plan.schedule.ends
    for number, (step, window) in enumerate(zip(plan.steps, windows, strict=True)):
        if starts[number] < window.opens - TOLERANCE or ends[number] > window.closes + TOLERANCE:
            yield (
                f"step {number + 1} {step}: it would run from {starts[number]:g} s to "
                f"{ends[number]:g} s, outside its window [{window.opens:g}, {window.closes:g}]"
            )
    end = max(ends, default=0.0)
    if end > deadline + TOLERANCE:
        yield f"it ends after {end:g} s, beyond the deadline of {deadline:g} s"


def find_reached(domain: Domain, plan: Plan, order: Sequence[int]) -> tuple[Fraction, ...]:
    """Find the times (s, rounded) at which the states of a plan are reached: the ends of its steps.

    Args:
        order: of the steps; a state is reached when all steps up to it have ended.
    """
    ends = () if plan.schedule is None else plan.schedule.ends
    if len(ends) != len(plan.steps):
        windows = [domain.rules[step.rule].window for step in plan.steps]
        _, ends = _time_sequence(plan.steps, windows)
    # What is no time is reported by `find_wrong_times`.
    known = (ends[step] if math.isfinite(ends[step]) else 0.0 for step in order)
    return tuple(map(round_time, accumulate(known, max, initial=0.0)))


def sort_steps(times: Sequence[float], plan: Plan) -> list[int]:
    """Sort the steps of a scheduled plan by some of its times; ties as in the schedule."""
    assert plan.schedule is not None
    starts, ends = plan.schedule.starts, plan.schedule.ends
    return sorted(
        range(len(times)), key=lambda step: (times[step], starts[step] + ends[step], step)
    )


def _time_sequence(
    steps: Sequence[PlanStep], windows: Sequence[Window]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    starts: list[float] = []
    ends: list[float] = []
    clock = 0.0
    for step, window in zip(steps, windows, strict=True):
        starts.append(max(clock, window.opens))
        clock = starts[-1] + step.duration
        ends.append(clock)
    return tuple(starts), tuple(ends)


def _find_wrong_schedule(
    steps: Sequence[PlanStep], schedule: Schedule, agents: Agents
) -> Iterator[str]:
    columns = (schedule.starts, schedule.ends, schedule.latest_starts, schedule.agents)
    if any(len(column) != len(steps) for column in columns):
        yield f"the schedule is not one of {len(steps)} steps"
        return
    for number, step in enumerate(steps):
        start, end = schedule.starts[number], schedule.ends[number]
        where = f"step {number + 1} {step}: the schedule"
        if not abs(end - start - step.duration) <= TOLERANCE:
            yield f"{where} ends it after {end - start:g} s; it takes {step.duration:g} s"
        if not schedule.latest_starts[number] >= start - TOLERANCE:
            yield f"{where} has its latest start before its earliest"
        if set(schedule.agents[number]) != set(agents.of(step)):
            yield f"{where} gives it to {', '.join(schedule.agents[number]) or 'nobody'}"
    makespan = max(schedule.ends, default=0.0)
    if not abs(schedule.makespan - makespan) <= TOLERANCE:
        yield f"the schedule ends after {makespan:g} s, not {schedule.makespan:g} s as claimed"
    everyone = range(len(steps))
    for before, after in schedule.order:
        if before not in everyone or after not in everyone:
            yield f"the schedule orders steps {before + 1} and {after + 1}, which do not exist"
        elif schedule.ends[before] > schedule.starts[after] + TOLERANCE:
            yield f"step {after + 1} starts before step {before + 1} has ended, which it waits for"
    steps_of: dict[str, list[int]] = {}
    for number in everyone:
        for agent in dict.fromkeys(schedule.agents[number]):
            steps_of.setdefault(agent, []).append(number)
    for agent, own in sorted(steps_of.items()):
        own.sort(key=lambda number: (schedule.starts[number], schedule.ends[number]))
        longest = own[0]  # of the steps so far, the one that ends last
        for number in own[1:]:
            if _overlap(schedule, longest, number):
                yield f"{agent} has steps {longest + 1} and {number + 1} at once"
            longest = max(longest, number, key=schedule.ends.__getitem__)


def _overlap(schedule: Schedule, one: int, other: int) -> bool:
    begins = max(schedule.starts[one], schedule.starts[other])
    return begins < min(schedule.ends[one], schedule.ends[other]) - TOLERANCE
