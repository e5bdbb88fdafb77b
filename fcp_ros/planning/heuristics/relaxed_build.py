# SPDX-License-Identifier: Apache-2.0
"""Building the arrays of a delete relaxation; `relaxed_task.py` says what they are.

Two conditions are simplified on the way: "another value" of a variable with two values is the other
value, and what a later effect of the same operator surely overwrites is not reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import FlatTask, Ints

NEVER = -1
"""Stands for the fact of a condition that can't hold."""


class Parts(NamedTuple):
    """Arrays of a relaxation, long enough, and what was counted so far.

    Attributes:
        offset, other_start, other_val, bridge, pre_start, pre, add_start, add, operator: as in
            `RelaxedTask`.
        other: for each fact of a value the fact "another value"; NEVER where there is none.
        made: actions, needs and reached facts so far, int64[3].
    """

    offset: Ints
    other_start: Ints
    other_val: Ints
    bridge: Ints
    pre_start: Ints
    pre: Ints
    add_start: Ints
    add: Ints
    operator: Ints
    other: Ints
    made: NDArray[np.int64]


@kernel
def build(task: FlatTask) -> Parts:
    """The facts and actions of a task's relaxation, in the order of `RelaxedTask`."""
    parts = _empty(task)
    truth = _truth(parts)
    variables = len(task.domain)
    asked = np.zeros(truth + 2, np.int64)  # number of the group of effects that asks for a fact
    valued = np.zeros(variables, np.int64)  # ... that asks for a value of a variable
    last = np.full(variables, -1, np.int64)  # last effect on a variable that surely happens
    group = 0
    for op in range(len(task.loss)):
        first, end = task.eff_start[op], task.eff_start[op + 1]
        for eff in range(first, end):
            if task.cond_start[eff] == task.cond_start[eff + 1]:
                last[task.eff_var[eff]] = eff
        eff = first
        while eff < end:
            stop = eff + 1
            while stop < end and _same_conditions(task, eff, stop):
                stop += 1
            group += 1
            if _needs(task, parts, op, eff, asked, valued, group):
                _reaches(task, parts, first, eff, stop, asked, last, group)
            _close(parts, op, truth)
            eff = stop
    _add_bridges(parts, len(task.loss), truth)
    _add_goal(task, parts, truth)
    return parts


@kernel
def transpose(start: Ints, flat: Ints, columns: int) -> tuple[Ints, Ints]:
    """Rows that mention a column, ascending, for each column: start int32[columns + 1] and flat."""
    begin = np.zeros(columns + 1, np.int32)
    for column in flat:
        begin[column + 1] += 1
    for column in range(columns):
        begin[column + 1] += begin[column]
    at = begin.copy()
    rows = np.empty(len(flat), np.int32)
    for row in range(len(start) - 1):
        for k in range(start[row], start[row + 1]):
            rows[at[flat[k]]] = row
            at[flat[k]] += 1
    return begin, rows


@kernel
def _empty(task: FlatTask) -> Parts:
    n, m, effects = len(task.domain), len(task.loss), len(task.eff_var)
    offset = np.zeros(n + 1, np.int32)
    for var in range(n):
        offset[var + 1] = offset[var] + task.domain[var]
    other_start, other_val, other = _others(task, offset)
    bridges = 0
    for var in range(n):
        if other_start[var + 1] > other_start[var]:
            bridges += task.domain[var] + 1
    needs = bridges + len(task.goal_var) + 2 + effects + len(task.cond_var)
    for op in range(m):
        conditions = task.pre_start[op + 1] - task.pre_start[op]
        conditions += task.not_start[op + 1] - task.not_start[op]
        needs += conditions * (task.eff_start[op + 1] - task.eff_start[op])
    actions = effects + bridges + 1
    return Parts(
        offset,
        other_start,
        other_val,
        np.full(offset[n], -1, np.int32),
        np.zeros(actions + 1, np.int32),
        np.empty(needs, np.int32),
        np.zeros(actions + 1, np.int32),
        np.empty(actions + len(other_val), np.int32),
        np.empty(actions, np.int32),
        other,
        np.zeros(3, np.int64),
    )


@kernel
def _others(task: FlatTask, offset: Ints) -> tuple[Ints, Ints, Ints]:
    """The values that conditions exclude, and the fact "another value" of each value."""
    n = len(task.domain)
    excluded = np.zeros(offset[n], np.uint8)
    for k in range(len(task.not_var)):
        excluded[offset[task.not_var[k]] + task.not_val[k]] = 1
    for k in range(len(task.cond_var)):
        if task.cond_neg[k]:
            excluded[offset[task.cond_var[k]] + task.cond_val[k]] = 1
    start = np.zeros(n + 1, np.int32)
    values = np.empty(offset[n], np.int32)
    other = np.full(offset[n], NEVER, np.int32)
    found = 0
    for var in range(n):
        size = task.domain[var]
        for val in range(size):
            fact = offset[var] + val
            if size == 2:
                other[fact] = offset[var] + 1 - val
            elif size > 2 and excluded[fact]:
                other[fact] = offset[n] + found
                values[found] = val
                found += 1
        start[var + 1] = found
    return start, values[:found].copy(), other


@kernel
def _truth(parts: Parts) -> int:
    """Number of the fact that always holds; `goal` is the next one."""
    truth = parts.offset[-1] + len(parts.other_val)
    for var in range(len(parts.offset) - 1):
        if parts.other_start[var + 1] > parts.other_start[var]:
            truth += 1
    return int(truth)


@kernel
def _same_conditions(task: FlatTask, eff: int, other: int) -> bool:
    first, second = task.cond_start[eff], task.cond_start[other]
    length = task.cond_start[eff + 1] - first
    if task.cond_start[other + 1] - second != length:
        return False
    for k in range(length):
        if (
            task.cond_var[first + k] != task.cond_var[second + k]
            or task.cond_val[first + k] != task.cond_val[second + k]
            or task.cond_neg[first + k] != task.cond_neg[second + k]
        ):
            return False
    return True


@kernel
def _needs(
    task: FlatTask,
    parts: Parts,
    op: int,
    eff: int,
    asked: NDArray[np.int64],
    valued: NDArray[np.int64],
    group: int,
) -> bool:
    """Appends the facts that an effect needs; False if they contradict each other."""
    possible = True
    for k in range(task.pre_start[op], task.pre_start[op + 1]):
        possible &= _need(parts, task.pre_var[k], task.pre_val[k], asked, valued, group)
    for k in range(task.cond_start[eff], task.cond_start[eff + 1]):
        if not task.cond_neg[k]:
            possible &= _need(parts, task.cond_var[k], task.cond_val[k], asked, valued, group)
    for k in range(task.not_start[op], task.not_start[op + 1]):
        possible &= _need_other(parts, task.not_var[k], task.not_val[k], asked, valued, group)
    for k in range(task.cond_start[eff], task.cond_start[eff + 1]):
        if task.cond_neg[k]:
            possible &= _need_other(parts, task.cond_var[k], task.cond_val[k], asked, valued, group)
    return possible


@kernel
def _need(
    parts: Parts,
    var: int,
    val: int,
    asked: NDArray[np.int64],
    valued: NDArray[np.int64],
    group: int,
) -> bool:
    """Appends the fact variable = value; False if another value is asked for as well."""
    fact = parts.offset[var] + val
    if asked[fact] == group:
        return True
    if valued[var] == group:
        return False
    valued[var] = group
    _append_need(parts, fact)
    asked[fact] = group
    return True


@kernel
def _need_other(
    parts: Parts,
    var: int,
    val: int,
    asked: NDArray[np.int64],
    valued: NDArray[np.int64],
    group: int,
) -> bool:
    """Appends the fact variable != value, unless it follows; False if that can't hold."""
    value = parts.offset[var] + val
    if valued[var] == group:
        return bool(asked[value] != group)
    fact = parts.other[value]
    if fact == NEVER:
        return False
    if fact < parts.offset[-1]:
        return _need(parts, var, fact - parts.offset[var], asked, valued, group)
    if asked[fact] != group:
        _append_need(parts, fact)
        asked[fact] = group
    return True


@kernel
def _append_need(parts: Parts, fact: int) -> None:
    """Appends a fact to the needs of the action that is being made; they stay ascending."""
    at = parts.made[1]
    first = parts.pre_start[parts.made[0]]
    while at > first and parts.pre[at - 1] > fact:
        parts.pre[at] = parts.pre[at - 1]
        at -= 1
    parts.pre[at] = fact
    parts.made[1] += 1


@kernel
def _append_reached(parts: Parts, fact: int) -> None:
    parts.add[parts.made[2]] = fact
    parts.made[2] += 1


@kernel
def _reaches(
    task: FlatTask,
    parts: Parts,
    first: int,
    eff: int,
    stop: int,
    asked: NDArray[np.int64],
    last: NDArray[np.int64],
    group: int,
) -> None:
    """Appends the facts that the effects eff .. stop reach, of an operator with effects first .."""
    for member in range(eff, stop):
        var = task.eff_var[member]
        fact = parts.offset[var] + task.eff_val[member]
        overwritten = last[var] >= first and last[var] > member
        if asked[fact] != group and not overwritten:
            asked[fact] = group
            _append_reached(parts, fact)


@kernel
def _close(parts: Parts, op: int, truth: int) -> None:
    """Ends the action that is being made, or forgets it when it reaches nothing."""
    action = parts.made[0]
    if parts.made[2] == parts.add_start[action]:
        parts.made[1] = parts.pre_start[action]
        return
    if parts.made[1] == parts.pre_start[action]:
        _append_need(parts, truth)
    parts.operator[action] = op
    parts.made[0] = action + 1
    parts.pre_start[action + 1] = parts.made[1]
    parts.add_start[action + 1] = parts.made[2]


@kernel
def _add_bridges(parts: Parts, free: int, truth: int) -> None:
    """Actions from values to "another value than at first" to the facts about other values."""
    values = parts.offset[-1]
    changed = values + len(parts.other_val)
    for var in range(len(parts.offset) - 1):
        if parts.other_start[var + 1] == parts.other_start[var]:
            continue
        for fact in range(parts.offset[var], parts.offset[var + 1]):
            parts.bridge[fact] = parts.made[0]
            _append_need(parts, fact)
            _append_reached(parts, changed)
            _close(parts, free, truth)
        _append_need(parts, changed)
        for k in range(parts.other_start[var], parts.other_start[var + 1]):
            _append_reached(parts, values + k)
        _close(parts, free, truth)
        changed += 1


@kernel
def _add_goal(task: FlatTask, parts: Parts, truth: int) -> None:
    """The action that reaches the goal; it waits for itself where the goal contradicts itself."""
    group = 1
    asked = np.zeros(truth + 2, np.int64)
    valued = np.zeros(len(task.domain), np.int64)
    possible = True
    for k in range(len(task.goal_var)):
        possible &= _need(parts, task.goal_var[k], task.goal_val[k], asked, valued, group)
    if not possible:
        _append_need(parts, truth + 1)
    _append_reached(parts, truth + 1)
    _close(parts, len(task.loss), truth)
