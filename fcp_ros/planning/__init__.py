# SPDX-License-Identifier: Apache-2.0
"""Planning: the compiled task, membership-optimal search, and the independent verifier."""

from fcp_ros.planning.model.explanation import Explanation, Share
from fcp_ros.planning.model.memberships import MembershipSource
from fcp_ros.planning.model.plan import Judged, Plan, PlanStep
from fcp_ros.planning.model.request import (
    Optimise,
    Phase,
    PlanningOptions,
    Progress,
    Switches,
)
from fcp_ros.planning.model.result import Candidate, PlanningResult, PlanStatus, Relaxation, Verdict
from fcp_ros.planning.model.search_options import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.planner import plan
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.verification.verify import verify

__all__ = [
    "Algorithm",
    "Candidate",
    "Explanation",
    "Heuristic",
    "Judged",
    "MembershipSource",
    "Optimise",
    "Phase",
    "Plan",
    "PlanStatus",
    "PlanStep",
    "PlanningOptions",
    "PlanningResult",
    "PlanningSession",
    "Progress",
    "Relaxation",
    "SearchOptions",
    "Share",
    "Switches",
    "Verdict",
    "plan",
    "verify",
]
