# SPDX-License-Identifier: Apache-2.0
"""A client for task managers: `FcpClient`, and the arguments and results of its methods.

fcp_client: one method for each action and service. pending: requests that were sent, and errors.
queries: messages from plain values. spinner: a node for programs that have none.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.client.fcp_client import FcpClient
    from fcp_ros.client.pending import (
        FcpError,
        FcpTimeout,
        FcpUnavailable,
        GoalState,
        PendingGoal,
        PendingReply,
    )
    from fcp_ros.client.queries import (
        Element,
        is_solved,
        plan_request,
        predicate_query,
    )

__all__ = [
    "Element",
    "FcpClient",
    "FcpError",
    "FcpTimeout",
    "FcpUnavailable",
    "GoalState",
    "PendingGoal",
    "PendingReply",
    "is_solved",
    "plan_request",
    "predicate_query",
]
