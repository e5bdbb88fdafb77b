# SPDX-License-Identifier: Apache-2.0
"""The loop of a best-first search: take a label, make its successors.

`advance` returns after a bounded amount of work and can be called again: everything it knows is in
the space, also in the middle of an expansion (CURRENT, POSITION, APPLICABLE). What it does never
depends on where it was stopped.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.search.kernel.bucket_queue import IN_USE, push, rebuild_table
from fcp_ros.planning.search.kernel.evaluation import (
    HeuristicInputs,
    compute_first_key,
    compute_second_key,
    pass_estimate,
    write_initial_row,
)
from fcp_ros.planning.search.kernel.selection import AGAIN, NOTHING, PROVEN, take_label
from fcp_ros.planning.search.kernel.space import (
    APPLICABLE,
    CURRENT,
    EVALUATED,
    EXPANDED,
    HASHED,
    LABELS,
    NEXT,
    OPEN,
    OPERATOR,
    PARENT,
    POSITION,
    SORTED,
    STALE,
    STATE,
    STATES,
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
from fcp_ros.planning.search.settings import Settings


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
    if counts[SORTED] >= 0:
        status = _requeue_labels(space, settings)
        if status != GOING:
            return status
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
def _requeue_labels(space: Space, settings: Settings) -> int:
    """Put the open labels into empty queues by new keys, after the weight has changed."""
    counts = space.counts
    while counts[SORTED] < counts[LABELS]:
        if counts[WORK] <= 0:
            return PAUSED
        if not _has_room(space, settings):
            return FULL
        label = counts[SORTED]
        counts[SORTED] += 1
        counts[WORK] -= 1
        # Labels from SORTED on are in no queue. Dead and closed ones are left out for good.
        if space.status[label] == OPEN:
            state, parent = space.link[label, STATE], space.link[label, PARENT]
            first_left, second_left = space.estimate[state, 0], space.estimate[state, 1]
            if not space.known[state] and parent >= 0:
                operator, source = space.link[label, OPERATOR], space.link[parent, STATE]
                first_left = pass_estimate(
                    space.estimate[source, 0], settings.first[operator], settings.first_maximum
                )
                second_left = pass_estimate(
                    space.estimate[source, 1], settings.second[operator], settings.second_maximum
                )
            one = compute_first_key(settings, space.way[label, 0], first_left)
            two = compute_second_key(settings, space.way[label, 1], second_left)
            push(space.buckets, 0, one, two, label, False)
    counts[SORTED] = -1
    return GOING


@part
def _has_room(space: Space, settings: Settings) -> bool:
    """Return True if one more label, one more state and a key in each queue fit."""
    counts = space.counts
    if counts[LABELS] >= len(space.status) or 2 * counts[STATES] >= len(space.table):
        return False
    return int(space.buckets.sizes[IN_USE]) + settings.queues < len(space.buckets.key)
