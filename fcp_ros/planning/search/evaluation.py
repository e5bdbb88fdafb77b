# SPDX-License-Identifier: Apache-2.0
"""Estimates of states, and the keys that labels get from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.kernel import part
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.heuristics.evaluate import evaluate
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.heuristics.landmark_count import landmark_estimate
from fcp_ros.planning.heuristics.landmarks import Landmarks
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace
from fcp_ros.planning.search.settings import Settings
from fcp_ros.planning.search.space import BEST, EVALUATED, WORK, Space

FIRST_KNOWN, SECOND_KNOWN = 1, 2
"""Bits of `known`; the same numbers as in `Settings.helps`."""
ROW_WORD = 64
"""A landmark count looks at so many landmarks in the time that it takes to make a successor."""


class Guides(NamedTuple):
    """What the two heuristics look at.

    Attributes:
        first, second: relaxations.
        first_work, second_work: their scratch memory.
        landmarks: the landmarks from the initial state; none where no heuristic counts them.
        first_worth, second_worth: what each landmark weighs in each criterion, float64[l].
    """

    first: RelaxedTask
    first_work: Workspace
    second: RelaxedTask
    second_work: Workspace
    landmarks: Landmarks
    first_worth: Floats
    second_worth: Floats


@part
def evaluate_state(
    space: Space, settings: Settings, guides: Guides, state: int, values: Ints
) -> None:
    """Computes the estimates of a state that are not known yet; an infinite one is enough.

    Arguments:
        space, settings, guides: of the search.
        state: the state.
        values: its values, int32[n].
    """
    known = space.known[state]
    if settings.first_kind == Kind.LANDMARK_COUNT:
        if not known & FIRST_KNOWN:
            space.estimate[state, 0] = landmark_estimate(
                guides.landmarks, guides.first_worth, space.rows[state], values
            )
            space.counts[WORK] -= 1 + len(guides.first_worth) // ROW_WORD
    elif settings.first_kind != Kind.BLIND and not known & FIRST_KNOWN:
        space.estimate[state, 0] = evaluate(
            settings.first_kind, guides.first, guides.first_work, values
        )
        space.counts[EVALUATED] += 1
        space.counts[WORK] -= settings.price
    if settings.second_kind == Kind.LANDMARK_COUNT:
        if not known & SECOND_KNOWN:
            space.estimate[state, 1] = landmark_estimate(
                guides.landmarks, guides.second_worth, space.rows[state], values
            )
            space.counts[WORK] -= 1 + len(guides.second_worth) // ROW_WORD
            if space.estimate[state, 1] == np.inf:
                space.estimate[state, 0] = np.inf
    elif (
        settings.second_kind != Kind.BLIND
        and not known & SECOND_KNOWN
        and space.estimate[state, 0] != np.inf
    ):
        space.estimate[state, 1] = evaluate(
            settings.second_kind, guides.second, guides.second_work, values
        )
        space.counts[EVALUATED] += 1
        space.counts[WORK] -= settings.price
        if space.estimate[state, 1] == np.inf:
            space.estimate[state, 0] = np.inf
    space.known[state] = FIRST_KNOWN | SECOND_KNOWN


@part
def find_helpful(settings: Settings, guides: Guides, values: Ints) -> None:
    """Finds the helpful actions of a state once more; they are only kept for the last one."""
    if settings.helps == 1:
        evaluate(settings.first_kind, guides.first, guides.first_work, values)
    else:
        evaluate(settings.second_kind, guides.second, guides.second_work, values)


@part
def total(sum_so_far: float, more: float, maximum: bool) -> float:
    """What two parts of a plan come to together."""
    return max(sum_so_far, more) if maximum else sum_so_far + more


@part
def rest(estimate: float, weight: float, maximum: bool) -> float:
    """What a state's estimate leaves for the state after an operator of that weight."""
    return estimate if maximum else max(0.0, estimate - weight)


@part
def first_key(settings: Settings, so_far: float, estimate: float) -> float:
    """The first part of a label's key in a search by f."""
    if settings.first_maximum:
        return max(so_far, estimate)
    return so_far + settings.first_weight * estimate


@part
def second_key(settings: Settings, so_far: float, estimate: float) -> float:
    """The second part of a label's key in a search by f."""
    if settings.second_maximum:
        return max(so_far, estimate)
    return so_far + settings.second_weight * estimate


@part
def hopeless(
    settings: Settings, marks: Floats, first: float, second: float, one: float, two: float
) -> bool:
    """Whether nothing that begins in this way can be of interest.

    Arguments:
        settings: of the search; only estimates that are lower bounds are used.
        marks: of the space.
        first, second: what the label has cost.
        one, two: the estimates of its state.
    """
    if settings.first_admissible:
        first = total(first, one, settings.first_maximum)
    if settings.second_admissible:
        second = total(second, two, settings.second_maximum)
    return (
        first > settings.first_budget
        or second > settings.second_budget
        or first > marks[BEST]
        or (first == marks[BEST] and second >= marks[BEST + 1])
    )
