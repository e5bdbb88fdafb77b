# SPDX-License-Identifier: Apache-2.0
"""One entry for all heuristics, for kernels that search."""

from __future__ import annotations

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.blind import blind
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.hadd import hadd
from fcp_ros.planning.heuristics.hmax import hmax
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.heuristics.lm_cut import lm_cut
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace


@kernel
def evaluate(kind: int, relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """What a heuristic says about a state.

    Where weights compose to their maximum, LM-cut is the bottleneck hmax; hadd and FF, which bound
    nothing anyhow, still add up. The landmark count needs to know the way to a state (see
    `landmarks.py`); without it it is blind.

    Arguments:
        kind: number of the heuristic, see `Kind`.
        relaxed, work: the relaxation and its workspace.
        state: value of each variable, int32[n].

    Returns:
        The estimate; infinity for a dead end (no plan from here).
    """
    if kind == Kind.MAX:
        return hmax(relaxed, work, state, True)
    if kind == Kind.ADD:
        return hadd(relaxed, work, state)
    if kind == Kind.FF:
        return ff(relaxed, work, state)
    if kind == Kind.LM_CUT:
        if relaxed.bottleneck:
            return hmax(relaxed, work, state, True)
        return lm_cut(relaxed, work, state)
    return blind(relaxed, state)
