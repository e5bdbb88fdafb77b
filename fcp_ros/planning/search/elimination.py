# SPDX-License-Identifier: Apache-2.0
"""Steps of a plan that can be left out.

Action elimination (Nakhost and Mueller, Action Elimination and Plan Neighborhood Graph Search,
ICAPS 2010): each step in turn is left out together with all later ones that then can't be applied;
where the goal is still reached, they stay out. No loss and no cost can grow by that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.planning.flat.semantics import (
    Amounts,
    FlatState,
    amounts_after,
    initial_amounts,
    initial_state,
    is_applicable,
    is_goal,
    successor,
)
from fcp_ros.planning.flat.task import FlatTask, Ints

MOST_APPLIED = 20_000
"""Operators to apply at most; the rest of a very long plan stays as it is."""


class _Tired(Exception):
    """Enough operators were applied."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """An operator in plain numbers; `simple`: without conditional effects, blocks or resources."""

    pre: tuple[tuple[int, int], ...]
    unequal: tuple[tuple[int, int], ...]
    writes: tuple[tuple[int, int], ...]
    simple: bool


def _plain(task: FlatTask, operator: int) -> _Plain:
    first, last = int(task.eff_start[operator]), int(task.eff_start[operator + 1])
    conditional = task.cond_start[first] != task.cond_start[last]
    blocked = task.block_start[operator] != task.block_start[operator + 1]
    return _Plain(
        _pairs(task.pre_start, task.pre_var, task.pre_val, operator),
        _pairs(task.not_start, task.not_var, task.not_val, operator),
        _pairs(task.eff_start, task.eff_var, task.eff_val, operator),
        not (conditional or blocked or len(task.amount)),
    )


def _pairs(start: Ints, var: Ints, val: Ints, row: int) -> tuple[tuple[int, int], ...]:
    part = slice(int(start[row]), int(start[row + 1]))
    return tuple(zip(var[part].tolist(), val[part].tolist(), strict=True))


class _Walker:
    """Applies operators, and counts them."""

    def __init__(self, task: FlatTask, operators: Iterable[int]) -> None:
        self._task = task
        self._plain = {operator: _plain(task, operator) for operator in operators}
        self._left = MOST_APPLIED

    def walk(
        self, start: tuple[FlatState, Amounts], operators: tuple[int, ...]
    ) -> tuple[int, ...] | None:
        """The operators that can be applied, the others left out; None if that misses the goal."""
        kept = []
        for operator in operators:
            after = self.step(start, operator)
            if after is not None:
                kept.append(operator)
                start = after
        return tuple(kept) if is_goal(self._task, start[0]) else None

    def step(
        self, start: tuple[FlatState, Amounts], operator: int
    ) -> tuple[FlatState, Amounts] | None:
        """State and resources after an operator; None where it can't be applied."""
        if self._left == 0:
            raise _Tired
        self._left -= 1
        (state, amounts), plain = start, self._plain[operator]
        for variable, value in plain.pre:
            if state[variable] != value:
                return None
        for variable, value in plain.unequal:
            if state[variable] == value:
                return None
        if plain.simple:
            changed = list(state)
            for variable, value in plain.writes:
                changed[variable] = value
            return tuple(changed), amounts
        if not is_applicable(self._task, state, operator):
            return None
        left = amounts_after(self._task, amounts, operator)
        return None if left is None else (successor(self._task, state, operator), left)


def without_needless(task: FlatTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """A plan without the steps that it does not need.

    Arguments:
        task: the task.
        operators: a plan that works on it.
    """
    walker = _Walker(task, set(operators))
    place = (initial_state(task), initial_amounts(task))
    position = 0
    try:
        while position < len(operators):
            rest = walker.walk(place, operators[position + 1 :])
            if rest is not None:
                operators = operators[:position] + rest
                continue
            after = walker.step(place, operators[position])
            assert after is not None, "the plan works"
            place = after
            position += 1
    except _Tired:
        pass
    return operators
