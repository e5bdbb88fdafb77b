# SPDX-License-Identifier: Apache-2.0
"""LM-cut: a lower bound that is paid for landmark by landmark.

Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the difference anyway?",
2009. Each round finds operators of which every plan uses one, adds the least weight among them to
the bound and takes it from all of them, until the goal costs nothing by hmax. The weight of an
operator is shared by all its actions, so operators with conditional effects don't pay twice.

Needs of equal value: the one with the lowest number is the supporter. Values only fall, so after a
round only what fell is worked out again; which gives exactly what a new exploration would.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.exploration import MAXIMUM, explore, seed
from fcp_ros.planning.heuristics.heap import put, take
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace

ROUNDING = 1e-12
"""A weight of which less is left than this part of what was taken is used up."""


@kernel
def lm_cut(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Lower bound of what any plan from a state weighs; infinity where there is no plan.

    Never less than hmax, and infinite exactly where that is. Every round uses up an operator, so
    there are at most m of them.
    """
    value, left = work.value, work.left
    left[:] = relaxed.weight
    count = seed(relaxed, work, state)
    dearest = explore(relaxed, work, left, count, MAXIMUM, False)
    if dearest == np.inf or dearest == 0.0:
        return dearest
    _choose_supporters(relaxed, work)
    goal = len(value) - 1
    bound = 0.0
    while value[goal] > 0.0:
        size = _cut(relaxed, work, _goal_zone(relaxed, work), count)
        if size == 0:
            break
        least = np.inf
        for k in range(size):
            least = min(least, left[work.cut[k]])
        bound += least
        for k in range(size):
            rest = left[work.cut[k]] - least
            left[work.cut[k]] = rest if rest > ROUNDING * least else 0.0
        _lower(relaxed, work, size)
    return max(bound, dearest)


@kernel
def _dearest_need(relaxed: RelaxedTask, work: Workspace, action: int) -> int:
    first = relaxed.pre_start[action]
    dearest = relaxed.pre[first]
    for k in range(first + 1, relaxed.pre_start[action + 1]):
        if work.value[relaxed.pre[k]] > work.value[dearest]:
            dearest = relaxed.pre[k]
    return int(dearest)


@kernel
def _choose_supporters(relaxed: RelaxedTask, work: Workspace) -> None:
    """The dearest need of each action that was reached; -1 for the others."""
    for action in range(len(work.missing)):
        work.supporter[action] = -1
        if work.missing[action] == 0:
            work.supporter[action] = _dearest_need(relaxed, work, action)


@kernel
def _goal_zone(relaxed: RelaxedTask, work: Workspace) -> int:
    """Marks the facts from which the goal costs nothing more; returns the mark."""
    stack, mark, left = work.stack, work.fact_mark, work.left
    work.generation[0] += 1
    zone = work.generation[0]
    goal = len(mark) - 1
    mark[goal] = zone
    stack[0] = goal
    size = 1
    while size > 0:
        size -= 1
        fact = stack[size]
        for k in range(relaxed.achiever_start[fact], relaxed.achiever_start[fact + 1]):
            action = relaxed.achiever[k]
            supporter = work.supporter[action]
            if supporter < 0 or left[relaxed.operator[action]] > 0.0:
                continue
            if mark[supporter] != zone:
                mark[supporter] = zone
                stack[size] = supporter
                size += 1
    return int(zone)


@kernel
def _cut(relaxed: RelaxedTask, work: Workspace, zone: int, count: int) -> int:
    """Operators that lead into the goal zone from what is reached outside: a landmark.

    Arguments:
        zone: the mark of the goal zone.
        count: how many facts hold at first; they begin `work.level`.

    Returns:
        How many of `work.cut` they are.
    """
    stack, mark = work.stack, work.fact_mark
    work.generation[0] += 1
    seen = work.generation[0]
    for k in range(count):
        stack[k] = work.level[k]
        mark[stack[k]] = seen
    size = count
    found = 0
    while size > 0:
        size -= 1
        fact = stack[size]
        for k in range(relaxed.consumer_start[fact], relaxed.consumer_start[fact + 1]):
            action = relaxed.consumer[k]
            if work.supporter[action] != fact:
                continue
            first, end = relaxed.add_start[action], relaxed.add_start[action + 1]
            if _enters(relaxed, work, first, end, zone):
                operator = relaxed.operator[action]
                if work.operator_mark[operator] != seen:
                    work.operator_mark[operator] = seen
                    work.cut[found] = operator
                    found += 1
                continue  # what it reaches besides is behind the cut
            for j in range(first, end):
                gained = relaxed.add[j]
                if mark[gained] != seen:
                    mark[gained] = seen
                    stack[size] = gained
                    size += 1
    return found


@kernel
def _enters(relaxed: RelaxedTask, work: Workspace, first: int, end: int, zone: int) -> bool:
    at = first
    while at < end and work.fact_mark[relaxed.add[at]] != zone:
        at += 1
    return at < end


@kernel
def _lower(relaxed: RelaxedTask, work: Workspace, cut: int) -> None:
    """Values after the operators `work.cut[:cut]` got cheaper."""
    value, heap, place = work.value, work.heap, work.place
    size = 0
    for k in range(cut):
        operator = work.cut[k]
        for action in range(relaxed.action_start[operator], relaxed.action_start[operator + 1]):
            if work.supporter[action] >= 0:
                size = _reach(relaxed, work, action, size)
    while size > 0:
        fact = take(heap, place, value, size)
        size -= 1
        for k in range(relaxed.consumer_start[fact], relaxed.consumer_start[fact + 1]):
            action = relaxed.consumer[k]
            if work.supporter[action] == fact and work.total[action] > value[fact]:
                supporter = _dearest_need(relaxed, work, action)
                work.supporter[action] = supporter
                if work.total[action] > value[supporter]:
                    work.total[action] = value[supporter]
                    size = _reach(relaxed, work, action, size)


@kernel
def _reach(relaxed: RelaxedTask, work: Workspace, action: int, size: int) -> int:
    """Lowers the values of what an action reaches; returns the new size of the heap."""
    reached = work.total[action] + work.left[relaxed.operator[action]]
    for j in range(relaxed.add_start[action], relaxed.add_start[action + 1]):
        gained = relaxed.add[j]
        if reached < work.value[gained]:
            work.value[gained] = reached
            size = put(work.heap, work.place, work.value, size, gained)
    return size
