# SPDX-License-Identifier: Apache-2.0
"""All plans of a small flat task that are not beaten by another one: the twin of every search."""

from __future__ import annotations

from collections import deque

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.settings import Criterion, Objective

Way = tuple[float, float]
"""Loss and cost of a way."""


def undominated(task: FlatTask, composition: Composition) -> list[Way]:
    """Loss and cost of all plans that no other plan beats in one without losing in the other.

    A way to a state is given up only for another one to the same state with the same resources.
    """
    begin = (semantics.initial_state(task), semantics.initial_amounts(task))
    ways: dict[tuple, list[Way]] = {begin: [(0.0, 0.0)]}
    waiting = deque([(begin, (0.0, 0.0))])
    while waiting:
        place, way = waiting.popleft()
        if way not in ways[place]:
            continue
        state, amounts = place
        for operator in semantics.find_applicable(task, state):
            after = semantics.amounts_after(task, amounts, operator)
            if after is None:
                continue
            made = (semantics.successor(task, state, operator), tuple(round(a, 9) for a in after))
            step = extended(task, composition, way, operator)
            others = ways.setdefault(made, [])
            if not any(no_worse(other, step) for other in others):
                others[:] = [other for other in others if not no_worse(step, other)]
                others.append(step)
                waiting.append((made, step))
    ends = [found for (state, _), found in ways.items() if semantics.is_goal(task, state)]
    goals = [way for found in ends for way in found]
    return [w for w in goals if not any(no_worse(o, w) and not no_worse(w, o) for o in goals)]


def extended(task: FlatTask, composition: Composition, way: Way, operator: int) -> Way:
    """A way with one more operator."""
    loss, cost = float(task.loss[operator]), float(task.cost[operator])
    together = way[0] + loss if composition is Composition.SUM else max(way[0], loss)
    return together, way[1] + cost


def no_worse(one: Way, other: Way) -> bool:
    """Whether a way is no worse in both criteria."""
    return one[0] <= other[0] + EPSILON and one[1] <= other[1] + EPSILON


def optimum(ways: list[Way], objective: Objective) -> Way | None:
    """The best way of an objective; None where none is within its budgets."""
    allowed = [
        (loss, cost)
        for loss, cost in ways
        if loss <= objective.loss_budget + EPSILON and cost <= objective.cost_budget + EPSILON
    ]
    loss_first = objective.order[0] is Criterion.LOSS
    key = lambda w: tuple(round(x, 7) for x in (w if loss_first else w[::-1]))  # noqa: E731
    return min(allowed, key=key, default=None)


def replayed(task: FlatTask, operators: tuple[int, ...], composition: Composition) -> Way | None:
    """Loss and cost of a plan; None where it does not work."""
    state, amounts = semantics.initial_state(task), semantics.initial_amounts(task)
    way = (0.0, 0.0)
    for operator in operators:
        after = semantics.amounts_after(task, amounts, operator)
        if after is None or not semantics.is_applicable(task, state, operator):
            return None
        state, amounts = semantics.successor(task, state, operator), after
        way = extended(task, composition, way, operator)
    return way if semantics.is_goal(task, state) else None
