# SPDX-License-Identifier: Apache-2.0
"""Plans whose degrees were looked at again, more closely, and that were made again if one moved.

As lazy search does with costly edges (Dellin and Srinivasa 2016): everything is judged in passing,
and only what the best plan rests on is judged with care.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.grounding.judgement import GroundingError, JudgementRequest
from fcp_ros.planning.model.memberships import ConfirmingSource
from fcp_ros.planning.model.result import PlanningResult, PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.session import PlanningRequest

CONFIRMATIONS = 3  # Most plans that are made again
_ENDED = (PlanStatus.TIMEOUT, PlanStatus.MEMOUT, PlanStatus.CANCELLED)
_OUT_OF_TIME = (
    "A degree that it rests on moved when it was judged with care, too late to plan again."
)


def plan_confirmed(
    request: PlanningRequest, plan: Callable[[PlanningRequest], PlanningResult]
) -> PlanningResult:
    """Plan until the degrees that the plan rests on are confirmed; all plans share the limits."""
    source = request.memberships
    if not isinstance(source, ConfirmingSource):
        return plan(request)
    request = replace(request, start=request.watch().start)
    result = plan(request)
    for _ in range(CONFIRMATIONS):
        try:
            moved = source.confirm(list_grounds(result))
        except GroundingError as error:
            return replace(result, notes=(*result.notes, error.sentence))
        except Interrupted as reason:  # the plan stands as it was judged in passing
            return replace(result, notes=(*result.notes, str(reason)))
        if not moved:
            break
        again = plan(request)
        if again.status in _ENDED and result.plan is not None:
            return replace(result, notes=(*result.notes, _OUT_OF_TIME))
        result = again
    return result


def list_grounds(result: PlanningResult) -> list[JudgementRequest]:
    """List what the plan, or the best one that was too poor, rests on."""
    judged = [j for c in result.candidates if c.chosen for j in c.judgements]
    if result.plan is not None:
        judged += result.plan.goal_judgements
        judged += [j for step in result.plan.steps for j in step.judgements]
    return [one.request for one in judged]
