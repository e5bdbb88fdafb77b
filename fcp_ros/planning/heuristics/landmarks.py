# SPDX-License-Identifier: Apache-2.0
"""Landmarks: facts that every plan reaches, found in the delete relaxation, and their count.

A fact is a landmark of the relaxation exactly if the goal is out of reach without it. Only facts of
one relaxed plan can be landmarks, so only those are left out, one after the other: all of them are
found with one exploration for each fact of the plan, and no table over all facts as in Zhu and
Givan, "Landmark extraction via planning graph propagation", 2003.

Facts that every action needs that may reach a landmark first hold just before it: the greedy-
necessary orders of Hoffmann, Porteous and Sebastia, "Ordered landmarks in planning", 2004.

The landmark count is that of Richter and Westphal, "The LAMA planner", 2010: a search keeps a row
of bits for each state, the landmarks reached on the path to it. Not admissible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import Flags, Floats, Ints
from fcp_ros.planning.heuristics.exploration import MAXIMUM, explore, ff, seed
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, make_workspace

Row = NDArray[np.uint64]
"""A bit for each landmark, uint64[w]; landmark k is bit `k & 63` of word `k >> 6`."""


class Landmarks(NamedTuple):
    """l landmarks of a task of n variables; kernels take them as one argument.

    Attributes:
        var, val: variable and value of each landmark, int32[l].
        after_start, after: for each landmark, those just before which it must hold, int32[l +
            1] and flat.
        own_start, own: the landmarks of each variable, int32[n + 1] and flat.
    """

    var: Ints
    val: Ints
    other: Flags  # 1 if the landmark is that the variable has another value than that, uint8[l]
    goal: Flags  # 1 if the goal asks for it, uint8[l]
    after_start: Ints
    after: Ints
    own_start: Ints
    own: Ints


# --- finding


def find_landmarks(relaxed: RelaxedTask, state: Ints, check: Check = never_stop) -> Landmarks:
    """Find the landmarks from a state, and the facts that others need just before.

    Returns:
        The landmarks, the facts of the goal among them; only those if there is no plan.
    """
    goal = _list_needs(relaxed, len(relaxed.operator) - 1)
    found = dict.fromkeys(fact for fact in goal if fact < _count_value_facts(relaxed))
    before: dict[int, set[int]] = {}
    for fact, needs in _find_necessary(relaxed, state, check):
        found[fact] = None
        before[fact] = needs
    for needs in before.values():
        found.update(dict.fromkeys(sorted(needs)))
    return _to_arrays(relaxed, list(found), before, set(goal))


def make_no_landmarks() -> Landmarks:
    """Make the empty set of landmarks, for searches that count none."""
    none, flags = np.zeros(0, np.int32), np.zeros(0, np.uint8)
    return Landmarks(none, none, flags, flags, none, none, none, none)


def find_worth(landmarks: Landmarks, relaxed: RelaxedTask) -> Floats:
    """Find the least weight of an operator that reaches each landmark, float64[l].

    Infinite if no operator does: a state that needs such a landmark again is a dead end. What
    follows by an axiom is worth as much as the cheapest operator, some of which it follows from.
    """
    if len(landmarks.var) == 0:
        return np.zeros(0)
    least = np.full(len(relaxed.consumer_start) - 1, np.inf)
    weight = relaxed.weight.copy()
    weight[-1] = weight[weight > 0.0].min(initial=np.inf) if weight.any() else 0.0
    weight = np.repeat(weight[relaxed.operator], np.diff(relaxed.add_start))
    np.minimum.at(least, relaxed.add, weight)
    worth = np.empty(len(landmarks.var))
    for number, (var, val) in enumerate(zip(landmarks.var, landmarks.val, strict=True)):
        values = least[relaxed.offset[var] : relaxed.offset[var + 1]]
        others = np.delete(values, val) if landmarks.other[number] else values[val : val + 1]
        worth[number] = others.min(initial=np.inf)
    return worth


def count_words(landmarks: Landmarks) -> int:
    """Count the words of a row with one bit for each landmark."""
    return (len(landmarks.var) + 63) // 64


def _count_value_facts(relaxed: RelaxedTask) -> int:
    """Count the facts that speak of one value of a variable; they come first."""
    return int(relaxed.offset[-1]) + len(relaxed.other_val)


def _list_needs(relaxed: RelaxedTask, action: int) -> list[int]:
    needs: list[int] = relaxed.pre[
        relaxed.pre_start[action] : relaxed.pre_start[action + 1]
    ].tolist()
    return needs


def _find_necessary(
    relaxed: RelaxedTask, state: Ints, check: Check
) -> Iterator[tuple[int, set[int]]]:
    """Yield the landmarks that do not hold yet, each with the facts that must hold just before."""
    work = make_workspace(relaxed)
    if ff(relaxed, work, state) == np.inf:
        return
    on_plan = work.fact_mark == work.generation[0]
    on_plan[_count_value_facts(relaxed) :] = False
    for fact in np.flatnonzero(on_plan).tolist():
        check()
        count = seed(relaxed, work, state)
        work.value[fact] = -1.0  # nothing is cheaper, so it is never reached
        if explore(relaxed, work, relaxed.weight, count, MAXIMUM, True) == np.inf:
            yield fact, _find_just_before(relaxed, work, fact)


def _find_just_before(relaxed: RelaxedTask, work: Workspace, fact: int) -> set[int]:
    """Find the common needs of the actions that can reach a fact first, after `explore`."""
    first, end = relaxed.achiever_start[fact], relaxed.achiever_start[fact + 1]
    actions = relaxed.achiever[first:end]
    common: set[int] | None = None
    for action in actions[work.missing[actions] == 0].tolist():
        needs = {
            need for need in _list_needs(relaxed, action) if need < _count_value_facts(relaxed)
        }
        common = needs if common is None else common & needs
        if not common:
            break
    return common or set()


def _to_arrays(
    relaxed: RelaxedTask, facts: list[int], before: dict[int, set[int]], goal: set[int]
) -> Landmarks:
    values = int(relaxed.offset[-1])
    number = np.array(facts, np.int64)
    is_other = number >= values
    other_var = np.searchsorted(relaxed.other_start, number - values, side="right") - 1
    var = np.where(
        is_other, other_var, np.searchsorted(relaxed.offset, number, side="right") - 1
    ).astype(np.int32)
    val = number - relaxed.offset[var]
    val[is_other] = relaxed.other_val[number[is_other] - values]
    after: dict[int, list[int]] = {fact: [] for fact in facts}
    for i, fact in enumerate(facts):
        for need in before.get(fact, ()):
            after[need].append(i)
    return Landmarks(
        var,
        val.astype(np.int32),
        is_other.astype(np.uint8),
        np.array([fact in goal for fact in facts], np.uint8),
        np.cumsum([0, *map(len, after.values())]).astype(np.int32),
        np.array([i for row in after.values() for i in row], np.int32),
        np.searchsorted(np.sort(var), np.arange(len(relaxed.offset))).astype(np.int32),
        np.argsort(var, kind="stable").astype(np.int32),
    )


# --- tracking and counting


@kernel
def track_landmarks(landmarks: Landmarks, parent_row: Row, state: Ints, out_row: Row) -> None:
    """Write the landmarks reached on the path to a state, the state included.

    Args:
        parent_row: those reached on the path to the state before, uint64[w]; zeros for the first.
        out_row: receives the result, uint64[w]; may be `parent_row`.
    """
    for word in range(len(out_row)):
        out_row[word] = parent_row[word]
    for number in range(len(landmarks.var)):
        if _holds(landmarks, number, state):
            out_row[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@kernel
def count_landmarks(landmarks: Landmarks, worth: Floats, row: Row, state: Ints) -> float:
    """Sum up the worth of the landmarks ahead of a state.

    A landmark is ahead if it was not reached yet, or if it was, does not hold any more, and is
    needed again: by the goal, or just before a landmark that was not reached yet. If all landmarks
    are worth more than 0, the sum is 0 only at the goal.

    Args:
        worth: of each landmark, float64[l], see `find_worth`; all 1 to count them.
        row: those reached on the path to the state, uint64[w].
    """
    ahead = 0.0
    for number in range(len(landmarks.var)):
        if not is_reached(row, number):
            ahead += worth[number]
        elif not _holds(landmarks, number, state):
            again = landmarks.goal[number] == 1
            for k in range(landmarks.after_start[number], landmarks.after_start[number + 1]):
                again |= not is_reached(row, landmarks.after[k])
            if again:
                ahead += worth[number]
    return ahead


@part
def _holds(landmarks: Landmarks, number: int, state: Ints) -> bool:
    equal = state[landmarks.var[number]] == landmarks.val[number]
    return bool(equal != (landmarks.other[number] == 1))


@part
def is_reached(row: Row, number: int) -> bool:
    """Return True if a landmark was reached on the path to a state with a row."""
    return bool((row[number >> 6] >> np.uint64(number & 63)) & np.uint64(1))
