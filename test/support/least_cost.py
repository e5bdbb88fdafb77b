# SPDX-License-Identifier: Apache-2.0
"""Dijkstra's search, for all twins that look at everything: what is reached, the cheapest first.

`find_least` applies it to PDDL by definition.
"""

from __future__ import annotations

import heapq
import itertools
import math
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeVar

from pddl_interpreter import Interpreter

N = TypeVar("N", bound=Hashable)


class TooManyStates(Exception):
    """There are more states than the search was asked for."""


def settle(
    start: N,
    follow: Callable[[N], Iterable[tuple[Any, N]]],
    most: float = math.inf,
    *,
    zero: Any = 0,
    add: Callable[[Any, Any], Any] = operator.add,
) -> Iterator[tuple[Any, N]]:
    """Yield the least cost of each node that can be reached, and the node, in order of the costs.

    Args:
        follow: gives the weights of steps from a node, and the nodes that they lead to.
        most: nodes that may be met.
        zero: cost of the start.
        add: costs of a way and of one more step together, never less than the first.

    Raises:
        TooManyStates: more than `most` nodes were met.
    """
    best, done, order = {start: zero}, set(), itertools.count(1)
    queue = [(zero, 0, start)]
    while queue:
        cost, _, node = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        yield cost, node
        for weight, after in follow(node):
            total = add(cost, weight)
            if after not in best or total < best[after]:
                best[after] = total
                heapq.heappush(queue, (total, next(order), after))
        if len(best) > most:
            raise TooManyStates


def follow_actions(twin: Interpreter, *, costs: bool = True) -> Callable[[Any], Iterator[Any]]:
    """What follows a state of PDDL: by what actions cost, or else each counts 1."""

    def follow(state: Any) -> Iterator[Any]:
        for action, arguments, after in twin.transitions(state):
            yield (twin.cost(action, arguments) if costs else 1), after

    return follow


def find_least(twin: Interpreter, limit: int, *, costs: bool) -> Fraction | None:
    """Return the least cost (or number of steps) of a plan; None if there is no plan.

    Raises:
        TooManyStates: more states than `limit` were met.
    """
    ways = settle(twin.initial, follow_actions(twin, costs=costs), limit)
    return next((spent for spent, state in ways if twin.reaches_goal(state)), None)
