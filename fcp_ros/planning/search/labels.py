# SPDX-License-Identifier: Apache-2.0
"""When one label of a state makes another one useless."""

from __future__ import annotations

import numpy as np

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints
from fcp_ros.planning.search.settings import LEXICOGRAPHIC, PARETO
from fcp_ros.planning.search.space import DEAD, NEXT

SAME = EPSILON / 100
"""Amounts that differ by less are the same; many such steps still stay within EPSILON."""


def directions(task: FlatTask) -> Ints:
    """For each resource what is never worse: more (1), less (-1), both (0), neither (2); int32[R].

    A bound matters only if some operator can carry the amount beyond it. Waiting for a window keeps
    the order of two amounts, and a window that closes is an upper bound.
    """
    found = []
    for resource in range(len(task.amount)):
        use = task.use[:, resource]
        given, taken = bool(np.any(use < 0.0)), bool(np.any(use > 0.0))
        above, below = (
            bool(task.amount[resource] > task.high[resource]),
            bool(task.amount[resource] < task.low[resource]),
        )
        upper = np.isfinite(task.high[resource]) and (given or above)
        lower = np.isfinite(task.low[resource]) and (taken or below)
        if resource == task.clock:
            waits = bool(np.any(task.opens > task.amount[resource]))
            closes = bool(np.any(np.isfinite(task.closes)))
            upper = closes or (np.isfinite(task.high[resource]) and (given or above or waits))
        found.append({(0, 0): 0, (0, 1): 1, (1, 0): -1, (1, 1): 2}[(int(upper), int(lower))])
    return np.array(found, np.int32)


@kernel
def covers(one: Floats, other: Floats, dominance: int, direction: Ints, counting: bool) -> bool:
    """Whether a label is no worse than another one of the same state.

    Arguments:
        one, other: their criteria and resources, float64[2 + R].
        dominance: how criteria are compared; see `settings`.
        direction: of the resources.
        counting: whether the resources are compared as well.
    """
    if dominance == PARETO:
        if one[0] > other[0] or one[1] > other[1]:
            return False
    elif dominance == LEXICOGRAPHIC and (
        one[0] > other[0] or (one[0] == other[0] and one[1] > other[1])
    ):
        return False
    if counting:
        for resource in range(len(direction)):
            more = one[2 + resource] - other[2 + resource]
            if (direction[resource] >= 1 and more < -SAME) or (
                direction[resource] in (-1, 2) and more > SAME
            ):
                return False
    return True


@kernel
def settle(
    first: Ints,
    link: Ints,
    status: Flags,
    way: Floats,
    state: int,
    label: int,
    dominance: int,
    direction: Ints,
    counting: bool,
) -> bool:
    """Whether a new label of a state is worth keeping; those that it makes useless are marked.

    Arguments:
        first, link, status, way: of the space.
        state: the state.
        label: where the new label's criteria and resources already stand in `way`.
        dominance, direction, counting: see `covers`.
    """
    other = first[state]
    while other >= 0:
        if covers(way[other], way[label], dominance, direction, counting):
            return False
        other = link[other, NEXT]
    last = -1
    other = first[state]
    while other >= 0:
        following = link[other, NEXT]
        if covers(way[label], way[other], dominance, direction, counting):
            status[other] = DEAD
            if last < 0:
                first[state] = following
            else:
                link[last, NEXT] = following
        else:
            last = other
        other = following
    link[label, NEXT] = first[state]
    first[state] = label
    return True


@kernel
def spend(task: FlatTask, before: Floats, operator: int, amounts: Floats) -> bool:
    """Writes the resources after an operator; False where they don't allow it.

    Arguments:
        task: the task.
        before: criteria and resources of the label, float64[2 + R].
        operator: the operator.
        amounts: receives the resources, float64[R].
    """
    for resource in range(len(amounts)):
        amount = before[2 + resource]
        if resource == task.clock and amount < task.opens[operator]:
            amount = task.opens[operator]
        use = task.use[operator, resource]
        amount -= use
        if use != 0.0 and not (
            task.low[resource] - EPSILON <= amount <= task.high[resource] + EPSILON
        ):
            return False
        if resource == task.clock and amount > task.closes[operator] + EPSILON:
            return False
        amounts[resource] = amount
    return True
