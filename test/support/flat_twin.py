# SPDX-License-Identifier: Apache-2.0
"""Everything that a flat task can reach, by its slow meaning: least loss, least cost."""

import heapq
import math

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    find_applicable,
    initial_amounts,
    initial_state,
    is_goal,
    successor,
)


class TooLarge(Exception):
    """More states than the test wants to look at."""


def least(task, weights, composition=Composition.SUM, max_states=3000):
    """Least weight of a plan, and one such plan; (infinity, None) where there is none.

    A state is the values of the variables and the amounts of the resources.

    Raises:
        TooLarge: more than `max_states` states.
    """
    start = (initial_state(task), initial_amounts(task))
    best = {start: 0.0}
    came = {start: None}
    queue = [(0.0, 0, start)]
    count = 0
    while queue:
        weight, _, node = heapq.heappop(queue)
        if weight > best[node]:
            continue
        state, amounts = node
        if is_goal(task, state):
            return weight, _plan(came, node)
        for operator in find_applicable(task, state):
            left = amounts_after(task, amounts, operator)
            if left is None:
                continue
            step = float(weights[operator])
            total = max(weight, step) if composition is Composition.MAXIMUM else weight + step
            after = (successor(task, state, operator), tuple(round(a, 9) for a in left))
            if total < best.get(after, math.inf):
                best[after] = total
                came[after] = (node, operator)
                count += 1
                heapq.heappush(queue, (total, count, after))
                if len(best) > max_states:
                    raise TooLarge
    return math.inf, None


def _plan(came, node):
    operators = []
    while came[node] is not None:
        node, operator = came[node]
        operators.append(operator)
    return operators[::-1]
