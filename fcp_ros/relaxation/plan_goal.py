# SPDX-License-Identifier: Apache-2.0
"""From a goal's text to a result: parse, check, plan as stated, and relax only if that fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError
from fcp_ros.domain.model import Domain
from fcp_ros.planning.model.memberships import MembershipSource
from fcp_ros.planning.model.plan import Judged
from fcp_ros.planning.model.request import (
    CancelCallback,
    Phase,
    PlanningOptions,
    Progress,
    ProgressCallback,
    ignore_progress,
    never_cancel,
)
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, Relaxation
from fcp_ros.planning.model.watch import RequestStart
from fcp_ros.planning.planner import plan
from fcp_ros.planning.session import PlanningSession
from fcp_ros.relaxation.substitution import SUBSTITUTE, Substitution, find_substitutions

_RELAXABLE = (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)


def plan_goal(
    domain: Domain,
    instance: Instance,
    goal_text: str,
    options: PlanningOptions,
    memberships: MembershipSource,
    *,
    resources: Mapping[str, float] | None = None,
    cancelled: CancelCallback = never_cancel,
    progress: ProgressCallback = ignore_progress,
    session: PlanningSession | None = None,
    start: RequestStart | None = None,
) -> PlanningResult:
    """Plan a goal as a user wrote it.

    Args:
        domain: the domain.
        instance: the initial state.
        goal_text: such as `on(?x, table_1) and is_a(?x, "mug")`.
        options: alpha, limits, and the permission to relax. The time limit is that of all attempts
            together.
        memberships: judges graded predicates.
        resources: the present amount of each resource; the domain's initial values by default.
        cancelled: asked every few milliseconds; True cancels the request.
        progress: told of phases, expansions, the best plan so far and bounds.
        session: kept from one request to the next in the same domain.
        start: of the request, if it began before this call, such as with reading files.

    Returns:
        the result; nothing is raised. A goal that can't be read is INVALID_REQUEST, and the message
        points at the character. A relaxed result lists its substitutions with their reasons.
    """
    start = start or RequestStart.now()
    progress(Progress(Phase.PARSE))
    try:
        goal = check_goal(parse_expression(goal_text), domain, instance, goal_text)
    except ExpressionError as error:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST, str(error), goal=goal_text, alpha=options.alpha
        )

    def attempt(wanted: Expression) -> PlanningResult:
        return plan(
            domain,
            instance,
            wanted,
            options,
            memberships,
            resources=resources,
            cancelled=cancelled,
            progress=progress,
            session=session,
            start=start,
        )

    result = attempt(goal)
    if result.status not in _RELAXABLE or not options.allow_relaxation:
        return result
    strict = result
    for substitution in find_substitutions(goal, domain, instance):
        relaxed = _add_effort(result, attempt(substitution.goal))
        if relaxed.status.solved:
            return _add_relaxations(relaxed, substitution, strict)
        if relaxed.status not in _RELAXABLE:
            return replace(relaxed, message=f"{strict.message} {relaxed.message}")
        result = _choose_failure(result, relaxed, strict)
    return result


def _add_effort(before: PlanningResult, after: PlanningResult) -> PlanningResult:
    """Return the later result with the expansions and times of both."""
    timings = dict(before.timings)
    for stage, seconds in after.timings.items():
        timings[stage] = timings.get(stage, 0.0) + seconds
    return replace(after, expansions=before.expansions + after.expansions, timings=timings)


def _choose_failure(
    result: PlanningResult, relaxed: PlanningResult, strict: PlanningResult
) -> PlanningResult:
    """Choose the failure that tells more: an executable plan, then the higher membership."""
    better = relaxed.status is PlanStatus.UNSOLVABLE_AT_ALPHA and (
        result.status is not PlanStatus.UNSOLVABLE_AT_ALPHA
        or relaxed.best_membership > result.best_membership
    )
    if not better:
        return replace(result, expansions=relaxed.expansions, timings=relaxed.timings)
    return replace(relaxed, message=f"{strict.message} With substitutes: {relaxed.message}")


def _add_relaxations(
    result: PlanningResult, substitution: Substitution, strict: PlanningResult
) -> PlanningResult:
    """Add the substitutions and their reasons to a relaxed result."""
    assert result.plan is not None
    relaxations = tuple(
        _make_relaxation(judged, substitution, strict)
        for judged in _find_substitutes(result.plan.goal_judgements, substitution.labels)
    )
    reasons = " ".join(relaxation.reason for relaxation in relaxations)
    return replace(result, relaxations=relaxations, message=f"{reasons} {result.message}".strip())


def _find_substitutes(judgements: Iterable[Judged], labels: tuple[str, ...]) -> list[Judged]:
    return [
        judged
        for judged in judgements
        if judged.atom[0] == SUBSTITUTE and judged.atom[1][1] in labels
    ]


def _make_relaxation(
    judged: Judged, substitution: Substitution, strict: PlanningResult
) -> Relaxation:
    element, wanted = judged.atom[1]
    degree = judged.membership.degree
    if wanted in substitution.absent:
        why = f'Nothing here is a "{wanted}"'
    else:
        why = f'No "{wanted}" will do ({strict.message.rstrip(".")})'
    reason = f"{why}; {element} is a suitable substitute to degree {degree:.2f}."
    return Relaxation("substitution", wanted, element, degree, reason)
