# SPDX-License-Identifier: Apache-2.0
"""The blind heuristic, hmax and hadd, and one entry for all heuristics."""

from __future__ import annotations

from enum import IntEnum

from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.exploration import ADDITION, BOTTLENECK, MAXIMUM, explore, seed
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.lm_cut import lm_cut
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace


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
