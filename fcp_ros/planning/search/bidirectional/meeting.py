# SPDX-License-Identifier: Apache-2.0
"""Meetings of a forward and a backward half, and the check that both make one plan."""

from __future__ import annotations

from dataclasses import dataclass

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
from fcp_ros.planning.search.bidirectional.labels import Needed, Reached
from fcp_ros.planning.search.bidirectional.pattern import Pattern, holds
from fcp_ros.planning.search.bidirectional.scale import UNIT


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the two halves of a plan met, for whoever verifies the plan.

    Attributes:
        index: number of steps of the forward half.
        operators: the steps of both halves, in order.
        pattern: what the backward half needs of the state there. The forward state agrees with it
            on everything that it speaks of: the pullback of both along their common variables is
            the pattern itself.
        room: the requirement there, as a loss: the largest that the forward half may have.
    """

    index: int
    operators: tuple[int, ...]
    pattern: Pattern
    room: float

    def requirement(self, tnorm: TNorm) -> float:
        """The membership that the forward half must have reached, in [0, 1]."""
        return tnorm.degree_of(self.room)

    def wanted(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The units of the pattern: each variable with the values that it may have."""
        return tuple(
            (variable, tuple(v for v in range(mask.bit_length()) if mask >> v & 1))
            for variable, mask in self.pattern.units
        )


def meeting_of(forward: Reached, backward: Needed) -> Meeting:
    """The meeting of two halves that fit."""
    before = forward.steps()
    return Meeting(
        len(before),
        (*before, *backward.steps()),
        backward.pattern,
        backward.room * UNIT,
    )


def replays(task: FlatTask, meeting: Meeting) -> bool:
    """Whether the steps lead from the initial state through the pattern to the goal.

    Everything is done again by flat/semantics.py: conditions, blocks, resources, windows.
    """
    state, amounts = initial_state(task), initial_amounts(task)
    for number, operator in enumerate(meeting.operators):
        if number == meeting.index and not holds(meeting.pattern, state):
            return False
        if not is_applicable(task, state, operator):
            return False
        after = amounts_after(task, amounts, operator)
        if after is None:
            return False
        state, amounts = successor(task, state, operator), after
    if meeting.index == len(meeting.operators) and not holds(meeting.pattern, state):
        return False
    return is_goal(task, state)
