# SPDX-License-Identifier: Apache-2.0
"""The cost of each fact of a relaxation from a state (a generalised Dijkstra), and relaxed plans.

Facts leave the queues in ascending order of value, of those of equal value the last one first (see
`fact_queues.py`). Facts of the current value wait on the stack `level`, dearer ones in a bucket
queue or, if weights are not multiples of one number or values grow large, in a heap. See Liu,
Koenig and Furcy, "Speeding up the calculation of heuristics for heuristic search-based planning",
2002.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.heuristics.fact_queues import (
    LEVELS,
    bucket_drop,
    bucket_put,
    bucket_take,
    clear_buckets,
    heap_put,
    heap_take,
)
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace

HIGHEST = 1e100
"""Sums are capped here, so that costs that double on each level stay finite."""
MAXIMUM, ADDITION, BOTTLENECK = 0, 1, 2
"""The cost of an action: its weight plus that of its dearest need, its weight plus those of all its
needs, or the maximum of its weight and its needs."""


@kernel
def seed(relaxed: RelaxedTask, work: Workspace, state: Ints) -> int:
    """Prepare an exploration from a state.

    Resets `value`, `best` and `missing` of the workspace and puts the facts of the state into
    `level`.

    Returns:
        The number of facts that hold initially, `truth` included.
    """
    value, level, missing = work.value, work.level, work.missing
    value[:] = np.inf
    work.best[:] = -1
    for action in range(len(missing)):
        missing[action] = relaxed.pre_start[action + 1] - relaxed.pre_start[action]
    variables = len(state)
    others = relaxed.offset[variables]
    count = 0
    for var in range(variables):
        fact = relaxed.offset[var] + state[var]
        value[fact] = 0.0
        level[count] = fact
        count += 1
        bridge = relaxed.bridge[fact]
        if bridge >= 0:
            missing[bridge] += 1  # never satisfied: this value is not another value
            for k in range(relaxed.other_start[var], relaxed.other_start[var + 1]):
                if relaxed.other_val[k] != state[var]:
                    value[others + k] = 0.0
                    level[count] = others + k
                    count += 1
    truth = len(value) - 2
    value[truth] = 0.0
    level[count] = truth
    return count + 1


@kernel
def explore(
    relaxed: RelaxedTask, work: Workspace, weight: Floats, count: int, mode: int, stop: bool
) -> float:
    """Compute the value of every fact: fill `value`, `total`, `best` and `missing`.

    Afterwards `value[f]` is the cost of fact f (infinity: out of reach), `best[f]` the action that
    reached it first (-1: it holds initially, or is out of reach), `missing[a]` is 0 for the actions
    whose needs are all reached, and `total[a]` is what those needs cost. The queues are empty.

    Args:
        weight: of each operator, float64[m + 1]; >= 0.
        mode: MAXIMUM, ADDITION or BOTTLENECK.
        stop: stop at the goal; then only facts cheaper than the goal have their final value.

    Returns:
        The value of the goal; infinity if it is out of reach.
    """
    consumer_start, consumer = relaxed.consumer_start, relaxed.consumer
    add_start, add, operator = relaxed.add_start, relaxed.add, relaxed.operator
    value, total, missing, best = work.value, work.total, work.missing, work.best
    level, heap, place, buckets, span = work.level, work.heap, work.place, work.buckets, work.span
    goal_action = len(missing) - 1
    if mode == ADDITION:
        total[:] = 0.0
    dear = relaxed.unit * LEVELS  # values from here on are in the heap
    per_unit = 1.0 / relaxed.unit if relaxed.unit > 0.0 else 0.0
    clear_buckets(buckets, span)
    tail, size = count, 0
    current = 0.0
    # Invariant: `current` never falls. The facts level[:tail] have exactly that value, those
    # in the buckets and the heap at least that. A fact is settled when it is taken out, since
    # no weight is negative.
    while True:
        if tail > 0:
            tail -= 1
            fact = level[tail]
        else:
            fact = bucket_take(buckets, span)
            if fact < 0:
                if size == 0:
                    break
                fact = heap_take(heap, place, value, size)
                size -= 1
                if value[fact] < dear:
                    continue  # its value fell, so it has left through a bucket
            current = value[fact]
        for k in range(consumer_start[fact], consumer_start[fact + 1]):
            action = consumer[k]
            missing[action] -= 1
            if mode == ADDITION:
                total[action] += current
            if missing[action] != 0:
                continue
            if mode == ADDITION:
                reached = min(total[action] + weight[operator[action]], HIGHEST)
            else:
                total[action] = current
                own = weight[operator[action]]
                reached = current + own if mode == MAXIMUM else max(current, own)
            for j in range(add_start[action], add_start[action + 1]):
                gained = add[j]
                if reached < value[gained]:
                    former = value[gained]
                    waits = former != np.inf
                    value[gained] = reached
                    best[gained] = action
                    if waits and former < dear:
                        bucket_drop(buckets, np.int64(former * per_unit + 0.5), gained)
                    # A fact that waits in a queue already must leave through a queue, else it could
                    # be taken twice, and its consumers would count it twice.
                    if reached == current and not waits:
                        level[tail] = gained
                        tail += 1
                        continue
                    if reached < dear:
                        bucket_put(buckets, span, np.int64(reached * per_unit + 0.5), gained)
                    if reached >= dear or place[gained] >= 0:
                        size = heap_put(heap, place, value, size, gained)
            # Leave both queues empty for the next exploration, whatever is left in them.
            if stop and action == goal_action:
                for at in range(size):
                    place[heap[at]] = -1
                clear_buckets(buckets, span)
                return float(reached)
    return float(value[-1])


# --- the FF heuristic: the weight of a relaxed plan, and the helpful actions that it begins with
#
# Each fact is reached by the action that reaches it first if costs add up (Keyder and Geffner,
# "Heuristics for planning with action costs revisited", 2008); the operators found backwards from
# the goal are a relaxed plan (Hoffmann and Nebel, "The FF planning system", 2001). Not admissible.


@kernel
def ff(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Sum up the weights of the operators of a relaxed plan, each once.

    Sets `work.helpful` to 1 for the operators of that plan whose needs hold in the state (blocks
    aside), to 0 for all others. The plan's operators and facts carry the mark `work.generation[0]`
    in `operator_mark` and `fact_mark`.

    Returns:
        The sum; infinity if there is no relaxed plan.
    """
    work.helpful[:] = 0
    count = seed(relaxed, work, state)
    goal_value = explore(relaxed, work, relaxed.weight, count, ADDITION, True)
    if goal_value > HIGHEST:
        return goal_value
    return _extract_plan(relaxed, work)


@part
def _extract_plan(relaxed: RelaxedTask, work: Workspace) -> float:
    """Follow the best actions back from the goal, after `explore`; return their weight."""
    best, stack, fact_mark, operator_mark = (
        work.best,
        work.stack,
        work.fact_mark,
        work.operator_mark,
    )
    none = len(relaxed.weight) - 1
    work.generation[0] += 1
    now = work.generation[0]
    # Bridges and the goal action belong to operator `none`: marked as counted, they weigh nothing.
    operator_mark[none] = now
    stack[0] = len(best) - 1
    size = 1
    total = 0.0
    while size > 0:
        size -= 1
        action = best[stack[size]]
        at_once = True
        for k in range(relaxed.pre_start[action], relaxed.pre_start[action + 1]):
            need = relaxed.pre[k]
            if best[need] >= 0:
                at_once = False
                if fact_mark[need] != now:
                    fact_mark[need] = now
                    stack[size] = need
                    size += 1
        operator = relaxed.operator[action]
        if operator_mark[operator] != now:
            operator_mark[operator] = now
            total += relaxed.weight[operator]
        if at_once and operator != none:
            work.helpful[operator] = 1
    return total
