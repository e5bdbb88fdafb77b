# SPDX-License-Identifier: Apache-2.0
"""Blind, hmax and hadd, one entry for all heuristics, and estimates for Python callers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.exploration import ADDITION, BOTTLENECK, MAXIMUM, explore, ff, seed
from fcp_ros.planning.heuristics.landmarks import (
    count_landmarks,
    count_words,
    find_landmarks,
    track_landmarks,
)
from fcp_ros.planning.heuristics.lm_cut import lm_cut
from fcp_ros.planning.heuristics.relaxed_task import (
    RelaxedTask,
    Workspace,
    make_workspace,
    relax,
    reweigh,
)


class HeuristicCode(IntEnum):
    """The heuristics as numbers for kernels, in the order of `model.request.Heuristic`."""

    BLIND = 0
    MAX = 1
    ADD = 2
    FF = 3
    LANDMARK_COUNT = 4
    LM_CUT = 5


@kernel
def evaluate(code: int, relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Compute the value of a heuristic in a state.

    If weights compose to their maximum, LM-cut is the bottleneck hmax; hadd and FF, which are no
    bounds anyway, still add up. The landmark count depends on the path to a state (see
    `landmarks.count_landmarks`); without the path it is blind.

    Returns:
        The estimate, in the unit of the weights; infinity at a dead end.
    """
    if code == HeuristicCode.MAX:
        return hmax(relaxed, work, state, True)
    if code == HeuristicCode.ADD:
        return hadd(relaxed, work, state)
    if code == HeuristicCode.FF:
        return ff(relaxed, work, state)
    if code == HeuristicCode.LM_CUT:
        if relaxed.bottleneck:
            return hmax(relaxed, work, state, True)
        return lm_cut(relaxed, work, state)
    return blind(relaxed, state)


@kernel
def blind(relaxed: RelaxedTask, state: Ints) -> float:
    """Return 0 at the goal, elsewhere the least weight that a last step can have; admissible."""
    var = 0
    last = len(relaxed.operator) - 1
    for k in range(relaxed.pre_start[last], relaxed.pre_start[last + 1]):
        fact = relaxed.pre[k]
        if fact >= relaxed.offset[-1]:
            continue
        if fact < relaxed.offset[var]:
            var = 0
        while relaxed.offset[var + 1] <= fact:
            var += 1
        if relaxed.offset[var] + state[var] != fact:
            return relaxed.least
    return 0.0


@kernel
def hmax(relaxed: RelaxedTask, work: Workspace, state: Ints, stop: bool) -> float:
    """Compute hmax, the cost of the dearest fact of the goal (Bonet and Geffner, 2001).

    Admissible. With the bottleneck composition it is a lower bound of the worst loss of a step.

    Args:
        stop: stop at the goal; if False, `work.value` holds the value of every fact afterwards.

    Returns:
        A lower bound of the weight of any plan; infinity if there is no plan.
    """
    mode = BOTTLENECK if relaxed.bottleneck else MAXIMUM
    return explore(relaxed, work, relaxed.weight, seed(relaxed, work, state), mode, stop)


@kernel
def hadd(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Compute hadd, the sum of the costs of the facts of the goal (Bonet and Geffner, 2001).

    Not admissible: what serves two facts is paid twice. Infinite exactly where hmax is.
    """
    return explore(relaxed, work, relaxed.weight, seed(relaxed, work, state), ADDITION, True)


# --- the heuristics for Python callers: estimates of one state at a time


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
