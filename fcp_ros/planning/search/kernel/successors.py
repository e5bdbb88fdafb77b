# SPDX-License-Identifier: Apache-2.0
"""The successors of a label: new states, and the labels on them that are worth keeping."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.jit import part
from fcp_ros.planning.flat.task import FlatTask, derive_values
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.heuristics.landmarks import Landmarks, Row, is_reached
from fcp_ros.planning.search.kernel.bucket_queue import push
from fcp_ros.planning.search.kernel.dominance import insert_label, outdo, spend_resources
from fcp_ros.planning.search.kernel.evaluation import (
    FIRST_KNOWN,
    SECOND_KNOWN,
    HeuristicInputs,
    add_weight,
    compute_first_key,
    compute_second_key,
    evaluate_state,
    is_hopeless,
    pass_estimate,
    write_successor_row,
)
from fcp_ros.planning.search.kernel.packing import Packing, mix_hash
from fcp_ros.planning.search.kernel.space import (
    APPLICABLE,
    BEST,
    CLOSED,
    CURRENT,
    DRAWN,
    EXPANDED,
    GENERATED,
    INCUMBENT,
    LABELS,
    LAYER,
    OPEN,
    OPERATOR,
    PARENT,
    POSITION,
    STATE,
    STATES,
    TOUCHED,
    WORK,
    Space,
    intern_state,
)
from fcp_ros.planning.search.kernel.switch_tree import SwitchTree, find_applicable, is_forbidden
from fcp_ros.planning.search.settings import AT_ONCE, MADE, Settings

PAUSED, FULL, SHORT, IMPROVED, STOPPED, EMPTY, GOING = range(7)
"""The reason why the kernel returned: the slice is used up, there is no room for the next label, a
resource was short although resources do not count yet, a better plan was found, the rule to stop
applies, no label is left. GOING: it does not return yet."""

MANY = 1 << 17
"""Slots of a table that does not fit into the processor's second-level cache."""


class PackedTask(NamedTuple):
    """A task with the arrays that the kernel derives from it."""

    task: FlatTask
    packing: Packing
    tree: SwitchTree


@part
def begin_expansion(
    problem: PackedTask, space: Space, settings: Settings, inputs: HeuristicInputs, label: int
) -> None:
    """Begin the expansion of a label: find the operators applicable in its state.

    Writes `found`, `helps`, the linear hash in `fresh[W]`, CURRENT, APPLICABLE and POSITION for
    `make_successor`; the state's values are in `values` already.
    """
    counts, tree = space.counts, problem.tree
    count = find_applicable(
        tree.nodes, tree.listed, tree.root, space.values, space.waiting, space.found
    )
    if settings.helps == 1:
        for index in range(count):
            space.helps[index] = inputs.first_work.helpful[space.found[index]]
    elif settings.helps == 2:
        for index in range(count):
            space.helps[index] = inputs.second_work.helpful[space.found[index]]
    state = space.link[label, STATE]
    if settings.helps != 0 and len(space.row) > 0:
        for index in range(count):
            if space.helps[index] == 0:
                space.helps[index] = _reaches_landmark(
                    problem.task, inputs.landmarks, space.rows[state], space.found[index]
                )
    linear = np.uint64(0)
    words = len(problem.packing.factor)
    for w in range(words):
        linear += space.words[state, w] * problem.packing.factor[w]
    space.fresh[words] = linear
    space.status[label] = CLOSED
    if settings.greedy:
        outdo(
            space.first,
            space.link,
            space.status,
            space.way,
            state,
            label,
            settings.dominance,
            settings.direction,
            settings.counting,
        )
    if len(space.table) >= MANY:
        _prefetch_successors(problem, space, state, count)
    counts[CURRENT] = label
    counts[APPLICABLE] = count
    counts[POSITION] = 0
    counts[EXPANDED] += 1
    if settings.seed != 0:
        counts[DRAWN] = (counts[DRAWN] * 6364136223846793005 + settings.seed) & 0x7FFFFFFFFFFFFFFF


@part
def _reaches_landmark(task: FlatTask, landmarks: Landmarks, row: Row, operator: int) -> bool:
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        var, val = task.eff_var[effect], task.eff_val[effect]
        for k in range(landmarks.own_start[var], landmarks.own_start[var + 1]):
            number = landmarks.own[k]
            equal = val == landmarks.val[number]
            if equal != (landmarks.other[number] == 1) and not is_reached(row, number):
                return True
    return False


@part
def _prefetch_successors(problem: PackedTask, space: Space, state: int, count: int) -> None:
    """Read the memory that the successors of a state will need, so that cache misses overlap.

    Each successor waits for memory in three places, one after the other. Conditions of effects are
    ignored: a wrong guess does no harm. The sum in TOUCHED keeps the compiler from dropping the
    reads.
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
        space.slots[index] = np.int64(mix_hash(linear) & np.uint64(0x7FFFFFFF)) & mask
    touched = 0
    for index in range(count):
        value = space.table[space.slots[index]]
        if value != 0:
            other = (value & np.int64(0xFFFFFFFF)) - 1
            touched += np.int64(space.words[other, 0] & np.uint64(1)) + space.first[other]
            if space.way[other, 0] > 0.0:  # mostly the first label has the number of its state
                touched += 1
    space.counts[TOUCHED] = touched


@part
def make_successor(
    problem: PackedTask, space: Space, settings: Settings, inputs: HeuristicInputs
) -> int:
    """Make the next successor of the current label."""
    counts = space.counts
    parent = counts[CURRENT]
    index = counts[POSITION]
    counts[POSITION] += 1
    counts[WORK] -= 1
    if settings.seed != 0:
        index = (index + (counts[DRAWN] >> 33)) % counts[APPLICABLE]
    operator = space.found[index]
    if not problem.tree.simple[operator] and is_forbidden(problem.task, space.values, operator):
        return GOING
    state = space.link[parent, STATE]
    one, two = settings.first[operator], settings.second[operator]
    first = add_weight(space.way[parent, 0], one, settings.first_maximum)
    second = add_weight(space.way[parent, 1], two, settings.second_maximum)
    first_left = second_left = 0.0
    if not settings.greedy:
        first_left, second_left = space.estimate[state, 0], space.estimate[state, 1]
        if settings.helps != 1 or space.helps[index]:
            first_left = pass_estimate(first_left, one, settings.first_maximum)
        if settings.helps != 2 or space.helps[index]:
            second_left = pass_estimate(second_left, two, settings.second_maximum)
    # Value and estimate of the parent bound every plan through it, so also those through this
    # successor: many successors are dropped here before they are made.
    if is_hopeless(settings, space.marks, first, second, first_left, second_left):
        return GOING
    if len(space.amounts) > 0 and not spend_resources(
        problem.task, space.way[parent], operator, space.amounts
    ):
        return GOING if settings.counting else SHORT
    # From here on `fresh` holds the successor. The label is written behind the last one,
    # and counts only when LABELS grows: a dominated one is overwritten by the next.
    child = _apply_operator(problem, space, settings, inputs, operator, state)
    label = counts[LABELS]
    space.way[label, 0] = first
    space.way[label, 1] = second
    for resource in range(len(space.amounts)):
        space.way[label, 2 + resource] = space.amounts[resource]
    counts[GENERATED] += 1
    if not insert_label(
        space.first,
        space.link,
        space.status,
        space.way,
        child,
        label,
        settings.dominance,
        settings.direction,
        settings.counting,
        settings.greedy,
    ):
        return GOING
    counts[LABELS] += 1
    space.link[label, STATE] = child
    space.link[label, PARENT] = parent
    space.link[label, OPERATOR] = operator
    space.status[label] = OPEN
    # It is better than the best plan so far, or it would have been hopeless above (BEST is part of
    # that check); so the incumbent only improves.
    if _is_goal(problem, space):
        space.status[label] = CLOSED
        space.marks[BEST] = first
        space.marks[BEST + 1] = second
        counts[INCUMBENT] = label
        return STOPPED if settings.stop == AT_ONCE else IMPROVED
    if settings.greedy:
        _push_greedy(space, settings, label, state, index)
        return GOING
    _push_by_bound(problem, space, settings, inputs, label, first_left, second_left)
    return GOING


@part
def _apply_operator(
    problem: PackedTask,
    space: Space,
    settings: Settings,
    inputs: HeuristicInputs,
    operator: int,
    state: int,
) -> int:
    """Apply an operator to a state: write the successor to `space.fresh` and intern it."""
    task, packing = problem.task, problem.packing
    words = len(packing.factor)
    for w in range(words):
        space.fresh[w] = space.words[state, w]
    linear = space.fresh[words]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        # Conditions look at the state before the operator (`values`), never at `fresh`. Effects are
        # written in order: the last one on a variable wins.
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
    if len(task.axioms.head) > 0:
        linear += _derive_successor(problem, space)
    before = space.counts[STATES]
    child = intern_state(space.words, space.table, space.counts, space.fresh, linear)
    if child == before:
        space.first[child] = -1
        space.known[child] = 0
        space.estimate[child, 0] = 0.0
        space.estimate[child, 1] = 0.0
    if len(space.row) > 0 and write_successor_row(
        task, packing, inputs.landmarks, space, state, operator, child, child == before
    ):
        # More landmarks may lie ahead now: forget the estimate, so that it is made again.
        if settings.first_code == HeuristicCode.LANDMARK_COUNT:
            space.known[child] &= SECOND_KNOWN
        if settings.second_code == HeuristicCode.LANDMARK_COUNT:
            space.known[child] &= FIRST_KNOWN
    return child


@part
def _derive_successor(problem: PackedTask, space: Space) -> int:
    """Set the derived variables of the successor in `space.fresh`; return its hash's change."""
    packing, axioms = problem.packing, problem.task.axioms
    _unpack_successor(packing, space)
    derive_values(axioms, space.axioms, space.after)
    change = np.uint64(0)
    for d in range(len(axioms.derived)):
        var = axioms.derived[d]
        w, shift = packing.word[var], packing.shift[var]
        old = space.fresh[w]
        new = (old & ~(packing.mask[var] << shift)) | (np.uint64(space.after[var]) << shift)
        space.fresh[w] = new
        change += (new - old) * packing.factor[w]
    return change  # type: ignore[no-any-return]


@part
def _is_goal(problem: PackedTask, space: Space) -> bool:
    """Return True if the goal holds in `space.fresh`."""
    packing = problem.packing
    for w in range(len(packing.factor)):
        if space.fresh[w] & packing.goal_mask[w] != packing.goal_set[w]:
            return False
    return True


@part
def _unpack_successor(packing: Packing, space: Space) -> None:
    """Write the values of the successor in `space.fresh` to `space.after`."""
    for v in range(len(space.after)):
        space.after[v] = (space.fresh[packing.word[v]] >> packing.shift[v]) & packing.mask[v]


@part
def _push_by_bound(
    problem: PackedTask,
    space: Space,
    settings: Settings,
    inputs: HeuristicInputs,
    label: int,
    first_left: float,
    second_left: float,
) -> None:
    """Put a label into the queue of a search by bounds, unless its own estimate rules it out.

    Args:
        first_left, second_left: bounds of what is left, by the parent's estimate.
    """
    first, second, child = space.way[label, 0], space.way[label, 1], space.link[label, STATE]
    if settings.evaluation == MADE:
        _unpack_successor(problem.packing, space)
        evaluate_state(space, settings, inputs, child, space.after)
    if space.known[child]:
        if space.estimate[child, 0] == np.inf:
            space.status[label] = CLOSED
            return
        # Pathmax (Mero 1984): the estimate of a state may be raised to the bound that its parent
        # implies. Both bound every plan from here, so the larger one does.
        if settings.first_admissible and not settings.first_maximum:
            space.estimate[child, 0] = max(space.estimate[child, 0], first_left)
        first_left, second_left = space.estimate[child, 0], space.estimate[child, 1]
        if is_hopeless(settings, space.marks, first, second, first_left, second_left):
            space.status[label] = CLOSED
            return
    push(
        space.buckets,
        0 if settings.width == 0 else (space.counts[LAYER] + 1) & 1,
        compute_first_key(settings, first, first_left),
        compute_second_key(settings, second, second_left),
        label,
        False,
    )


@part
def _push_greedy(space: Space, settings: Settings, label: int, parent: int, index: int) -> None:
    """Put a label into the queues of a greedy search, by the estimate of its parent.

    Of labels with equal keys, the first heuristic takes the oldest, the second one the newest: one
    proceeds in all directions, the other straight ahead, so neither is misled for long.
    """
    groups = 1 if settings.helps == 0 else 2
    for queue in range(0, settings.queues, groups):
        key = space.estimate[parent, queue // groups]
        push(space.buckets, queue, key, space.way[label, 0], label, queue == 0)
        if settings.helps != 0 and space.helps[index]:
            push(space.buckets, queue + 1, key, space.way[label, 0], label, queue == 0)
