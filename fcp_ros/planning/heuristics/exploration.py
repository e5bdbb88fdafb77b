# SPDX-License-Identifier: Apache-2.0
"""What each fact of a relaxation costs from a state: a generalised Dijkstra.

Facts come in ascending order of value, those of equal value by their numbers. Those of the current
value wait in a queue, dearer ones on shelves (see `shelves.py`) or, where weights are not multiples
of one number or values grow large, in a heap. See Liu, Koenig and Furcy, "Speeding up the
calculation of heuristics for heuristic search-based planning", 2002.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.heuristics.heap import put, take
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace
from fcp_ros.planning.heuristics.shelves import LEVELS, lay, least, sweep

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
    level, heap, place, shelf = work.level, work.heap, work.place, work.shelf
    goal_action = len(missing) - 1
    if mode == ADDITION:
        total[:] = 0.0
    dear = relaxed.unit * LEVELS  # values from here on are in the heap
    per_unit = 1.0 / relaxed.unit if relaxed.unit > 0.0 else 0.0
    sweep(shelf, work.shelved)
    head, tail, size = 0, count, 0
    current = 0.0
    while True:
        if head < tail:
            fact = level[head]
            head += 1
        else:
            fact = least(shelf, work.shelved, value, relaxed.unit)
            if fact < 0:
                if size == 0:
                    break
                fact = take(heap, place, value, size)
                size -= 1
                if value[fact] < dear:
                    continue  # it became cheaper and was on a shelf
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
                    waits = value[gained] != np.inf
                    value[gained] = reached
                    best[gained] = action
                    if reached == current and not waits:
                        level[tail] = gained
                        tail += 1
                        continue
                    if reached < dear:
                        lay(shelf, work.shelved, np.int64(reached * per_unit + 0.5), gained)
                    if reached >= dear or place[gained] >= 0:
                        size = put(heap, place, value, size, gained)
            if stop and action == goal_action:
                for at in range(size):
                    place[heap[at]] = -1
                sweep(shelf, work.shelved)
                return float(reached)
    return float(value[-1])
