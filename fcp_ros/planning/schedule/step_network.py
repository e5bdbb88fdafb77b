# SPDX-License-Identifier: Apache-2.0
"""The temporal network of a plan: a time point for the start of each step, and what binds it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fcp_ros.domain.model import Window
from fcp_ros.foundation.wording import join_words
from fcp_ros.planning.schedule.causal_order import Pair
from fcp_ros.planning.schedule.network import Bound, PositiveCycle, Times, solve


@dataclass(frozen=True, slots=True)
class TimedStep:
    """A step as the network sees it: its words, its duration (seconds) and its window."""

    words: str
    duration: float
    window: Window


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Why steps can't be scheduled.

    Attributes:
        message: a sentence that names the steps and the bound.
        steps: positions of the steps that take too long one after the other, in their order.
        excess: by how many seconds they do.
        proven: whether no other order of the agents' steps can help either.
    """

    message: str
    steps: tuple[int, ...]
    excess: float
    proven: bool


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Start times of the steps, in seconds from the start of the plan."""

    earliest: tuple[float, ...]
    latest: tuple[float, ...]


def step_times(
    steps: Sequence[TimedStep], order: Iterable[Pair], deadline: float
) -> StepTimes | Inconsistency:
    """The start times that keep an order of the steps, their windows and the deadline.

    Arguments:
        steps: in the order of the plan.
        order: (before, after): the first ends before the second starts.
        deadline: all steps have ended by then; infinity for none.

    Returns:
        the earliest start times, and the latest ones (infinity where nothing bounds them); or why
        there are none.
    """
    bounds = [Bound(0, i + 1, step.window.opens) for i, step in enumerate(steps)]
    bounds.extend(Bound(i + 1, j + 1, steps[i].duration) for i, j in order)
    for i, step in enumerate(steps):
        bounds.append(Bound(i + 1, 0, step.duration - min(step.window.closes, deadline)))
    solved = solve(len(steps) + 1, bounds)
    if isinstance(solved, Times):
        return StepTimes(solved.earliest[1:], solved.latest[1:])
    return _explained(solved, bounds, steps, deadline)


def _explained(
    cycle: PositiveCycle, bounds: Sequence[Bound], steps: Sequence[TimedStep], deadline: float
) -> Inconsistency:
    """The cycle in words: it leaves the start of the plan, runs along steps, and comes back."""
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
