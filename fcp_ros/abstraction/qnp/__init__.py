# SPDX-License-Identifier: Apache-2.0
"""Qualitative numeric problems, their solver, and the graphs of their policies.

- `problem`: variables, conditions, abstract actions, qstates;
- `semantics`: conditions and actions as bit masks;
- `state_space`: reachable qstates and moves, limits;
- `policy_graph`: the graph of a policy; SIEVE: does it terminate?;
- `solver`: where a policy can keep the goal reachable, and also terminate; the front door.
"""

from fcp_ros.abstraction.qnp.policy_graph import (
    EndlessComponent,
    PolicyEdge,
    PolicyGraph,
    build_policy_graph,
    sieve,
)
from fcp_ros.abstraction.qnp.problem import (
    AbstractAction,
    Condition,
    Qnp,
    QnpError,
    QnpPolicy,
    QState,
    QualitativeChange,
    decode_state,
    describe_condition,
    describe_state,
    encode_state,
)
from fcp_ros.abstraction.qnp.semantics import successors
from fcp_ros.abstraction.qnp.solver import QnpResult, QnpStatistics, QnpStatus, solve_qnp
from fcp_ros.abstraction.qnp.state_space import QnpLimits

__all__ = [
    "AbstractAction",
    "Condition",
    "EndlessComponent",
    "PolicyEdge",
    "PolicyGraph",
    "QState",
    "Qnp",
    "QnpError",
    "QnpLimits",
    "QnpPolicy",
    "QnpResult",
    "QnpStatistics",
    "QnpStatus",
    "QualitativeChange",
    "build_policy_graph",
    "decode_state",
    "describe_condition",
    "describe_state",
    "encode_state",
    "sieve",
    "solve_qnp",
    "successors",
]
