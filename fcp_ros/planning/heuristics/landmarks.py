# SPDX-License-Identifier: Apache-2.0
"""Finding the facts that every plan must reach: landmarks of the delete relaxation.

A fact is a landmark of the relaxation exactly if the goal is out of reach without it. Only facts of
one relaxed plan can be landmarks, so only those are left out, one after the other: all of them are
found with one exploration for each fact of the plan, and no table over all facts as in Zhu and
Givan, "Landmark extraction via planning graph propagation", 2003.

What every action that may reach a landmark first needs, must hold just before it: the greedy-
necessary orders of Hoffmann, Porteous and Sebastia, "Ordered landmarks in planning", 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.task import Flags, Floats, Ints
from fcp_ros.planning.heuristics.exploration import MAXIMUM, explore, seed
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, workspace


class Landmarks(NamedTuple):
    """l landmarks; kernels take them as one argument.

    Attributes:
        var, val: variable and value of each landmark, int32[l].
        other: 1 where it is that the variable has another value, uint8[l].
        goal: 1 where the goal asks for it, uint8[l].
        after_start, after: landmarks that each landmark must hold just before; int32[l + 1], flat.
        own_start, own: the landmarks of each variable, int32[n + 1] and flat.
    """

    var: Ints
    val: Ints
    other: Flags
    goal: Flags
    after_start: Ints
    after: Ints
    own_start: Ints
    own: Ints


def _go_on() -> None:
    """Never interrupts."""


def find_landmarks(
    relaxed: RelaxedTask, state: Ints, check: Callable[[], None] = _go_on
) -> Landmarks:
    """The landmarks from a state: facts to be reached, and facts that others need just before.

    Arguments:
        relaxed: the relaxation; its weights only choose where to look first.
        state: value of each variable, int32[n].
        check: called between explorations; may raise to interrupt.

    Returns:
        The landmarks; what the goal asks for is among them. Only that where there is no plan.
    """
    goal = _needs(relaxed, len(relaxed.operator) - 1)
    found = dict.fromkeys(fact for fact in goal if fact < _countable(relaxed))
    before: dict[int, set[int]] = {}
    for fact, needs in _necessary(relaxed, state, check):
        found[fact] = None
        before[fact] = needs
    for needs in before.values():
        found.update(dict.fromkeys(sorted(needs)))
    return _as_arrays(relaxed, list(found), before, set(goal))


def no_landmarks() -> Landmarks:
    """For searches that don't look at landmarks."""
    none, flags = np.zeros(0, np.int32), np.zeros(0, np.uint8)
    return Landmarks(none, none, flags, flags, none, none, none, none)


def worth_of(landmarks: Landmarks, relaxed: RelaxedTask) -> Floats:
    """What each landmark weighs: the least weight of an operator that reaches it, float64[l].

    Infinite where none does: a state that needs such a landmark again is a dead end.
    """
    if len(landmarks.var) == 0:
        return np.zeros(0)
    least = np.full(len(relaxed.consumer_start) - 1, np.inf)
    weight = np.repeat(relaxed.weight[relaxed.operator], np.diff(relaxed.add_start))
    np.minimum.at(least, relaxed.add, weight)
    worth = np.empty(len(landmarks.var))
    for number, (var, val) in enumerate(zip(landmarks.var, landmarks.val, strict=True)):
        values = least[relaxed.offset[var] : relaxed.offset[var + 1]]
        others = np.delete(values, val) if landmarks.other[number] else values[val : val + 1]
        worth[number] = others.min(initial=np.inf)
    return worth


def words_of(landmarks: Landmarks) -> int:
    """Length of a row of bits, uint64, with one bit for each landmark."""
    return (len(landmarks.var) + 63) // 64


def _countable(relaxed: RelaxedTask) -> int:
    """Facts below this number speak of one value of a variable."""
    return int(relaxed.offset[-1]) + len(relaxed.other_val)


def _needs(relaxed: RelaxedTask, action: int) -> list[int]:
    needs: list[int] = relaxed.pre[
        relaxed.pre_start[action] : relaxed.pre_start[action + 1]
    ].tolist()
    return needs


def _necessary(
    relaxed: RelaxedTask, state: Ints, check: Callable[[], None]
) -> Iterator[tuple[int, set[int]]]:
    """Landmarks that don't hold yet, each with what must hold just before."""
    work = workspace(relaxed)
    if ff(relaxed, work, state) == np.inf:
        return
    on_plan = work.fact_mark == work.generation[0]
    on_plan[_countable(relaxed) :] = False
    for fact in np.flatnonzero(on_plan).tolist():
        check()
        count = seed(relaxed, work, state)
        work.value[fact] = -1.0  # nothing is cheaper, so it is never reached
        if explore(relaxed, work, relaxed.weight, count, MAXIMUM, True) == np.inf:
            yield fact, _just_before(relaxed, work, fact)


def _just_before(relaxed: RelaxedTask, work: Workspace, fact: int) -> set[int]:
    """What all actions need that can reach a fact without having it; after an exploration."""
    first, end = relaxed.achiever_start[fact], relaxed.achiever_start[fact + 1]
    actions = relaxed.achiever[first:end]
    common: set[int] | None = None
    for action in actions[work.missing[actions] == 0].tolist():
        needs = {need for need in _needs(relaxed, action) if need < _countable(relaxed)}
        common = needs if common is None else common & needs
        if not common:
            break
    return common or set()


def _as_arrays(
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
    after = [[i for i, fact in enumerate(facts) if own in before.get(fact, ())] for own in facts]
    return Landmarks(
        var,
        val.astype(np.int32),
        is_other.astype(np.uint8),
        np.array([fact in goal for fact in facts], np.uint8),
        np.cumsum([0, *map(len, after)]).astype(np.int32),
        np.array([i for row in after for i in row], np.int32),
        np.searchsorted(np.sort(var), np.arange(len(relaxed.offset))).astype(np.int32),
        np.argsort(var, kind="stable").astype(np.int32),
    )
