# SPDX-License-Identifier: Apache-2.0
"""Dijkstra's search on PDDL by definition: the least cost, or the fewest steps, to the goal."""

from __future__ import annotations

import heapq
import itertools
from fractions import Fraction

from pddl_interpreter import Interpreter, State


class TooManyStates(Exception):
    """The task has more states than the search was asked for."""


def find_least(twin: Interpreter, limit: int, *, costs: bool) -> Fraction | None:
    """Return the least cost (or number of steps) of a plan; None if there is no plan.

    Args:
        twin: the task.
        limit: most states.
        costs: count what actions cost; otherwise each counts 1.

    Raises:
        TooManyStates: more states than `limit` were met.
    """
    best: dict[State, Fraction] = {twin.initial: Fraction(0)}
    queue = [(Fraction(0), 0, twin.initial)]
    done: set[State] = set()
    order = itertools.count(1)
    while queue:
        spent, _, state = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        if twin.reaches_goal(state):
            return spent
        for action, arguments, after in twin.transitions(state):
            total = spent + (twin.cost(action, arguments) if costs else 1)
            if after not in best or total < best[after]:
                best[after] = total
                heapq.heappush(queue, (total, next(order), after))
        if len(best) > limit:
            raise TooManyStates
    return None
