# SPDX-License-Identifier: Apache-2.0
"""LM-cut: a lower bound as a sum of disjunctive action landmarks.

Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the difference anyway?",
2009. Each round finds a set of operators of which every plan uses one, adds the least weight among
them to the bound and subtracts it from all of them, until the goal costs nothing by hmax. The
weight of an operator is shared by all its actions, so operators with conditional effects are not
paid twice.

Of needs of equal value, the first one in the order of the needs is the supporter. Values only fall,
so after a round only what fell is computed again; the result is exactly that of a new exploration.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import Floats, Ints, Marks
from fcp_ros.planning.heuristics.exploration import MAXIMUM, explore, seed
from fcp_ros.planning.heuristics.fact_queues import heap_put, heap_take
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace

ROUNDING = 1e-12
"""A remaining weight below this fraction of the amount subtracted is rounding error: set to 0."""


@kernel
def lm_cut(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Compute a lower bound of the weight of any plan from a state.

    Never less than hmax, and infinite exactly where hmax is. Every round uses up the weight of at
    least one operator, so there are at most m rounds.
    """
    value, left = work.value, work.left
    for operator in range(len(left)):
        left[operator] = relaxed.weight[operator]
    dearest = explore(relaxed, work, left, seed(relaxed, work, state), MAXIMUM, False)
    if dearest == np.inf or dearest == 0.0:
        return dearest
    _choose_supporters(relaxed, work)
    bound = 0.0
    # Invariant: `value` is hmax by the weights `left`; `bound` + hmax <= the weight of any plan.
    # The operators of a cut are all that lead into the goal zone, so every plan pays one of them;
    # taking the least weight from all keeps the bound admissible.
    while value[-1] > 0.0:
        candidates = _mark_goal_zone(relaxed, work)
        size = _find_cut(relaxed, work, candidates)
        least = np.inf
        for k in range(size):
            least = min(least, left[work.cut[k]])
        bound += least
        for k in range(size):
            rest = left[work.cut[k]] - least
            left[work.cut[k]] = rest if rest > ROUNDING * least else 0.0
        _lower_values(relaxed, work, size)
    return max(bound, dearest)


@kernel
def _find_dearest(pre: Ints, first: int, end: int, value: Floats) -> int:
    """Find the fact of the highest value among pre[first:end], the first one of several."""
    dearest = pre[first]
    for k in range(first + 1, end):
        if value[pre[k]] > value[dearest]:
            dearest = pre[k]
    return int(dearest)


@part
def _choose_supporters(relaxed: RelaxedTask, work: Workspace) -> None:
    """Set `supporter` to the dearest need of each action that was reached, to -1 for the others."""
    start, pre = relaxed.pre_start, relaxed.pre
    supporter, missing, value = work.supporter, work.missing, work.value
    for action in range(len(missing)):
        if missing[action] == 0:
            supporter[action] = _find_dearest(pre, start[action], start[action + 1], value)
        else:
            supporter[action] = -1


@part
def _mark_goal_zone(relaxed: RelaxedTask, work: Workspace) -> int:
    """Mark the facts from which the goal costs nothing more, with a new generation.

    Returns:
        The number k such that `work.candidate[:k]` are the actions of positive weight that lead
        there.
    """
    start, achiever, operator = relaxed.achiever_start, relaxed.achiever, relaxed.operator
    supporter, left, mark, stack = work.supporter, work.left, work.fact_mark, work.stack
    work.generation[0] += 1
    zone = work.generation[0]
    stack[0] = len(mark) - 1
    mark[stack[0]] = zone
    size, found = 1, 0
    while size > 0:
        size -= 1
        fact = stack[size]
        for k in range(start[fact], start[fact + 1]):
            action = achiever[k]
            source = supporter[action]
            if source < 0 or mark[source] == zone:
                continue
            if left[operator[action]] == 0.0:
                mark[source] = zone
                stack[size] = source
                size += 1
            elif found == 0 or work.candidate[found - 1] != action:
                work.candidate[found] = action
                found += 1
    return found


@part
def _find_cut(relaxed: RelaxedTask, work: Workspace, candidates: int) -> int:
    """Find the operators that lead into the goal zone from facts reached outside it: a landmark.

    Facts cheaper than the goal are reached outside, because no fact of the zone is cheaper than the
    goal. Only dearer supporters have to be examined.

    Returns:
        The number k >= 1 such that `work.cut[:k]` are those operators.
    """
    supporter, value, mark = work.supporter, work.value, work.fact_mark
    zone = work.generation[0]
    unclear = 0
    for k in range(candidates):
        source = supporter[work.candidate[k]]
        if value[source] >= value[-1] and mark[source] < zone:
            mark[source] = zone + 1
            work.stack[unclear] = source
            unclear += 1
    if unclear > 0:
        _mark_outside(relaxed, work, unclear)
    work.generation[0] = zone + 2
    size = 0
    for k in range(candidates):
        source = supporter[work.candidate[k]]
        operator = relaxed.operator[work.candidate[k]]
        outside = mark[source] == zone + 2 or value[source] < value[-1]
        if outside and work.operator_mark[operator] != zone:
            work.operator_mark[operator] = zone
            work.cut[size] = operator
            size += 1
    return size


@part
def _mark_outside(relaxed: RelaxedTask, work: Workspace, unclear: int) -> None:
    """Mark those of the facts work.stack[:unclear] that are reached outside the goal zone.

    With z = `generation[0]`, marks mean: z in the zone, z + 1 unclear, z + 2 reached outside. The
    walk goes back from the unclear facts until all are clear or none is left, then forward again
    from the facts that became clear.
    """
    start, achiever = relaxed.achiever_start, relaxed.achiever
    supporter, value, mark, stack = work.supporter, work.value, work.fact_mark, work.stack
    zone = work.generation[0]
    outside, clear, head = zone + 2, 0, 0
    while head < unclear:
        fact = stack[head]
        head += 1
        for k in range(start[fact], start[fact + 1]):
            source = supporter[achiever[k]]
            if source < 0 or not (value[source] < value[-1] or mark[source] == outside):
                continue
            if not _enters(relaxed.add_start, relaxed.add, mark, achiever[k], zone):
                mark[fact] = outside
                work.level[clear] = fact
                clear += 1
                break
        if mark[fact] == outside:
            continue
        for k in range(start[fact], start[fact + 1]):
            source = supporter[achiever[k]]
            if source >= 0 and mark[source] < zone and value[source] >= value[-1]:
                mark[source] = zone + 1
                stack[unclear] = source
                unclear += 1
    _spread(relaxed, work, clear, unclear - clear)


@part
def _spread(relaxed: RelaxedTask, work: Workspace, clear: int, unclear: int) -> None:
    """Mark the unclear facts that are reached from the facts work.level[:clear]."""
    start, consumer = relaxed.consumer_start, relaxed.consumer
    supporter, mark, level = work.supporter, work.fact_mark, work.level
    zone = work.generation[0]
    while clear > 0 and unclear > 0:
        clear -= 1
        fact = level[clear]
        for k in range(start[fact], start[fact + 1]):
            action = consumer[k]
            if supporter[action] != fact:
                continue
            if _enters(relaxed.add_start, relaxed.add, mark, action, zone):
                continue
            for j in range(relaxed.add_start[action], relaxed.add_start[action + 1]):
                gained = relaxed.add[j]
                if mark[gained] == zone + 1:
                    mark[gained] = zone + 2
                    level[clear] = gained
                    clear += 1
                    unclear -= 1


@kernel
def _enters(add_start: Ints, add: Ints, mark: Marks, action: int, zone: int) -> bool:
    """Return True if an action reaches a fact with the mark of the goal zone."""
    at, end = add_start[action], add_start[action + 1]
    while at < end and mark[add[at]] != zone:
        at += 1
    return bool(at < end)


@part
def _lower_values(relaxed: RelaxedTask, work: Workspace, cut: int) -> None:
    """Lower `value`, `total` and `supporter` after the operators `work.cut[:cut]` got cheaper."""
    pre_start, pre, operator = relaxed.pre_start, relaxed.pre, relaxed.operator
    add_start, add = relaxed.add_start, relaxed.add
    consumer_start, consumer = relaxed.consumer_start, relaxed.consumer
    value, total, supporter, left = work.value, work.total, work.supporter, work.left
    heap, place = work.heap, work.place
    size = 0
    for k in range(cut):
        cheaper = work.cut[k]
        for action in range(relaxed.action_start[cheaper], relaxed.action_start[cheaper + 1]):
            if supporter[action] >= 0:
                first, end = add_start[action], add_start[action + 1]
                reached = total[action] + left[cheaper]
                size = _lower_facts(add, first, end, reached, value, heap, place, size)
    # Facts leave the heap by ascending value, and values only fall, so each fact is final when it
    # is taken. An action changes only if its dearest need fell.
    while size > 0:
        fact = heap_take(heap, place, value, size)
        size -= 1
        for k in range(consumer_start[fact], consumer_start[fact + 1]):
            action = consumer[k]
            if supporter[action] != fact or total[action] <= value[fact]:
                continue
            dearest = _find_dearest(pre, pre_start[action], pre_start[action + 1], value)
            supporter[action] = dearest
            if value[dearest] < total[action]:
                total[action] = value[dearest]
                first, end = add_start[action], add_start[action + 1]
                reached = total[action] + left[operator[action]]
                size = _lower_facts(add, first, end, reached, value, heap, place, size)


@kernel
def _lower_facts(
    add: Ints,
    first: int,
    end: int,
    reached: float,
    value: Floats,
    heap: Ints,
    place: Ints,
    size: int,
) -> int:
    """Lower the values of the facts add[first:end]; return the new size of the heap."""
    for j in range(first, end):
        gained = add[j]
        if reached < value[gained]:
            value[gained] = reached
            size = heap_put(heap, place, value, size, gained)
    return size
