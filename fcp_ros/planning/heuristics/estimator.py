# SPDX-License-Identifier: Apache-2.0
"""The heuristics for Python: estimates of one state after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import evaluate
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.hmax import hmax
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.heuristics.landmark_count import landmark_estimate, landmark_progress
from fcp_ros.planning.heuristics.landmarks import find_landmarks, words_of
from fcp_ros.planning.heuristics.relaxed_task import relax, reweigh, workspace

State = Sequence[int] | Ints
"""The value of each variable."""


class Estimator:
    """One heuristic over one task; not for several threads at once.

    Arguments:
        task: the task.
        kind: the heuristic.
        weight: of each operator, float64[m], finite and >= 0.
        composition: how weights compose along a plan.

    Raises:
        ValueError: a weight is negative, infinite or NaN, or there is not one for each operator.
    """

    def __init__(
        self,
        task: FlatTask,
        kind: Kind,
        weight: Floats,
        composition: Composition = Composition.SUM,
    ) -> None:
        self._kind = kind
        self._relaxed = relax(task, weight, composition)
        self._work = workspace(self._relaxed)

    def reweigh(self, weight: Floats) -> None:
        """Goes on with other weights.

        Raises:
            ValueError: as for the class.
        """
        self._relaxed = reweigh(self._relaxed, weight)

    def at(self, state: State) -> float:
        """The estimate at a state; infinity for a dead end."""
        values = np.asarray(state, np.int32)
        if self._kind is Kind.LANDMARK_COUNT:
            return self._landmarks_ahead(values)
        return float(evaluate(int(self._kind), self._relaxed, self._work, values))

    def helpful(self, state: State) -> tuple[int, ...]:
        """Operators that a relaxed plan begins with, by FF; none where there is no such plan."""
        ff(self._relaxed, self._work, np.asarray(state, np.int32))
        return tuple(np.flatnonzero(self._work.helpful).tolist())

    def fact_values(self, state: State) -> Floats:
        """What it takes at least, by hmax, until a variable has a value.

        Returns:
            One number for each value of each variable, variables in order; infinity where the value
            is out of reach.
        """
        self._explore(state)
        values: Floats = self._work.value[: self._relaxed.offset[-1]].copy()
        return values

    def operator_values(self, state: State) -> Floats:
        """What it takes at least, by hmax, until an operator has been applied, itself included.

        The degree of this loss bounds from above what a plan that ends with the operator can have.

        Returns:
            One number for each operator, float64[m]; infinity where it can't be applied, or never
            changes anything.
        """
        self._explore(state)
        relaxed, work = self._relaxed, self._work
        own = relaxed.weight[relaxed.operator]
        needs = np.where(work.missing == 0, work.total, np.inf)
        reached = np.maximum(needs, own) if relaxed.bottleneck else needs + own
        found = np.full(len(relaxed.weight), np.inf)
        np.minimum.at(found, relaxed.operator, reached)
        return found[:-1]

    def _explore(self, state: State) -> None:
        hmax(self._relaxed, self._work, np.asarray(state, np.int32), False)

    def _landmarks_ahead(self, values: Ints) -> float:
        """Of the landmarks from this very state: how it was reached is not known here."""
        if hmax(self._relaxed, self._work, values, True) == np.inf:
            return float(np.inf)
        landmarks = find_landmarks(self._relaxed, values)
        row = np.zeros(words_of(landmarks), np.uint64)
        landmark_progress(landmarks, row, values, row)
        return float(landmark_estimate(landmarks, np.ones(len(landmarks.var)), row, values))
