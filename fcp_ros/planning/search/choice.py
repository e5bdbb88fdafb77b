# SPDX-License-Identifier: Apache-2.0
"""Which label is expanded next."""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.kernel import part
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.search.buckets import HEAPS, before, pop, push
from fcp_ros.planning.search.evaluation import (
    FIRST_KNOWN,
    SECOND_KNOWN,
    Guides,
    evaluate_state,
    find_helpful,
    first_key,
    hopeless,
    second_key,
)
from fcp_ros.planning.search.packing import Packing
from fcp_ros.planning.search.settings import BY_KEY, LAZY, Settings
from fcp_ros.planning.search.space import (
    BEST,
    BOUND,
    CLOSED,
    LEAST,
    OPEN,
    STATE,
    TURN,
    WORK,
    Space,
)

NOTHING, PROVEN, AGAIN = -1, -2, -3
"""Instead of a label: none is left, none comes before the best plan, or this one was not for
expansion."""
BOOST = 1000
"""Turns that helpful actions get for each new least estimate (Richter and Westphal 2010)."""


@part
def take(packing: Packing, space: Space, settings: Settings, guides: Guides) -> int:
    """Takes the first label; its state is written to `space.values`.

    Returns:
        The label, where it is to be expanded; else NOTHING, PROVEN or AGAIN.
    """
    queue = _turn(space, settings)
    if queue < 0:
        return NOTHING
    one = space.buckets.heap_key[queue, 0, 0]
    two = space.buckets.heap_key[queue, 0, 1]
    if settings.stop == BY_KEY and not before(one, two, space.marks[BEST], space.marks[BEST + 1]):
        return PROVEN
    if not settings.greedy and one > space.marks[BOUND]:
        space.marks[BOUND] = one
    label = pop(space.buckets, queue)
    space.counts[WORK] -= 1
    if space.status[label] != OPEN:
        return AGAIN
    state = space.link[label, STATE]
    for v in range(len(space.values)):
        space.values[v] = (space.words[state, packing.word[v]] >> packing.shift[v]) & packing.mask[
            v
        ]
    if settings.first_kind == Kind.BLIND and settings.second_kind == Kind.BLIND:
        return label
    known = space.known[state]
    if known != FIRST_KNOWN | SECOND_KNOWN:
        evaluate_state(space, settings, guides, state, space.values)
    if space.estimate[state, 0] == np.inf:
        space.status[label] = CLOSED
        return AGAIN
    if settings.greedy:
        _progress(space, settings, state)
    elif settings.evaluation != LAZY and _put_back(space, settings, label, state, queue, one, two):
        return AGAIN
    if known & settings.helps != 0:
        find_helpful(settings, guides, space.values)
        space.counts[WORK] -= settings.price
    return label


@part
def _turn(space: Space, settings: Settings) -> int:
    """The queue whose turn it is; -1 where all are empty."""
    sizes, counts = space.buckets.sizes, space.counts
    if settings.queues == 1:
        return 0 if sizes[HEAPS] > 0 else -1
    found = -1
    for queue in range(settings.queues):
        if sizes[HEAPS + queue] > 0 and (found < 0 or counts[TURN + queue] < counts[TURN + found]):
            found = queue
    if found >= 0:
        counts[TURN + found] += 1
    return found


@part
def _progress(space: Space, settings: Settings, state: int) -> None:
    """Helpful actions get more turns when the goal has come nearer than ever by a heuristic."""
    groups = 1 if settings.helps == 0 else 2
    for place in range(settings.queues // groups):
        if space.estimate[state, place] < space.marks[LEAST + place]:
            space.marks[LEAST + place] = space.estimate[state, place]
            if settings.helps != 0:
                for queue in range(1, settings.queues, 2):
                    space.counts[TURN + queue] -= BOOST


@part
def _put_back(
    space: Space, settings: Settings, label: int, state: int, queue: int, one: float, two: float
) -> bool:
    """Whether a label is not for expansion: hopeless, or others come first by what is known now."""
    first, second = space.way[label, 0], space.way[label, 1]
    first_left, second_left = space.estimate[state, 0], space.estimate[state, 1]
    if hopeless(settings, space.marks, first, second, first_left, second_left):
        space.status[label] = CLOSED
        return True
    new_one = first_key(settings, first, first_left)
    new_two = second_key(settings, second, second_left)
    if not before(one, two, new_one, new_two) or space.buckets.sizes[HEAPS + queue] == 0:
        return False
    if not before(
        space.buckets.heap_key[queue, 0, 0],
        space.buckets.heap_key[queue, 0, 1],
        new_one,
        new_two,
    ):
        return False
    push(space.buckets, queue, new_one, new_two, label, False)
    return True
