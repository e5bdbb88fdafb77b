# SPDX-License-Identifier: Apache-2.0
"""Heuristic values of states, their landmark rows, and the keys that labels get from them.

A landmark that was missed on one path to a state lies ahead of it, whatever other paths have
passed: every plan reaches it. So a state that is reached again keeps only the landmarks that all
paths to it have in common (Richter and Westphal, "The LAMA planner", 2010, section 4.3). The loss
of a landmark is not passed on to states generated before; what they keep stays true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.jit import part
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import HeuristicCode, evaluate
from fcp_ros.planning.heuristics.landmarks import Landmarks, count_landmarks, track_landmarks
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace
from fcp_ros.planning.search.kernel.packing import Packing
from fcp_ros.planning.search.kernel.space import BEST, EVALUATED, WORK, Space
from fcp_ros.planning.search.settings import Settings

FIRST_KNOWN, SECOND_KNOWN = 1, 2
"""Bits of `known`; the same numbers as in `Settings.helps`."""
ROW_WORD = 64
"""A landmark count of this many landmarks takes about as long as making one successor."""


class HeuristicInputs(NamedTuple):
    """The arrays that the two heuristics of a search read, with scratch memory of its own.

    Attributes:
        first, second: relaxations, weighted by the two criteria.
        first_worth, second_worth: the weight of each landmark in each criterion, float64[l].
    """

    first: RelaxedTask
    first_work: Workspace
    second: RelaxedTask
    second_work: Workspace
    landmarks: Landmarks  # the landmarks from the initial state; none if no heuristic counts them
    first_worth: Floats
    second_worth: Floats


@part
def evaluate_state(
    space: Space, settings: Settings, inputs: HeuristicInputs, state: int, values: Ints
) -> None:
    """Compute the estimates of a state that are not known yet; one infinite estimate is enough.

    A dead end of the second heuristic makes the first estimate infinite as well, so that only that
    one need be looked at.
    """
    known = space.known[state]
    if settings.first_code == HeuristicCode.LANDMARK_COUNT:
        if not known & FIRST_KNOWN:
            space.estimate[state, 0] = count_landmarks(
                inputs.landmarks, inputs.first_worth, space.rows[state], values
            )
            space.counts[WORK] -= 1 + len(inputs.first_worth) // ROW_WORD
    elif settings.first_code != HeuristicCode.BLIND and not known & FIRST_KNOWN:
        space.estimate[state, 0] = evaluate(
            settings.first_code, inputs.first, inputs.first_work, values
        )
        space.counts[EVALUATED] += 1
        space.counts[WORK] -= settings.price
    if settings.second_code == HeuristicCode.LANDMARK_COUNT:
        if not known & SECOND_KNOWN:
            space.estimate[state, 1] = count_landmarks(
                inputs.landmarks, inputs.second_worth, space.rows[state], values
            )
            space.counts[WORK] -= 1 + len(inputs.second_worth) // ROW_WORD
            if space.estimate[state, 1] == np.inf:
                space.estimate[state, 0] = np.inf
    elif (
        settings.second_code != HeuristicCode.BLIND
        and not known & SECOND_KNOWN
        and space.estimate[state, 0] != np.inf
    ):
        space.estimate[state, 1] = evaluate(
            settings.second_code, inputs.second, inputs.second_work, values
        )
        space.counts[EVALUATED] += 1
        space.counts[WORK] -= settings.price
        if space.estimate[state, 1] == np.inf:
            space.estimate[state, 0] = np.inf
    space.known[state] = FIRST_KNOWN | SECOND_KNOWN


@part
def find_helpful_actions(settings: Settings, inputs: HeuristicInputs, values: Ints) -> None:
    """Find the helpful actions of a state again; a workspace keeps those of one state only."""
    if settings.helps == 1:
        evaluate(settings.first_code, inputs.first, inputs.first_work, values)
    else:
        evaluate(settings.second_code, inputs.second, inputs.second_work, values)


# --- landmark rows


@part
def write_initial_row(task: FlatTask, landmarks: Landmarks, space: Space) -> None:
    """Write the landmark row of the initial state, which is state 0."""
    for word in range(len(space.row)):
        space.row[word] = 0
    track_landmarks(landmarks, space.row, task.initial, space.rows[0])


@part
def _add_landmarks(packing: Packing, landmarks: Landmarks, space: Space, var: int) -> None:
    """Add the landmarks that a variable's value in `space.fresh` makes true to `space.row`."""
    value = (space.fresh[packing.word[var]] >> packing.shift[var]) & packing.mask[var]
    for k in range(landmarks.own_start[var], landmarks.own_start[var + 1]):
        number = landmarks.own[k]
        equal = np.int64(value) == landmarks.val[number]
        if equal != (landmarks.other[number] == 1):
            space.row[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@part
def write_successor_row(
    task: FlatTask,
    packing: Packing,
    landmarks: Landmarks,
    space: Space,
    state: int,
    operator: int,
    child: int,
    is_new: bool,  # True if it was generated for the first time
) -> bool:
    """Write the landmark row of a successor.

    Only variables that the operator writes, and derived ones, can add to it.

    Returns:
        True if the row has lost landmarks that the state was thought to have behind it.
    """
    width = len(space.row)
    for word in range(width):
        space.row[word] = space.rows[state, word]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        _add_landmarks(packing, landmarks, space, task.eff_var[effect])
    for d in range(len(task.axioms.derived)):
        _add_landmarks(packing, landmarks, space, task.axioms.derived[d])
    lost = False
    for word in range(width):
        if is_new:
            space.rows[child, word] = space.row[word]
        elif space.rows[child, word] & ~space.row[word] != 0:
            space.rows[child, word] &= space.row[word]
            lost = True
    return lost


# --- keys and pruning


@part
def add_weight(so_far: float, weight: float, maximum: bool) -> float:
    """Compose the value of a path with one more weight."""
    return max(so_far, weight) if maximum else so_far + weight


@part
def pass_estimate(estimate: float, weight: float, maximum: bool) -> float:
    """Bound the estimate after an operator of a weight by the estimate before it (consistency)."""
    return estimate if maximum else max(0.0, estimate - weight)


@part
def compute_first_key(settings: Settings, so_far: float, estimate: float) -> float:
    """Compute the first part of a label's key in a search by f."""
    if settings.first_maximum:
        return max(so_far, estimate)
    key = so_far + settings.first_weight * estimate
    if settings.haste > 0.0:
        key += settings.haste * count_steps(settings, estimate)
    return key


@part
def count_steps(settings: Settings, estimate: float) -> float:
    """Return the steps in an estimate of the first criterion; all of it if it counts none."""
    return estimate % settings.fractions if settings.fractions > 1.0 else estimate


@part
def compute_second_key(settings: Settings, so_far: float, estimate: float) -> float:
    """Compute the second part of a label's key in a search by f."""
    if settings.second_maximum:
        return max(so_far, estimate)
    return so_far + settings.second_weight * estimate


@part
def is_hopeless(
    settings: Settings, marks: Floats, first: float, second: float, one: float, two: float
) -> bool:
    """Return True if no plan through a label can keep the budgets and beat the best plan."""
    if settings.first_admissible:
        first = add_weight(first, one, settings.first_maximum)
    if settings.second_admissible:
        second = add_weight(second, two, settings.second_maximum)
    return (
        first > settings.first_budget
        or second > settings.second_budget
        or first > marks[BEST]
        or (first == marks[BEST] and second >= marks[BEST + 1])
    )
