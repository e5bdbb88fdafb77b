# SPDX-License-Identifier: Apache-2.0
"""The best-first search itself: takes labels and makes their successors.

It stops after so much work and can be called again: everything it knows is in the space. What it
does never depends on where it was stopped.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.kernel import kernel, part
from fcp_ros.planning.search.buckets import TAKEN, push, rebuild_table
from fcp_ros.planning.search.choice import AGAIN, NOTHING, PROVEN, take
from fcp_ros.planning.search.evaluation import (
    Guides,
    first_key,
    rest,
    second_key,
)
from fcp_ros.planning.search.landmark_rows import first_row
from fcp_ros.planning.search.settings import Settings
from fcp_ros.planning.search.space import (
    CURRENT,
    EVALUATED,
    EXPANDED,
    FITTING,
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
    rehash,
    state_of,
)
from fcp_ros.planning.search.successors import (
    EMPTY,
    FULL,
    GOING,
    PAUSED,
    STOPPED,
    Problem,
    begin,
    step,
)


@kernel
def advance(
    problem: Problem, space: Space, settings: Settings, guides: Guides, work: int, effort: int
) -> int:
    """Searches on.

    Arguments:
        problem: what is searched.
        space: what the search knows.
        settings: how it is searched.
        guides: what the heuristics look at.
        work: successors to make before it pauses, where an evaluation counts as some more.
        effort: states that may have been expanded or evaluated in all before it pauses.

    Returns:
        PAUSED, FULL, SHORT, IMPROVED, STOPPED or EMPTY.
    """
    counts = space.counts
    counts[WORK] = work
    if counts[HASHED] < counts[STATES]:
        rehash(space.words, space.table, counts, problem.packing.factor)
        if counts[HASHED] < counts[STATES]:
            return PAUSED
    if counts[STALE] != 0:
        rebuild_table(space.buckets)
        counts[STALE] = 0
    if counts[LABELS] == 0:
        _start(problem, space, guides)
    if counts[SORTED] >= 0:
        status = _sort_again(space, settings)
        if status != GOING:
            return status
    while True:
        if counts[CURRENT] < 0:
            if counts[WORK] <= 0 or counts[EXPANDED] + counts[EVALUATED] >= effort:
                return PAUSED
            if not _roomy(space, settings):  # a label that is put back may need a key
                return FULL
            label = take(problem.packing, space, settings, guides)
            if label == AGAIN:
                continue
            if label == NOTHING:
                return EMPTY
            if label == PROVEN:
                return STOPPED
            begin(problem, space, settings, guides, label)
        while counts[POSITION] < counts[FITTING]:
            if counts[WORK] <= 0:
                return PAUSED
            if not _roomy(space, settings):
                return FULL
            status = step(problem, space, settings, guides)
            if status != GOING:
                return status
        counts[CURRENT] = -1


@part
def _start(problem: Problem, space: Space, guides: Guides) -> None:
    """Puts the initial state into an empty space; it is no goal."""
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
    state = state_of(space.words, space.table, space.counts, space.fresh, linear)
    if len(space.row) > 0:
        first_row(problem.task, guides.landmarks, space)
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
def _sort_again(space: Space, settings: Settings) -> int:
    """Puts the labels that wait into empty queues by new keys; PAUSED, FULL or GOING."""
    counts = space.counts
    while counts[SORTED] < counts[LABELS]:
        if counts[WORK] <= 0:
            return PAUSED
        if not _roomy(space, settings):
            return FULL
        label = counts[SORTED]
        counts[SORTED] += 1
        counts[WORK] -= 1
        if space.status[label] == OPEN:
            state, parent = space.link[label, STATE], space.link[label, PARENT]
            first_left, second_left = space.estimate[state, 0], space.estimate[state, 1]
            if not space.known[state] and parent >= 0:
                operator, source = space.link[label, OPERATOR], space.link[parent, STATE]
                first_left = rest(
                    space.estimate[source, 0], settings.first[operator], settings.first_maximum
                )
                second_left = rest(
                    space.estimate[source, 1], settings.second[operator], settings.second_maximum
                )
            one = first_key(settings, space.way[label, 0], first_left)
            two = second_key(settings, space.way[label, 1], second_left)
            push(space.buckets, 0, one, two, label, False)
    counts[SORTED] = -1
    return GOING


@part
def _roomy(space: Space, settings: Settings) -> bool:
    counts = space.counts
    if counts[LABELS] >= len(space.status) or 2 * counts[STATES] >= len(space.table):
        return False
    return int(space.buckets.sizes[TAKEN]) + settings.queues < len(space.buckets.key)
