# SPDX-License-Identifier: Apache-2.0
"""The successors of a label: which operators fit, what each leads to, and whether to keep it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.kernel import part
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.search.buckets import push
from fcp_ros.planning.search.evaluation import (
    FIRST_KNOWN,
    SECOND_KNOWN,
    Guides,
    evaluate_state,
    first_key,
    hopeless,
    rest,
    second_key,
    total,
)
from fcp_ros.planning.search.labels import settle, spend
from fcp_ros.planning.search.landmark_rows import pass_on
from fcp_ros.planning.search.packing import Packing, scramble
from fcp_ros.planning.search.settings import AT_ONCE, MADE, Settings
from fcp_ros.planning.search.space import (
    BEST,
    CLOSED,
    CURRENT,
    DRAWN,
    EXPANDED,
    FITTING,
    GENERATED,
    INCUMBENT,
    LABELS,
    OPEN,
    OPERATOR,
    PARENT,
    POSITION,
    STATE,
    STATES,
    TOUCHED,
    WORK,
    Space,
    state_of,
)
from fcp_ros.planning.search.switch_tree import SwitchTree, fitting, forbidden

PAUSED, FULL, SHORT, IMPROVED, STOPPED, EMPTY, GOING = range(7)
"""Why the kernel came back: its work is done, there is no room for the next label, a resource was
short although resources don't count yet, a better plan was found, the rule to stop applies, nothing
is left. GOING: it does not come back yet."""


MANY = 1 << 17
"""Slots of a table that does not fit into the processor's nearest memory."""


class Problem(NamedTuple):
    """What is searched."""

    task: FlatTask
    packing: Packing
    tree: SwitchTree


@part
def begin(problem: Problem, space: Space, settings: Settings, guides: Guides, label: int) -> None:
    """Finds the operators that fit a label's state."""
    counts, tree = space.counts, problem.tree
    count = fitting(tree.nodes, tree.listed, tree.root, space.values, space.waiting, space.found)
    if settings.helps == 1:
        for index in range(count):
            space.helps[index] = guides.first_work.helpful[space.found[index]]
    elif settings.helps == 2:
        for index in range(count):
            space.helps[index] = guides.second_work.helpful[space.found[index]]
    linear = np.uint64(0)
    words = len(problem.packing.factor)
    state = space.link[label, STATE]
    for w in range(words):
        linear += space.words[state, w] * problem.packing.factor[w]
    space.fresh[words] = linear
    space.status[label] = CLOSED
    if len(space.table) >= MANY:
        _touch(problem, space, state, count)
    counts[CURRENT] = label
    counts[FITTING] = count
    counts[POSITION] = 0
    counts[EXPANDED] += 1
    if settings.seed != 0:
        counts[DRAWN] = (counts[DRAWN] * 6364136223846793005 + settings.seed) & 0x7FFFFFFFFFFFFFFF


@part
def _touch(problem: Problem, space: Space, state: int, count: int) -> None:
    """Looks at what the successors of a state will need, all at once.

    Each of them waits for memory in three places, one after the other; here the waits of different
    successors overlap. Conditions of effects are not looked at: a wrong guess does no harm.
    """
    task, packing = problem.task, problem.packing
    mask = len(space.table) - 1
    words = len(packing.factor)
    for index in range(count):
        operator = space.found[index]
        linear = space.fresh[words]
        for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
            w = packing.effect_word[effect]
            old = space.words[state, w]
            new = (old & packing.effect_keep[effect]) | packing.effect_set[effect]
            linear += (new - old) * packing.factor[w]
        space.slots[index] = np.int64(scramble(linear) & np.uint64(0x7FFFFFFF)) & mask
    touched = 0
    for index in range(count):
        value = space.table[space.slots[index]]
        if value != 0:
            other = (value & np.int64(0xFFFFFFFF)) - 1
            touched += np.int64(space.words[other, 0] & np.uint64(1)) + space.first[other]
            if space.way[other, 0] > 0.0:  # mostly the label has the number of its state
                touched += 1
    space.counts[TOUCHED] = touched


@part
def step(problem: Problem, space: Space, settings: Settings, guides: Guides) -> int:
    """Makes the next successor of the current label; GOING, SHORT, IMPROVED or STOPPED."""
    counts = space.counts
    parent = counts[CURRENT]
    index = counts[POSITION]
    counts[POSITION] += 1
    counts[WORK] -= 1
    if settings.seed != 0:
        index = (index + (counts[DRAWN] >> 33)) % counts[FITTING]
    operator = space.found[index]
    if not problem.tree.simple[operator] and forbidden(problem.task, space.values, operator):
        return GOING
    state = space.link[parent, STATE]
    one, two = settings.first[operator], settings.second[operator]
    first = total(space.way[parent, 0], one, settings.first_maximum)
    second = total(space.way[parent, 1], two, settings.second_maximum)
    first_left = second_left = 0.0
    if not settings.greedy:
        first_left, second_left = space.estimate[state, 0], space.estimate[state, 1]
        if settings.helps != 1 or space.helps[index]:
            first_left = rest(first_left, one, settings.first_maximum)
        if settings.helps != 2 or space.helps[index]:
            second_left = rest(second_left, two, settings.second_maximum)
    if hopeless(settings, space.marks, first, second, first_left, second_left):
        return GOING
    if len(space.amounts) > 0 and not spend(
        problem.task, space.way[parent], operator, space.amounts
    ):
        return GOING if settings.counting else SHORT
    child = _child(problem, space, settings, guides, operator, state)
    label = counts[LABELS]
    space.way[label, 0] = first
    space.way[label, 1] = second
    for resource in range(len(space.amounts)):
        space.way[label, 2 + resource] = space.amounts[resource]
    counts[GENERATED] += 1
    if not settle(
        space.first,
        space.link,
        space.status,
        space.way,
        child,
        label,
        settings.dominance,
        settings.direction,
        settings.counting,
    ):
        return GOING
    counts[LABELS] += 1
    space.link[label, STATE] = child
    space.link[label, PARENT] = parent
    space.link[label, OPERATOR] = operator
    space.status[label] = OPEN
    if _reached(problem, space):
        space.status[label] = CLOSED
        space.marks[BEST] = first
        space.marks[BEST + 1] = second
        counts[INCUMBENT] = label
        return STOPPED if settings.stop == AT_ONCE else IMPROVED
    if settings.greedy:
        _push_greedy(problem, space, settings, guides, label, state, index)
        return GOING
    if space.known[child]:
        if space.estimate[child, 0] == np.inf:
            space.status[label] = CLOSED
            return GOING
        if settings.first_admissible and not settings.first_maximum:
            space.estimate[child, 0] = max(space.estimate[child, 0], first_left)
        first_left, second_left = space.estimate[child, 0], space.estimate[child, 1]
        if hopeless(settings, space.marks, first, second, first_left, second_left):
            space.status[label] = CLOSED
            return GOING
    push(
        space.buckets,
        0,
        first_key(settings, first, first_left),
        second_key(settings, second, second_left),
        label,
        False,
    )
    return GOING


@part
def _child(
    problem: Problem,
    space: Space,
    settings: Settings,
    guides: Guides,
    operator: int,
    state: int,
) -> int:
    """The state after an operator."""
    task, packing = problem.task, problem.packing
    words = len(packing.factor)
    for w in range(words):
        space.fresh[w] = space.words[state, w]
    linear = space.fresh[words]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        happens = True
        for c in range(task.cond_start[effect], task.cond_start[effect + 1]):
            holds = space.values[task.cond_var[c]] == task.cond_val[c]
            if holds == (task.cond_neg[c] != 0):
                happens = False
                break
        if happens:
            w = packing.effect_word[effect]
            old = space.fresh[w]
            new = (old & packing.effect_keep[effect]) | packing.effect_set[effect]
            space.fresh[w] = new
            linear += (new - old) * packing.factor[w]
    before = space.counts[STATES]
    child = state_of(space.words, space.table, space.counts, space.fresh, linear)
    if child == before:
        space.first[child] = -1
        space.known[child] = 0
        space.estimate[child, 0] = 0.0
        space.estimate[child, 1] = 0.0
    if len(space.row) > 0 and pass_on(
        task, packing, guides.landmarks, space, state, operator, child, child == before
    ):
        if settings.first_kind == Kind.LANDMARK_COUNT:
            space.known[child] &= SECOND_KNOWN
        if settings.second_kind == Kind.LANDMARK_COUNT:
            space.known[child] &= FIRST_KNOWN
    return child


@part
def _reached(problem: Problem, space: Space) -> bool:
    """Whether the goal holds in `space.fresh`."""
    packing = problem.packing
    for w in range(len(packing.factor)):
        if space.fresh[w] & packing.goal_mask[w] != packing.goal_set[w]:
            return False
    return True


@part
def _push_greedy(
    problem: Problem,
    space: Space,
    settings: Settings,
    guides: Guides,
    label: int,
    parent: int,
    index: int,
) -> None:
    """Puts a label into the queues of a greedy search: by its own estimate, or by its parent's.

    Of equal ones the first heuristic takes the oldest, the second one the newest: one goes about
    in all directions, the other straight ahead, and together they are not led astray for long.
    """
    source = parent
    if settings.evaluation == MADE:
        source = space.link[label, STATE]
        known = space.known[source] == FIRST_KNOWN | SECOND_KNOWN
        if not known and settings.first_kind != Kind.BLIND:
            packing = problem.packing
            for v in range(len(space.after)):
                space.after[v] = (space.fresh[packing.word[v]] >> packing.shift[v]) & packing.mask[
                    v
                ]
            evaluate_state(space, settings, guides, source, space.after)
    if space.estimate[source, 0] == np.inf:
        space.status[label] = CLOSED
        return
    groups = 1 if settings.helps == 0 else 2
    for queue in range(0, settings.queues, groups):
        key = space.estimate[source, queue // groups]
        push(space.buckets, queue, key, space.way[label, 0], label, queue == 0)
        if settings.helps != 0 and space.helps[index]:
            push(space.buckets, queue + 1, key, space.way[label, 0], label, queue == 0)
