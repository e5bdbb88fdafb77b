# SPDX-License-Identifier: Apache-2.0
"""Lower bounds of what is still to be lost and paid, by LM-cut, for the proof of a search."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.evaluate import evaluate
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, relax, workspace


class LowerBounds:
    """The estimate of a task; made when it is asked for the first time.

    Args:
        task: the task.
        composition: how losses compose.
    """

    def __init__(self, task: FlatTask, composition: Composition) -> None:
        self._task = task
        self._composition = composition

    def __call__(self, state: tuple[int, ...]) -> tuple[float, float]:
        """Lower bounds of the loss and of the cost from a state; infinite at a dead end."""
        values = np.array(state, np.int32)
        loss, cost = (evaluate(Kind.LM_CUT, *relaxed, values) for relaxed in self._relaxed)
        return loss, cost

    @cached_property
    def _relaxed(self) -> tuple[tuple[RelaxedTask, Workspace], ...]:
        made = (
            relax(self._task, self._task.loss, self._composition),
            relax(self._task, self._task.cost),
        )
        return tuple((relaxed, workspace(relaxed)) for relaxed in made)
