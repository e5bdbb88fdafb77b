# SPDX-License-Identifier: Apache-2.0
"""The loop of a best-first search: select a label, make its successors.

`advance` returns after a bounded amount of work and can be called again: everything it knows is in
the space, also in the middle of an expansion (CURRENT, POSITION, APPLICABLE). What it does never
depends on where it was stopped.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.search.kernel.bucket_queue import (
    HEAPS,
    IN_USE,
    is_before,
    pop,
    push,
    rebuild_table,
)
from fcp_ros.planning.search.kernel.evaluation import (
    FIRST_KNOWN,
    SECOND_KNOWN,
    HeuristicInputs,
    compute_first_key,
    compute_second_key,
    count_steps,
    evaluate_state,
    find_helpful_actions,
    is_hopeless,
    write_initial_row,
)
from fcp_ros.planning.search.kernel.packing import Packing
from fcp_ros.planning.search.kernel.space import (
    APPLICABLE,
    BEST,
    BOUND,
    CLOSED,
    CURRENT,
    CUT,
    EVALUATED,
    EXPANDED,
    HASHED,
    LABELS,
    LAYER,
    LEAST,
    NEARER,
    NEXT,
    OF_LAYER,
    OPEN,
    OPERATOR,
    PARENT,
    POSITION,
    STALE,
    STATE,
    STATES,
    TURN,
    WORK,
    Space,
    intern_state,
    rehash,
)
from fcp_ros.planning.search.kernel.successors import (
    EMPTY,
    FULL,
    GOING,
    PAUSED,
    STOPPED,
    PackedTask,
    begin_expansion,
    make_successor,
)
from fcp_ros.planning.search.settings import BY_KEY, LAZY, Settings


@kernel
def advance(
    problem: PackedTask,
    space: Space,
    settings: Settings,
    inputs: HeuristicInputs,
    # successors to make before it pauses; an evaluation counts as `settings.price` of them
    work: int,
    effort: int,  # states expanded or evaluated in all, since the space was made, before it pauses
) -> int:
    """Go on with a search.

    Returns:
        PAUSED, FULL, SHORT, IMPROVED, STOPPED or EMPTY; see `successors`.
    """
    counts = space.counts
    counts[WORK] = work
    # First finish what an enlargement has left behind; a call may pause in the middle of it. Until
    # then no state can be interned and no label pushed.
    if counts[HASHED] < counts[STATES]:
        rehash(space.words, space.table, counts, problem.packing.factor)
        if counts[HASHED] < counts[STATES]:
            return PAUSED
    if counts[STALE] != 0:
        rebuild_table(space.buckets)
        counts[STALE] = 0
    if counts[LABELS] == 0:
        _insert_initial_state(problem, space, inputs)
    # State machine: CURRENT < 0 means "choose a label"; else operators POSITION .. APPLICABLE - 1
    # of `found` have yet to be applied to CURRENT. Every return keeps that true, so that the next
    # call goes on exactly here.
    while True:
        if counts[CURRENT] < 0:
            if counts[WORK] <= 0 or counts[EXPANDED] + counts[EVALUATED] >= effort:
                return PAUSED
            if not _has_room(space, settings):  # a label that is queued again may need a key
                return FULL
            label = take_label(problem.packing, space, settings, inputs)
            if label == AGAIN:
                continue
            if label == NOTHING:
                return EMPTY
            if label == PROVEN:
                return STOPPED
            begin_expansion(problem, space, settings, inputs, label)
        while counts[POSITION] < counts[APPLICABLE]:
            if counts[WORK] <= 0:
                return PAUSED
            if not _has_room(space, settings):
                return FULL
            status = make_successor(problem, space, settings, inputs)
            if status != GOING:
                return status
        counts[CURRENT] = -1


@part
def _insert_initial_state(problem: PackedTask, space: Space, inputs: HeuristicInputs) -> None:
    """Put the initial state into an empty space; the caller has made sure that it is no goal."""
    words = len(problem.packing.factor)
    for w in range(words):
        space.fresh[w] = 0
    for v in range(len(problem.task.domain)):
        space.fresh[problem.packing.word[v]] |= (
            np.uint64(problem.task.initial[v]) << problem.packing.shift[v]
        )
    linear = np.uint64(0)
    for w in range(words):
        linear += space.fresh[w] * problem.packing.factor[w]
    state = intern_state(space.words, space.table, space.counts, space.fresh, linear)
    if len(space.row) > 0:
        write_initial_row(problem.task, inputs.landmarks, space)
    space.first[state] = 0
    space.known[state] = 0
    for place in range(2):
        space.estimate[state, place] = 0.0
        space.way[0, place] = 0.0
    for resource in range(len(problem.task.amount)):
        space.way[0, 2 + resource] = problem.task.amount[resource]
    space.link[0, STATE] = state
    space.link[0, PARENT] = -1
    space.link[0, OPERATOR] = -1
    space.link[0, NEXT] = -1
    space.status[0] = OPEN
    space.counts[LABELS] = 1
    push(space.buckets, 0, 0.0, 0.0, 0, False)


@part
def _has_room(space: Space, settings: Settings) -> bool:
    """Return True if one more label, one more state and a key in each queue fit."""
    counts = space.counts
    if counts[LABELS] >= len(space.status) or 2 * counts[STATES] >= len(space.table):
        return False
    return int(space.buckets.sizes[IN_USE]) + settings.queues < len(space.buckets.key)


# --- selection of the label to expand next


NOTHING, PROVEN, AGAIN = -1, -2, -3
"""Instead of a label: all queues are empty, no label precedes the best plan, or the label taken was
not for expansion (take another one)."""
PATIENCE = 30
"""Layers, and one for each label in them, after which a beam is given up."""
BOOST = 1000
"""Turns that helpful actions get for each new least estimate (Richter and Westphal 2010)."""


@part
def take_label(packing: Packing, space: Space, settings: Settings, inputs: HeuristicInputs) -> int:
    """Take the first label out of a queue and write its state to `space.values`.

    Returns:
        The label, if it is ready for expansion; else NOTHING, PROVEN or AGAIN.
    """
    queue = _choose_queue(space, settings)
    if queue < 0:
        return NOTHING
    one = space.buckets.heap_key[queue, 0, 0]
    two = space.buckets.heap_key[queue, 0, 1]
    # A key never exceeds the value of a plan through its label, and this is the least key: if it
    # does not precede the best plan, no other label does.
    if settings.stop == BY_KEY and not is_before(
        one, two, space.marks[BEST], space.marks[BEST + 1]
    ):
        return PROVEN
    # With admissible estimates the least key bounds all plans still to be found. Keys may fall
    # again where a heuristic is inconsistent; the bound must not.
    if not settings.greedy and one > space.marks[BOUND]:
        space.marks[BOUND] = one
    label = pop(space.buckets, queue)
    space.counts[WORK] -= 1
    # A label that was dominated, or expanded from another queue, is only dropped here: taking it
    # out of the middle of a chain would cost a search for it.
    if space.status[label] != OPEN:
        return AGAIN
    state = space.link[label, STATE]
    for v in range(len(space.values)):
        space.values[v] = (space.words[state, packing.word[v]] >> packing.shift[v]) & packing.mask[
            v
        ]
    space.counts[OF_LAYER] += 1
    if settings.first_code == HeuristicCode.BLIND and settings.second_code == HeuristicCode.BLIND:
        return label
    known = space.known[state]
    if known != FIRST_KNOWN | SECOND_KNOWN:
        evaluate_state(space, settings, inputs, state, space.values)
    if space.estimate[state, 0] == np.inf:
        space.status[label] = CLOSED
        return AGAIN
    if settings.greedy:
        _reward_progress(space, settings, state)
    elif settings.width > 0:
        _note_progress(space, settings, state)
    elif settings.evaluation != LAZY and _put_back(space, settings, label, state, queue, one, two):
        return AGAIN
    # The estimate was known from an earlier label, so the workspace holds another state's actions.
    if known & settings.helps != 0:
        find_helpful_actions(settings, inputs, space.values)
        space.counts[WORK] -= settings.price
    return label


@part
def _choose_queue(space: Space, settings: Settings) -> int:
    """Choose the queue with the fewest turns so far that is not empty; -1 if all are empty."""
    sizes, counts = space.buckets.sizes, space.counts
    if settings.width > 0:
        return _choose_layer(space, settings)
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
def _choose_layer(space: Space, settings: Settings) -> int:
    """Return the queue of the layer at hand; go on to the next layer when enough are expanded.

    Two queues take turns: one holds the rest of a layer, the other one its successors. A beam that
    has come no nearer to the goal for long is given up; the wider, the longer that is.
    """
    sizes, counts = space.buckets.sizes, space.counts
    queue = counts[LAYER] & 1
    if sizes[HEAPS + queue] > 0 and counts[OF_LAYER] < settings.width:
        return int(queue)
    counts[LAYER] += 1
    counts[OF_LAYER] = 0
    lost = counts[LAYER] - counts[NEARER] > PATIENCE + settings.width
    for other in range(2):
        while sizes[HEAPS + other] > 0 and (lost or other == queue):
            counts[CUT] = 1
            pop(space.buckets, other)
    return int(1 - queue) if sizes[HEAPS + 1 - queue] > 0 else -1


@part
def _reward_progress(space: Space, settings: Settings, state: int) -> None:
    """Give the queues of helpful actions more turns for a new least estimate of a heuristic."""
    groups = 1 if settings.helps == 0 else 2
    for place in range(settings.queues // groups):
        if space.estimate[state, place] < space.marks[LEAST + place]:
            space.marks[LEAST + place] = space.estimate[state, place]
            if settings.helps != 0:
                for queue in range(1, settings.queues, 2):
                    space.counts[TURN + queue] -= BOOST


@part
def _note_progress(space: Space, settings: Settings, state: int) -> None:
    """Note the layer of a beam search that comes nearer to the goal, in steps where they count."""
    left = count_steps(settings, space.estimate[state, 0])
    if left < space.marks[LEAST]:
        space.marks[LEAST] = left
        space.counts[NEARER] = space.counts[LAYER]


@part
def _put_back(
    space: Space, settings: Settings, label: int, state: int, queue: int, one: float, two: float
) -> bool:
    """Close a hopeless label, or queue it again if its new key is behind that of another label.

    Returns:
        False if the label is ready for expansion.
    """
    first, second = space.way[label, 0], space.way[label, 1]
    first_left, second_left = space.estimate[state, 0], space.estimate[state, 1]
    if is_hopeless(settings, space.marks, first, second, first_left, second_left):
        space.status[label] = CLOSED
        return True
    new_one = compute_first_key(settings, first, first_left)
    new_two = compute_second_key(settings, second, second_left)
    # The key was a guess from the parent. The label stays in turn if the guess was right, or if its
    # new key still precedes that of every other label.
    if not is_before(one, two, new_one, new_two) or space.buckets.sizes[HEAPS + queue] == 0:
        return False
    if not is_before(
        space.buckets.heap_key[queue, 0, 0], space.buckets.heap_key[queue, 0, 1], new_one, new_two
    ):
        return False
    push(space.buckets, queue, new_one, new_two, label, False)
    return True
