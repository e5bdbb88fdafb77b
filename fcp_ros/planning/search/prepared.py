# SPDX-License-Identifier: Apache-2.0
"""A task prepared for searches: packing, switch tree and relaxation, which all of them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.heuristics.landmarks import find_landmarks, find_worth, make_no_landmarks
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, make_workspace, relax, reweigh
from fcp_ros.planning.search.kernel.dominance import find_directions
from fcp_ros.planning.search.kernel.evaluation import HeuristicInputs
from fcp_ros.planning.search.kernel.packing import Packing, pack
from fcp_ros.planning.search.kernel.successors import PackedTask
from fcp_ros.planning.search.kernel.switch_tree import SwitchTree, build_switch_tree
from fcp_ros.planning.search.settings import Settings

LARGE = 20_000
"""Actions of a relaxation from which on each evaluation takes long, so efforts are cut down."""


@dataclass(frozen=True)
class PreparedTask:
    """A task ready to be searched; searches of different objectives may share it.

    Attributes:
        packed: the task, its packing, its switch tree.
        relaxed: its delete relaxation; each search weighs it in its own way.
        direction: of the resources; see `kernel.dominance.find_directions`.
    """

    packed: PackedTask
    relaxed: RelaxedTask
    direction: Ints

    @property
    def task(self) -> FlatTask:
        """The task."""
        return self.packed.task

    @property
    def packing(self) -> Packing:
        """The packing of its states."""
        return self.packed.packing

    @property
    def tree(self) -> SwitchTree:
        """Its switch tree."""
        return self.packed.tree

    @property
    def effort_share(self) -> float:
        """The share of an effort counted in evaluations that takes as long as in a small task."""
        return min(1.0, LARGE / max(1, len(self.relaxed.operator)))

    def revalue(self, task: FlatTask) -> PreparedTask:
        """Prepare a task that differs in nothing but losses and costs."""
        return PreparedTask(self.packed._replace(task=task), self.relaxed, self.direction)

    def make_inputs(self, settings: Settings, check: Callable[[], None]) -> HeuristicInputs:
        """Make the inputs of a search's heuristics, with workspaces of its own.

        Args:
            settings: of the search.
            check: called now and then while landmarks are looked for; may raise to interrupt.
        """
        if settings.greedy:
            first = second = self._weigh(np.ones(len(settings.first)), False)
        else:
            first = self._weigh(settings.first, settings.first_maximum)
            second = self._weigh(settings.second, settings.second_maximum)
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


def prepare(task: FlatTask) -> PreparedTask:
    """Prepare a task."""
    return PreparedTask(
        PackedTask(task, pack(task), build_switch_tree(task)),
        relax(task, task.cost),
        find_directions(task),
    )
