# SPDX-License-Identifier: Apache-2.0
"""What tiny tasks cost, by looking at everything: real and delete-relaxed optima."""

from __future__ import annotations

import heapq
import math

from fcp_ros.planning.flat.semantics import find_applicable, is_goal, successor


def optimal(task, state, weight, compose=lambda done, step: done + step):
    """Least composed weight of a plan from a state, resources aside; infinity without any."""
    best = {tuple(map(int, state)): 0.0}
    queue = [(0.0, tuple(map(int, state)))]
    while queue:
        value, at = heapq.heappop(queue)
        if value > best[at]:
            continue
        if is_goal(task, at):
            return value
        for operator in find_applicable(task, at):
            after = successor(task, at, operator)
            total = compose(value, float(weight[operator]))
            if total < best.get(after, math.inf):
                best[after] = total
                heapq.heappush(queue, (total, after))
    return math.inf


def relaxed_optimal(twin, state, weight):
    """h+: least sum of weights of a relaxed plan, by Dijkstra over sets of reached facts.

    An operator that is applied reaches everything that its effects may reach by then.
    """
    first = frozenset((var, int(val), True) for var, val in enumerate(state))
    if not twin.possible:
        return math.inf
    operators = sorted({operator for operator, _, _ in twin.actions})
    best = {first: 0.0}
    queue = [(0.0, 0, first)]
    count = 0
    while queue:
        value, _, facts = heapq.heappop(queue)
        if value > best[facts]:
            continue
        known = dict.fromkeys(facts, 0.0)
        if all(twin.value(known, fact) == 0.0 for fact in twin.goal):
            return value
        for operator in operators:
            gained = {
                reached
                for own, needs, reached in twin.actions
                if own == operator and all(twin.value(known, need) == 0.0 for need in needs)
            }
            after = facts | gained
            total = value + float(weight[operator])
            if after != facts and total < best.get(after, math.inf):
                best[after] = total
                count += 1
                heapq.heappush(queue, (total, count, after))
    return math.inf
