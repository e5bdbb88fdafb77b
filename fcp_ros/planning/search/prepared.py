# SPDX-License-Identifier: Apache-2.0
"""A task prepared for searches: packing, switch tree and relaxation, which all of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from fcp_ros.foundation.stopping import Check
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.heuristics.landmarks import find_landmarks, find_worth, make_no_landmarks
from fcp_ros.planning.heuristics.relaxed_task import (
    RelaxedTask,
    make_workspace,
    relax,
    replace_goal,
    reweigh,
)
from fcp_ros.planning.search.kernel.dominance import find_directions
from fcp_ros.planning.search.kernel.evaluation import HeuristicInputs
from fcp_ros.planning.search.kernel.packing import Packing, pack, pack_goal
from fcp_ros.planning.search.kernel.successors import PackedTask
from fcp_ros.planning.search.kernel.switch_tree import SwitchTree, build_switch_tree
from fcp_ros.planning.search.settings import Settings

LARGE = 20_000
"""Actions of a relaxation from which on each evaluation takes long, so efforts are cut down."""

FORBIDDEN = 1e9
"""Weight of an operator beyond the budget where steps are counted: no plan uses it."""
LONG_WAY = 1000.0
"""Operators that a relaxed plan takes rather than one that the first criterion has to pay for."""


class PreparedTask:
    """A task ready to be searched; searches of different objectives may share it.

    Everything but the task itself is made when it is needed first: small tasks need none of it.

    Args:
        same: a prepared task that differs in nothing but losses and costs.
    """

    def __init__(self, task: FlatTask, same: PreparedTask | None = None) -> None:
        self.task = task
        self._shape: PreparedTask = self if same is None else same._shape

    def aim(
        self, state: Sequence[int], amounts: Sequence[float], goal: Mapping[int, int]
    ) -> PreparedTask:
        """Prepare the same operators for another goal, from another state.

        Args:
            goal: variable -> value, not empty.
        """
        task = self.task._replace(
            initial=np.array(state, np.int32),
            amount=np.array(amounts, np.float64),
            goal_var=np.array(list(goal), np.int32),
            goal_val=np.array(list(goal.values()), np.int32),
        )
        aimed = PreparedTask(task)
        mask, bits = pack_goal(task, self.packing)
        packing = self.packing._replace(goal_mask=mask, goal_set=bits)
        # Made here, they take the place of the properties.
        aimed.packed = PackedTask(task, packing, self.tree)
        aimed.relaxed = replace_goal(self.relaxed, goal)
        return aimed

    @cached_property
    def packed(self) -> PackedTask:
        """The task, its packing, its switch tree."""
        if self._shape is not self:
            return self._shape.packed._replace(task=self.task)
        return PackedTask(self.task, pack(self.task), build_switch_tree(self.task))

    @cached_property
    def relaxed(self) -> RelaxedTask:
        """Its delete relaxation; each search weighs it in its own way."""
        if self._shape is not self:
            return self._shape.relaxed
        return relax(self.task, self.task.cost)

    @cached_property
    def direction(self) -> Ints:
        """The direction of the resources; see `kernel.dominance.find_directions`."""
        return find_directions(self.task) if self._shape is self else self._shape.direction

    @property
    def packing(self) -> Packing:
        return self.packed.packing

    @property
    def tree(self) -> SwitchTree:
        return self.packed.tree

    @property
    def effort_share(self) -> float:
        """The share of an effort counted in evaluations that takes as long as in a small task."""
        return min(1.0, LARGE / max(1, len(self.relaxed.operator)))

    def make_inputs(self, settings: Settings, check: Check) -> HeuristicInputs:
        """Make the inputs of a search's heuristics, with workspaces of its own.

        Args:
            settings: of the search. Relaxed plans for its second criterion avoid the first one.
        """
        if settings.greedy:
            beyond = settings.first > settings.first_budget
            first = second = self._weigh(np.where(beyond, FORBIDDEN, 1.0), False)
        else:
            first = self._weigh(settings.first, settings.first_maximum)
            second = self._weigh(_rank_second(settings), settings.second_maximum)
        landmarks = make_no_landmarks()
        if HeuristicCode.LANDMARK_COUNT in (settings.first_code, settings.second_code):
            landmarks = find_landmarks(first, self.task.initial, check)
        return HeuristicInputs(
            first,
            make_workspace(first),
            second,
            make_workspace(second),
            landmarks,
            find_worth(landmarks, first),
            find_worth(landmarks, second),
        )

    def _weigh(self, weight: Floats, maximum: bool) -> RelaxedTask:
        return reweigh(self.relaxed, weight)._replace(bottleneck=int(maximum))


def _rank_second(settings: Settings) -> Floats:
    """Weigh operators for the second heuristic.

    It decides between states that are equal in the first criterion, so it must not count on what
    that one has to pay for: a relaxed plan of few steps gives all preferences up. Estimates that
    are no lower bounds may be larger, so the first criterion is added, as dear as a long way.
    """
    first = settings.first
    paid = first[first > 0.0]
    if settings.second_admissible or settings.second_maximum or not paid.size:
        return settings.second
    longest = LONG_WAY * max(1.0, float(settings.second.max(initial=0.0)))
    return settings.second + first * (longest / float(paid.min()))
