# SPDX-License-Identifier: Apache-2.0
"""The operators of trajectory constraints, and their truth along some states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from itertools import pairwise

RESOLUTION = Fraction(1, 1_000_000)
"""Times are compared when rounded to multiples of this (s): durations add up with errors."""


class TrajectoryOperator(str, Enum):
    """The operators of trajectory constraints, over the states that a plan goes through.

    Semantics as in PDDL3 (Gerevini and Long, Plan Constraints and Preferences in PDDL3, 2005,
    section 4), but for FIRST_THEN, which PDDL3 lacks. The values are PDDL3's names.
    """

    ALWAYS = "always"
    """In every state."""
    SOMETIME = "sometime"
    """In some state."""
    AT_MOST_ONCE = "at-most-once"
    """In one unbroken run of states, or in none."""
    AFTER = "sometime-after"
    """In the same state as the second part, or a later one, whenever that holds."""
    BEFORE = "sometime-before"
    """In an earlier state than the second part, whenever that holds."""
    FIRST_THEN = "first-then"
    """One part after the other, each in the same state as the one before it or a later one."""
    WITHIN = "within"
    """In a state that is reached by a time."""
    HOLD_AFTER = "hold-after"
    """In every state from a time on, in the one that lasts at that time, too."""
    HOLD_DURING = "hold-during"
    """As HOLD_AFTER, but only until a second time, at which it may fail."""
    ALWAYS_WITHIN = "always-within"
    """In the same state as the second part, or one that is reached a given time later at most,
    whenever that holds."""

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The number of times, the least number of conditions, and the most (0: no limit)."""
        return _NUMBERS.get(self, (0, 1, 1))


_NUMBERS = {
    TrajectoryOperator.AFTER: (0, 2, 2),
    TrajectoryOperator.BEFORE: (0, 2, 2),
    TrajectoryOperator.FIRST_THEN: (0, 2, 0),
    TrajectoryOperator.WITHIN: (1, 1, 1),
    TrajectoryOperator.HOLD_AFTER: (1, 1, 1),
    TrajectoryOperator.HOLD_DURING: (2, 1, 1),
    TrajectoryOperator.ALWAYS_WITHIN: (1, 2, 2),
}


def round_time(seconds: float) -> Fraction:
    """Round a time (s) to a multiple of RESOLUTION."""
    return round(seconds / RESOLUTION) * RESOLUTION


def decide_constraint(
    operator: TrajectoryOperator,
    # the truth of each of its conditions in each state, from the initial to the last one
    truths: Sequence[Sequence[bool]],
    # the time (s) at which each state is reached, rounded; only for a constraint with times. A
    # state lasts until the next one is reached, the last one for ever.
    reached: Sequence[Fraction] = (),
    times: Sequence[Fraction] = (),  # the times of the constraint (s)
) -> bool:
    """Decide a trajectory constraint, in time linear in the number of states."""
    if times:
        return _decide_timed(operator, truths, reached, times)
    first = truths[0]
    if operator is TrajectoryOperator.ALWAYS:
        return all(first)
    if operator is TrajectoryOperator.SOMETIME:
        return any(first)
    if operator is TrajectoryOperator.AT_MOST_ONCE:
        begins = (now and not before for before, now in pairwise((False, *first)))
        return sum(begins) <= 1
    if operator is TrajectoryOperator.FIRST_THEN:
        done = 0
        for now in zip(*truths, strict=True):
            while done < len(now) and now[done]:
                done += 1
        return done == len(truths)
    if operator is TrajectoryOperator.AFTER:
        owed = False
        for later, earlier in zip(*truths, strict=True):
            owed = (owed or earlier) and not later
        return not owed
    seen = False
    for earlier, later in zip(*truths, strict=True):
        if later and not seen:
            return False
        seen = seen or earlier
    return True


def _decide_timed(
    operator: TrajectoryOperator,
    truths: Sequence[Sequence[bool]],
    reached: Sequence[Fraction],
    times: Sequence[Fraction],
) -> bool:
    first, states = truths[0], range(len(truths[0]))
    if operator is TrajectoryOperator.WITHIN:
        return any(first[i] and reached[i] <= times[0] for i in states)
    if operator is TrajectoryOperator.ALWAYS_WITHIN:
        soonest: Fraction | float = math.inf
        for i in reversed(states):
            soonest = reached[i] if first[i] else soonest
            if truths[1][i] and soonest - reached[i] > times[0]:
                return False
        return True
    begin = times[0]
    ends: Sequence[Fraction | float] = [*reached[1:], math.inf]
    until = times[1] if len(times) > 1 else math.inf
    return all(
        first[i] for i in states if begin <= reached[i] < until or reached[i] <= begin < ends[i]
    )
