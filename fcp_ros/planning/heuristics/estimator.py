# SPDX-License-Identifier: Apache-2.0
"""The heuristics for Python callers: estimates of one state at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import HeuristicCode, evaluate, hmax
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.landmarks import (
    count_landmarks,
    count_words,
    find_landmarks,
    track_landmarks,
)
from fcp_ros.planning.heuristics.relaxed_task import make_workspace, relax, reweigh

State = Sequence[int] | Ints
"""The value of each variable."""


class Estimator:
    """One heuristic over one task; not for several threads at once."""

    def __init__(
        self,
        task: FlatTask,
        code: HeuristicCode,
        weight: Floats,  # of each operator, float64[m], finite and >= 0
        composition: Composition = Composition.SUM,
    ) -> None:
        self._code = code
        self._relaxed = relax(task, weight, composition)
        self._work = make_workspace(self._relaxed)

    def reweigh(self, weight: Floats) -> None:
        """Continue with other weights."""
        self._relaxed = reweigh(self._relaxed, weight)

    def estimate(self, state: State) -> float:
        """Estimate the weight still to come at a state; infinity at a dead end."""
        values = np.asarray(state, np.int32)
        if self._code is HeuristicCode.LANDMARK_COUNT:
            return self._count_landmarks(values)
        return float(evaluate(int(self._code), self._relaxed, self._work, values))

    def find_helpful(self, state: State) -> tuple[int, ...]:
        """Find the operators that a relaxed plan by FF begins with; none if there is no plan."""
        ff(self._relaxed, self._work, np.asarray(state, np.int32))
        return tuple(np.flatnonzero(self._work.helpful).tolist())

    def compute_fact_bounds(self, state: State) -> Floats:
        """Bound by hmax the weight until each variable has had each value.

        Returns:
            A lower bound for each value of each variable, variables in order; infinity if the value
            is out of reach.
        """
        self._explore(state)
        values: Floats = self._work.value[: self._relaxed.offset[-1]].copy()
        return values

    def compute_operator_bounds(self, state: State) -> Floats:
        """Bound by hmax the weight until each operator has been applied, its own included.

        The degree of this loss bounds the degree of any plan that ends with the operator.

        Returns:
            A lower bound for each operator, float64[m]; infinity if it is never applicable, or
            never changes anything.
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

    def _count_landmarks(self, values: Ints) -> float:
        """Count the landmarks from this very state: the path to it is not known here."""
        if hmax(self._relaxed, self._work, values, True) == np.inf:
            return float(np.inf)
        landmarks = find_landmarks(self._relaxed, values)
        row = np.zeros(count_words(landmarks), np.uint64)
        track_landmarks(landmarks, row, values, row)
        return float(count_landmarks(landmarks, np.ones(len(landmarks.var)), row, values))
