# SPDX-License-Identifier: Apache-2.0
"""Meetings of a forward and a backward half: their distance, and a check that they make a plan."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    initial_amounts,
    initial_state,
    is_applicable,
    is_goal,
    successor,
)
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.halves import BackwardHalf, ForwardHalf
from fcp_ros.planning.search.bidirectional.partial_state import PartialState, holds
from fcp_ros.planning.search.bidirectional.scale import UNIT


class MeetingDistance(NamedTuple):
    """The distance between two halves by kind; all zero exactly if they fit."""

    symbols: int  # conditions of the partial state that the forward state does not fulfil
    constraints: int  # clauses of it (blocks, effects that must not happen) that are violated
    resources: float  # amounts that the backward half lacks or cannot take; each counts less than 1
    # seconds by which the forward half ends too late (or too early), scaled to less than 1
    time: float
    # 0 if the forward loss leaves room for the backward half, else infinite: no further step makes
    # up for it
    requirement: float

    @property
    def total(self) -> float:
        """The sum, to compare candidates for a meeting."""
        return sum(self)

    @property
    def is_meeting(self) -> bool:
        """True if nothing lies between the halves."""
        return not any(self)


def measure_distance(forward: ForwardHalf, backward: BackwardHalf, clock: int) -> MeetingDistance:
    """Measure the distance between two halves."""
    state, needed = forward.state, backward.partial_state
    symbols = sum(not mask >> state[variable] & 1 for variable, mask in needed.units)
    constraints = sum(
        not any(mask >> state[variable] & 1 for variable, mask in clause)
        for clause in needed.clauses
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
    return MeetingDistance(symbols, constraints, resources, time, requirement)


@dataclass(frozen=True, slots=True)
class Meeting:
    """The point where the two halves of a plan met, for the verifier."""

    index: int  # number of steps of the forward half
    operators: tuple[int, ...]
    # the condition of the backward half there. The forward state agrees with it on every variable
    # that it restricts.
    partial_state: PartialState
    room: float  # the requirement there, as a loss: the largest that the forward half may have

    def requirement(self, tnorm: TNorm) -> float:
        """The membership that the forward half must have reached, in [0, 1]."""
        return tnorm.degree_of(self.room)


def join_halves(forward: ForwardHalf, backward: BackwardHalf) -> Meeting:
    """Join two halves that fit."""
    before = forward.steps()
    return Meeting(
        len(before), (*before, *backward.steps()), backward.partial_state, backward.room * UNIT
    )


def replays(task: FlatTask, meeting: Meeting) -> bool:
    """Return True if the steps lead from the initial state through the partial state to the goal.

    Everything is done again by `flat.semantics`: conditions, blocks, resources, windows.
    """
    state, amounts = initial_state(task), initial_amounts(task)
    for number, operator in enumerate(meeting.operators):
        if number == meeting.index and not holds(meeting.partial_state, state):
            return False
        if not is_applicable(task, state, operator):
            return False
        after = amounts_after(task, amounts, operator)
        if after is None:
            return False
        state, amounts = successor(task, state, operator), after
    if meeting.index == len(meeting.operators) and not holds(meeting.partial_state, state):
        return False
    return is_goal(task, state)
