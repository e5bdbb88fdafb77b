# SPDX-License-Identifier: Apache-2.0
"""hmax: what the dearest fact of the goal costs at least (Bonet and Geffner, 2001).

Admissible. With the bottleneck composition it bounds the worst loss of a step from below.
"""

from __future__ import annotations

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.exploration import BOTTLENECK, MAXIMUM, explore, seed
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace


@kernel
def hmax(relaxed: RelaxedTask, work: Workspace, state: Ints, stop: bool) -> float:
    """Lower bound of what any plan from a state weighs; infinity where there is no plan.

    Arguments:
        relaxed, work: the relaxation and its workspace.
        state: value of each variable, int32[n].
        stop: whether to stop at the goal; if not, `work.value` holds the value of each fact.
    """
    mode = BOTTLENECK if relaxed.bottleneck else MAXIMUM
    return explore(relaxed, work, relaxed.weight, seed(relaxed, work, state), mode, stop)
