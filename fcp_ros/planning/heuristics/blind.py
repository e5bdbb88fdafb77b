# SPDX-License-Identifier: Apache-2.0
"""The blind heuristic: 0 at the goal, elsewhere the least weight that a last step can have."""

from __future__ import annotations

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask


@kernel
def blind(relaxed: RelaxedTask, state: Ints) -> float:
    """Lower bound at a state, int32[n]; it never calls a state a dead end."""
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
