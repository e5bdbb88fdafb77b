# SPDX-License-Identifier: Apache-2.0
"""How far a forward half is from a backward half: symbols, constraints, resources, time."""

from __future__ import annotations

import math
from typing import NamedTuple

from fcp_ros.planning.search.bidirectional.labels import Needed, Reached


class Distance(NamedTuple):
    """What keeps two halves from meeting; all zero exactly where they fit.

    Attributes:
        symbols: conditions of the partial state that the forward state doesn't fulfil.
        constraints: clauses of it (blocks, effects that must not happen) that are violated.
        resources: amounts that the backward half lacks or can't take; each counts less than 1.
        time: how much too late (or too early) the forward half ends; less than 1.
        requirement: 0 where the forward loss leaves room for the backward half, else infinite:
            no further step makes up for it.
    """

    symbols: int
    constraints: int
    resources: float
    time: float
    requirement: float

    @property
    def total(self) -> float:
        """All of it, to compare candidates for a meeting."""
        return sum(self)

    @property
    def is_meeting(self) -> bool:
        """Whether the halves fit: nothing is between them."""
        return not any(self)


def distance(forward: Reached, backward: Needed, clock: int) -> Distance:
    """The distance between two halves.

    Args:
        forward: where the first half has come to.
        backward: what the second half starts from.
        clock: number of the resource that counts time, or -1.
    """
    state, pattern = forward.state, backward.pattern
    symbols = sum(not mask >> state[variable] & 1 for variable, mask in pattern.units)
    constraints = sum(
        not any(mask >> state[variable] & 1 for variable, mask in clause)
        for clause in pattern.clauses
    )
    resources = time = 0.0
    for number, ((low, high), amount) in enumerate(
        zip(backward.intervals, forward.amounts, strict=True)
    ):
        gap = max(low - amount, amount - high, 0.0)
        if number == clock:
            time = gap / (1.0 + gap)
        else:
            resources += gap / (1.0 + gap)
    requirement = 0.0 if forward.loss <= backward.room else math.inf
    return Distance(symbols, constraints, resources, time, requirement)
