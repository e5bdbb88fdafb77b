# SPDX-License-Identifier: Apache-2.0
"""What all searches in one flat task share: where values lie, the switch tree, the relaxation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.heuristics.landmarks import find_landmarks, no_landmarks, worth_of
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, relax, reweigh, workspace
from fcp_ros.planning.search.evaluation import Guides
from fcp_ros.planning.search.labels import directions
from fcp_ros.planning.search.packing import Packing, pack
from fcp_ros.planning.search.settings import Settings
from fcp_ros.planning.search.successors import Problem
from fcp_ros.planning.search.switch_tree import SwitchTree, switch_tree


@dataclass(frozen=True)
class Prepared:
    """A task, ready to be searched; searches of different objectives may share it.

    Attributes:
        problem: the task, where its values lie, its switch tree.
        relaxed: its delete relaxation; each search weighs it in its own way.
        direction: of the resources; see `labels.directions`.
    """

    problem: Problem
    relaxed: RelaxedTask
    direction: Ints

    @property
    def task(self) -> FlatTask:
        """The task."""
        return self.problem.task

    @property
    def packing(self) -> Packing:
        """Where its values lie."""
        return self.problem.packing

    @property
    def tree(self) -> SwitchTree:
        """Its switch tree."""
        return self.problem.tree

    def revalued(self, task: FlatTask) -> Prepared:
        """The same for a task that differs in nothing but losses and costs."""
        return Prepared(self.problem._replace(task=task), self.relaxed, self.direction)

    def guides(self, settings: Settings, check: Callable[[], None]) -> Guides:
        """What a search's heuristics look at, with memory of its own.

        Arguments:
            settings: of the search.
            check: called now and then while landmarks are looked for; may raise to interrupt.
        """
        if settings.greedy:
            first = second = self._weighed(np.ones(len(settings.first)), False)
        else:
            first = self._weighed(settings.first, settings.first_maximum)
            second = self._weighed(settings.second, settings.second_maximum)
        landmarks = no_landmarks()
        if Kind.LANDMARK_COUNT in (settings.first_kind, settings.second_kind):
            landmarks = find_landmarks(first, self.task.initial, check)
        return Guides(
            first,
            workspace(first),
            second,
            workspace(second),
            landmarks,
            worth_of(landmarks, first),
            worth_of(landmarks, second),
        )

    def _weighed(self, weight: Floats, maximum: bool) -> RelaxedTask:
        return reweigh(self.relaxed, weight)._replace(bottleneck=int(maximum))


def prepare(task: FlatTask) -> Prepared:
    """Prepares a task."""
    return Prepared(
        Problem(task, pack(task), switch_tree(task)),
        relax(task, task.cost),
        directions(task),
    )
