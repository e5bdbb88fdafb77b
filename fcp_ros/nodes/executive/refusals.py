# SPDX-License-Identifier: Apache-2.0
"""The results of goals that are not worked on, for both actions."""

from __future__ import annotations

from typing import Any

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.msg import PlanStatus
from fcp_ros.nodes.executive.parameters import GoalError, PlanError
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal

GoalResult = tuple[GoalEnd, Any]
"""The end of a goal, and its result message."""


def refuse(request: Any, refusal: RequestRefusal) -> GoalResult:
    code = refusal.kind.name
    is_plan = isinstance(request, ExecutePlan.Goal)
    if refusal.kind is RefusalKind.INVALID_REQUEST:
        code = "INVALID_PLAN" if is_plan else "PLANNING_FAILED"
    end, result = abort(request, code, refusal.sentence)
    if refusal.kind is RefusalKind.INVALID_REQUEST and not is_plan:
        result.plan_result.status.code = PlanStatus.INVALID_REQUEST
        result.plan_result.status.message = refusal.sentence
    return end, result


def abort(request: Any, code: str, sentence: str) -> GoalResult:
    """Return the end and the result of a goal, by the name of a code that both actions have."""
    errors = PlanError if isinstance(request, ExecutePlan.Goal) else GoalError
    return GoalEnd.ABORTED, make_result(request, getattr(errors, code), sentence)


def make_result(request: Any, code: int, sentence: str) -> Any:
    action = ExecutePlan if isinstance(request, ExecutePlan.Goal) else AchieveGoal
    return action.Result(error_code=int(code), error_msg=sentence)
