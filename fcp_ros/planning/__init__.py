# SPDX-License-Identifier: Apache-2.0
"""Planning: the compiled task, membership-optimal search, and the independent verifier."""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.planning.model.memberships import MembershipSource
    from fcp_ros.planning.model.plan import Judged, Plan, PlanStep
    from fcp_ros.planning.model.request import (
        Algorithm,
        BestPlan,
        Heuristic,
        Optimise,
        Phase,
        PlanningOptions,
        Progress,
        SearchOptions,
        Switches,
    )
    from fcp_ros.planning.model.result import (
        Candidate,
        Explanation,
        Measure,
        PlanningResult,
        PlanStatus,
        Relaxation,
        Share,
        Verdict,
    )
    from fcp_ros.planning.planner import plan
    from fcp_ros.planning.session import PlanningRequest, PlanningSession
    from fcp_ros.planning.verification.verify import verify

__all__ = [
    "Algorithm",
    "BestPlan",
    "Candidate",
    "Explanation",
    "Heuristic",
    "Judged",
    "Measure",
    "MembershipSource",
    "Optimise",
    "Phase",
    "Plan",
    "PlanStatus",
    "PlanStep",
    "PlanningOptions",
    "PlanningRequest",
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
