# SPDX-License-Identifier: Apache-2.0
"""Building the arrays of a delete relaxation, which `relaxed_task.py` describes.

Two conditions are simplified on the way: "another value" of a variable with two values is the other
value, and a fact that a later effect of the same operator surely overwrites is not reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import FlatTask, Ints, Marks

NEVER = -1
"""Stands for the fact of a condition that cannot hold."""


class Parts(NamedTuple):
    """Arrays of a relaxation, long enough, and scratch arrays for the kernel that fills them.

    `group` is the number of the first effect of the action being made; marks compare against it, so
    they need no reset.

    Attributes:
        offset, other_start, other_val, bridge, pre_start, pre, add_start, add, operator: as in
            `RelaxedTask`.
        own_start, own: the axioms of each derived variable, int32[d + 1] and flat.
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
    other: Ints  # for each fact of a value the fact "another value", or NEVER; int32[values]
    made: Marks  # numbers of actions, needs and reached facts so far, int64[3]
    asked: Marks  # the last group that needs or reaches a fact, int64[f]
    valued: Marks  # the last group that needs a value of a variable, int64[n]
    last: Marks  # the last unconditional effect on a variable of the current operator, int64[n]
    off: Ints  # the fact that an axiom does not fire, or NEVER if nobody asks; int32[a]
    own_start: Ints
    own: Ints


def build_parts(task: FlatTask) -> Parts:
    """Build the facts and actions of a task's relaxation."""
    parts = _allocate(task)
    _fill(task, parts)
    return parts


def transpose(start: Ints, flat: Ints, columns: int) -> tuple[Ints, Ints]:
    """List the rows that mention each column, ascending: start int32[columns + 1] and flat."""
    begin = np.zeros(columns + 1, np.int32)
    np.cumsum(np.bincount(flat, minlength=columns), out=begin[1:])
    rows = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    return begin, rows[np.argsort(flat, kind="stable")]


def _allocate(task: FlatTask) -> Parts:
    n, effects = len(task.domain), len(task.eff_var)
    offset = np.zeros(n + 1, np.int32)
    np.cumsum(task.domain, out=offset[1:])
    size = np.repeat(task.domain, task.domain)
    axioms = task.axioms
    own = np.argsort(axioms.head, kind="stable").astype(np.int32)
    own_start = np.append(np.searchsorted(axioms.head[own], axioms.derived), len(own))
    denied = _find_denied(task)
    excluded = (size > 2) & _find_excluded(task, offset, denied)
    where = np.flatnonzero(excluded)
    other_start = np.searchsorted(where, offset).astype(np.int32)
    other_val = (where - np.repeat(offset[:-1], task.domain)[where]).astype(np.int32)
    other = np.full(offset[-1], NEVER, np.int32)
    other[where] = offset[-1] + np.arange(len(where))
    pairs = np.flatnonzero(size == 2)
    other[pairs] = pairs.reshape(-1, 2)[:, ::-1].ravel()

    changing = np.diff(other_start) > 0
    bridges = int(task.domain[changing].sum() + changing.sum())
    conditions = np.diff(task.pre_start) + np.diff(task.not_start)
    needs = int((conditions * np.diff(task.eff_start)).sum()) + len(task.cond_var)
    needs += 2 * len(axioms.need_var) + len(axioms.head)
    actions = effects + 2 * len(axioms.head) + len(axioms.derived) + len(axioms.need_var)
    actions += bridges + 1
    first_off = int(offset[-1]) + len(where) + int(changing.sum())
    off = np.full(len(axioms.head), NEVER, np.int32)
    off[denied] = first_off + np.arange(int(denied.sum()))
    facts = first_off + int(denied.sum()) + 2
    return Parts(
        offset,
        other_start,
        other_val,
        np.full(offset[-1], -1, np.int32),
        np.zeros(actions + 1, np.int32),
        np.empty(needs + actions + len(task.goal_var) + 1, np.int32),
        np.zeros(actions + 1, np.int32),
        np.empty(actions + len(where), np.int32),
        np.empty(actions, np.int32),
        other,
        np.zeros(3, np.int64),
        np.full(facts, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        off,
        own_start.astype(np.int32),
        own,
    )


def _find_denied(task: FlatTask) -> NDArray[np.bool_]:
    """Find the axioms of derived variables of which some condition asks that they are 0."""
    axioms = task.axioms
    found = np.zeros(len(axioms.head), np.bool_)
    if not len(found):
        return found
    unequal = task.cond_neg == 1
    asked = np.zeros(len(task.domain), np.bool_)
    for var, val, zero in (
        (task.goal_var, task.goal_val, 0),
        (task.pre_var, task.pre_val, 0),
        (task.not_var, task.not_val, 1),
        (task.cond_var[~unequal], task.cond_val[~unequal], 0),
        (task.cond_var[unequal], task.cond_val[unequal], 1),
    ):
        asked[var[val == zero]] = True
    of_axiom = np.repeat(np.arange(len(found)), np.diff(axioms.need_start))
    # What an axiom asks to be 0, and what keeps it from firing if it is 0.
    zero = axioms.need_val == axioms.need_neg
    asked[axioms.need_var[zero]] = True
    while True:
        found = asked[axioms.head]
        asked[axioms.need_var[found[of_axiom] & ~zero]] = True
        if (found == asked[axioms.head]).all():
            return found


def _find_excluded(task: FlatTask, offset: Ints, denied: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find the values, as facts, that some condition excludes, or that denied axioms need."""
    found = np.zeros(offset[-1], np.bool_)
    found[offset[task.not_var] + task.not_val] = True
    negative = task.cond_neg == 1
    found[offset[task.cond_var[negative]] + task.cond_val[negative]] = True
    negative = task.axioms.need_neg == 1
    found[offset[task.axioms.need_var[negative]] + task.axioms.need_val[negative]] = True
    held = np.repeat(denied, np.diff(task.axioms.need_start)) & ~negative
    found[offset[task.axioms.need_var[held]] + task.axioms.need_val[held]] = True
    return found


@kernel
def _fill(task: FlatTask, parts: Parts) -> None:
    """Append the actions of all operators, then the axioms, the bridges and the goal.

    Invariant: the action being made is number `made[0]`; its needs are pre[pre_start[made[0]] :
    made[1]], the facts that it reaches add[add_start[made[0]] : made[2]].
    """
    truth = len(parts.asked) - 2
    for op in range(len(task.loss)):
        first, end = task.eff_start[op], task.eff_start[op + 1]
        for eff in range(first, end):
            if task.cond_start[eff] == task.cond_start[eff + 1]:
                parts.last[task.eff_var[eff]] = eff
        eff = first
        while eff < end:
            stop = eff + 1
            while stop < end and _have_same_conditions(task, eff, stop):
                stop += 1
            if _append_conditions(task, parts, op, eff):
                _append_effects(task, parts, eff, stop)
            _close_action(parts, op, truth)
            eff = stop
    _add_axioms(task, parts, truth)
    _add_bridges(parts, len(task.loss), truth)
    _add_goal(task, parts, truth)


@part
def _have_same_conditions(task: FlatTask, eff: int, other: int) -> bool:
    """Return True if two effects have the same conditions in the same order."""
    first, second = task.cond_start[eff], task.cond_start[other]
    length = task.cond_start[eff + 1] - first
    same = bool(task.cond_start[other + 1] - second == length)
    for k in range(length if same else 0):
        same &= task.cond_var[first + k] == task.cond_var[second + k]
        same &= task.cond_val[first + k] == task.cond_val[second + k]
        same &= task.cond_neg[first + k] == task.cond_neg[second + k]
    return bool(same)


@part
def _append_conditions(task: FlatTask, parts: Parts, op: int, eff: int) -> bool:
    """Append the facts that an effect needs; return False if they contradict each other."""
    possible = True
    for k in range(task.pre_start[op], task.pre_start[op + 1]):
        possible &= _need(parts, task.pre_var[k], task.pre_val[k], eff)
    for k in range(task.cond_start[eff], task.cond_start[eff + 1]):
        if not task.cond_neg[k]:
            possible &= _need(parts, task.cond_var[k], task.cond_val[k], eff)
    for k in range(task.not_start[op], task.not_start[op + 1]):
        possible &= _need_other(parts, task.not_var[k], task.not_val[k], eff)
    for k in range(task.cond_start[eff], task.cond_start[eff + 1]):
        if task.cond_neg[k]:
            possible &= _need_other(parts, task.cond_var[k], task.cond_val[k], eff)
    return possible


@part
def _need(parts: Parts, var: int, val: int, group: int) -> bool:
    """Append the fact variable = value; return False if another value is needed as well."""
    fact = parts.offset[var] + val
    known = parts.asked[fact] == group
    possible = known or parts.valued[var] != group
    if possible and not known:
        parts.valued[var] = group
        parts.asked[fact] = group
        _append_need(parts, fact)
    return bool(possible)


@part
def _need_other(parts: Parts, var: int, val: int, group: int) -> bool:
    """Append the fact variable != value, unless it follows; return False if it cannot hold."""
    value = parts.offset[var] + val
    fact = parts.other[value]
    if parts.valued[var] == group:
        possible = parts.asked[value] != group
    elif fact == NEVER:
        possible = False
    else:
        possible = True
        if parts.asked[fact] != group:
            parts.asked[fact] = group
            if fact < parts.offset[-1]:
                parts.valued[var] = group
            _append_need(parts, fact)
    return bool(possible)


@part
def _append_need(parts: Parts, fact: int) -> None:
    """Append a fact to the needs of the action being made."""
    parts.pre[parts.made[1]] = fact
    parts.made[1] += 1


@part
def _append_reached(parts: Parts, fact: int) -> None:
    parts.add[parts.made[2]] = fact
    parts.made[2] += 1


@part
def _append_effects(task: FlatTask, parts: Parts, eff: int, stop: int) -> None:
    """Append the facts that the effects eff .. stop reach and that no later effect overwrites."""
    for member in range(eff, stop):
        var = task.eff_var[member]
        fact = parts.offset[var] + task.eff_val[member]
        if parts.asked[fact] != eff and parts.last[var] <= member:
            parts.asked[fact] = eff
            _append_reached(parts, fact)


@part
def _close_action(parts: Parts, op: int, truth: int) -> None:
    """Complete the action being made, or drop it if it reaches nothing."""
    action = parts.made[0]
    if parts.made[2] == parts.add_start[action]:
        parts.made[1] = parts.pre_start[action]
    else:
        if parts.made[1] == parts.pre_start[action]:
            _append_need(parts, truth)
        parts.operator[action] = op
        parts.made[0] = action + 1
        parts.pre_start[action + 1] = parts.made[1]
        parts.add_start[action + 1] = parts.made[2]


@part
def _add_axioms(task: FlatTask, parts: Parts, truth: int) -> None:
    """Append actions from the needs of axioms to their heads, and from their lack to "not so".

    A derived variable is 0 if none of its axioms fires. An axiom does not fire if one of its needs
    fails; whether one of its own stratum does is not asked, since those may only hold one another
    up. Both are bounds: what is 0 in a state is so in the relaxation, too.
    """
    axioms, free = task.axioms, len(task.loss)
    group = len(task.eff_var) + 1  # the goal has the number of the effects
    for axiom in range(len(axioms.head)):
        first, end = axioms.need_start[axiom], axioms.need_start[axiom + 1]
        possible = True
        for k in range(first, end):
            if not axioms.need_neg[k]:
                possible &= _need(parts, axioms.need_var[k], axioms.need_val[k], group)
        for k in range(first, end):
            if axioms.need_neg[k]:
                possible &= _need_other(parts, axioms.need_var[k], axioms.need_val[k], group)
        if possible:
            _append_reached(parts, parts.offset[axioms.head[axiom]] + 1)
        _close_action(parts, free, truth)
        group += 1
        if parts.off[axiom] == NEVER:
            continue
        if axioms.own_start[axiom] < end:
            _append_reached(parts, parts.off[axiom])
            _close_action(parts, free, truth)
            continue
        for k in range(first, end):
            var, val = axioms.need_var[k], axioms.need_val[k]
            if axioms.need_neg[k]:
                possible = _need(parts, var, val, group)
            else:
                possible = _need_other(parts, var, val, group)
            if possible:
                _append_reached(parts, parts.off[axiom])
            _close_action(parts, free, truth)
            group += 1
    for d in range(len(axioms.derived)):
        denied = False
        for k in range(parts.own_start[d], parts.own_start[d + 1]):
            if parts.off[parts.own[k]] != NEVER:
                denied = True
                _append_need(parts, parts.off[parts.own[k]])
        if denied:
            _append_reached(parts, parts.offset[axioms.derived[d]])
            _close_action(parts, free, truth)


@part
def _add_bridges(parts: Parts, free: int, truth: int) -> None:
    """Append actions from values via "another value than initially" to facts about other values."""
    values = parts.offset[-1]
    changed = values + len(parts.other_val)
    for var in range(len(parts.offset) - 1):
        if parts.other_start[var + 1] == parts.other_start[var]:
            continue
        for fact in range(parts.offset[var], parts.offset[var + 1]):
            parts.bridge[fact] = parts.made[0]
            _append_need(parts, fact)
            _append_reached(parts, changed)
            _close_action(parts, free, truth)
        _append_need(parts, changed)
        for k in range(parts.other_start[var], parts.other_start[var + 1]):
            _append_reached(parts, values + k)
        _close_action(parts, free, truth)
        changed += 1


@part
def _add_goal(task: FlatTask, parts: Parts, truth: int) -> None:
    """Append the action that reaches the goal; it needs itself if the goal contradicts itself."""
    possible = True
    for k in range(len(task.goal_var)):
        possible &= _need(parts, task.goal_var[k], task.goal_val[k], len(task.eff_var))
    if not possible:
        _append_need(parts, truth + 1)
    _append_reached(parts, truth + 1)
    _close_action(parts, len(task.loss), truth)
