# SPDX-License-Identifier: Apache-2.0
"""Dominance between labels of one state, and the resources after a step."""

from __future__ import annotations

import numpy as np

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints
from fcp_ros.planning.search.kernel.space import CLOSED, DEAD, NEXT, OPEN
from fcp_ros.planning.search.settings import LEXICOGRAPHIC, PARETO

SAME = EPSILON / 100
"""Amounts that differ by less are equal; the error of many such steps stays within EPSILON."""


def find_directions(task: FlatTask) -> Ints:
    """Find out for each resource which amounts are never worse.

    A bound matters only if some operator can carry the amount beyond it. Waiting for a window keeps
    the order of two amounts, and a window that closes is an upper bound.

    Returns:
        1 if more is never worse, -1 if less is never worse, 0 if both are true, 2 if neither is;
        int32[R].
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
def dominates(one: Floats, other: Floats, dominance: int, direction: Ints, counting: bool) -> bool:
    """Return True if a label is no worse than another label of the same state.

    Args:
        one, other: their criteria and resources, float64[2 + R].
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
def insert_label(
    first: Ints,
    link: Ints,
    status: Flags,
    way: Floats,
    state: int,
    label: int,
    dominance: int,
    direction: Ints,
    counting: bool,
    only_closed: bool,
) -> bool:
    """Link a new label to its state and mark the labels that it dominates DEAD.

    The labels linked to a state never dominate one another, unless `only_closed` is set.

    Args:
        only_closed: only closed labels dominate, and none is marked DEAD. In a lazy greedy search
            open labels of a state wait by the estimates of different parents; the first one taken
            outdoes the others (`outdo`).

    Returns:
        False if a label of the state dominates the new one; then nothing has changed.
    """
    # Two passes: a dominated new label must change nothing, not even the labels that it dominates
    # (by transitivity there are none, but equal amounts are compared with a tolerance).
    other = first[state]
    while other >= 0:
        if (not only_closed or status[other] == CLOSED) and dominates(
            way[other], way[label], dominance, direction, counting
        ):
            return False
        other = link[other, NEXT]
    last = -1
    other = -1 if only_closed else first[state]
    while other >= 0:
        following = link[other, NEXT]
        if dominates(way[label], way[other], dominance, direction, counting):
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
def outdo(
    first: Ints,
    link: Ints,
    status: Flags,
    way: Floats,
    state: int,
    label: int,
    dominance: int,
    direction: Ints,
    counting: bool,
) -> None:
    """Mark the open labels that a label of the same state dominates DEAD; they stay linked."""
    other = first[state]
    while other >= 0:
        if (
            other != label
            and status[other] == OPEN
            and dominates(way[label], way[other], dominance, direction, counting)
        ):
            status[other] = DEAD
        other = link[other, NEXT]


@kernel
def spend_resources(task: FlatTask, before: Floats, operator: int, amounts: Floats) -> bool:
    """Write the resources after an operator; return False if they do not allow it.

    The twin is `flat.semantics.amounts_after`.

    Args:
        before: criteria and resources of the label, float64[2 + R].
        amounts: receives the resources, float64[R]; partly written if the result is False.
    """
    for resource in range(len(amounts)):
        amount = before[2 + resource]
        # Waiting for the window comes before the step, closing is checked after its duration.
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
