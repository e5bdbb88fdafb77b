# SPDX-License-Identifier: Apache-2.0
"""What each fact of a relaxation costs from a state: a generalised Dijkstra.

Facts come in ascending order of value. Those of the current value wait in a queue, dearer ones in a
heap: most weights are 0 where they are losses, and then the heap stays empty. See Liu, Koenig and
Furcy, "Speeding up the calculation of heuristics for heuristic search-based planning", 2002.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.heuristics.heap import put, take
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace

HIGHEST = 1e100
"""Sums don't grow beyond this: costs that are counted double on each level stay finite."""
MAXIMUM, ADDITION, BOTTLENECK = 0, 1, 2
"""An action costs its weight plus its dearest need, plus all its needs, or the dearest of all."""


@kernel
def seed(relaxed: RelaxedTask, work: Workspace, state: Ints) -> int:
    """Prepares an exploration from a state; returns how many facts hold at first."""
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
            missing[bridge] += 1  # it waits for ever: this value is not another value
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
    """Fills `value`, `total`, `best` and `missing` of the workspace.

    Arguments:
        relaxed, work: the relaxation and its workspace, after `seed`.
        weight: of each operator, float64[m + 1].
        count: how many facts hold at first.
        mode: MAXIMUM, ADDITION or BOTTLENECK.
        stop: whether to stop at the goal; then only cheaper facts have their final value.

    Returns:
        The value of the goal; infinity where it is out of reach.
    """
    consumer_start, consumer = relaxed.consumer_start, relaxed.consumer
    add_start, add, operator = relaxed.add_start, relaxed.add, relaxed.operator
    value, total, missing, best = work.value, work.total, work.missing, work.best
    level, heap, place = work.level, work.heap, work.place
    goal_action = len(missing) - 1
    if mode == ADDITION:
        total[:] = 0.0
    head, tail, size = 0, count, 0
    current = 0.0
    while head < tail or size > 0:
        if head < tail:
            fact = level[head]
            head += 1
        else:
            fact = take(heap, place, value, size)
            size -= 1
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
                    value[gained] = reached
                    best[gained] = action
                    if reached == current and place[gained] < 0:
                        level[tail] = gained
                        tail += 1
                    else:
                        size = put(heap, place, value, size, gained)
            if stop and action == goal_action:
                for at in range(size):
                    place[heap[at]] = -1
                return float(reached)
    return float(value[-1])
