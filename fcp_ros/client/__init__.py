# SPDX-License-Identifier: Apache-2.0
"""A client for task managers: `FcpClient`, and what its methods take and return."""

from fcp_ros.client.errors import FcpError, FcpTimeout, FcpUnavailable
from fcp_ros.client.fcp_client import FcpClient
from fcp_ros.client.pending import GoalState, PendingGoal, PendingReply
from fcp_ros.client.queries import Element, is_solved, plan_request, predicate_query

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
