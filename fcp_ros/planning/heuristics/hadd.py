# SPDX-License-Identifier: Apache-2.0
"""hadd: what all facts of the goal cost together, one by one (Bonet and Geffner, 2001).

Not admissible: what serves two facts is paid twice. Infinite exactly where hmax is.
"""

from __future__ import annotations

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.exploration import ADDITION, explore, seed
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace


@kernel
def hadd(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Sum over the goal from a state, int32[n]; infinity where the goal is out of reach."""
    return explore(relaxed, work, relaxed.weight, seed(relaxed, work, state), ADDITION, True)
