# SPDX-License-Identifier: Apache-2.0
"""From a goal's text to a result: parse, check, plan as stated, and relax only if that fails."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError
from fcp_ros.domain.model import Domain
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.memberships import MembershipMemory, MembershipSource
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import (
    CancelCallback,
    Phase,
    PlanningOptions,
    Progress,
    ProgressCallback,
    ignore_progress,
    never_cancel,
)
from fcp_ros.planning.model.result import PlanningResult, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.planning.planner import plan
from fcp_ros.planning.session import PlanningSession
from fcp_ros.relaxation.answer import RelaxationAnswer
from fcp_ros.relaxation.engine import GoalRelaxation, PlanGoal, describe_effort
from fcp_ros.relaxation.worlds import MakeProofs, PlanningWorld, remove_asking

_LOG = logging.getLogger(__name__)

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
        points at the character. A relaxed result lists its changes with their reasons.
    """
    start = start or RequestStart.now()
    progress(Progress(Phase.PARSE))
    try:
        goal = check_goal(parse_expression(goal_text), domain, instance, goal_text)
    except ExpressionError as error:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST, str(error), goal=goal_text, alpha=options.alpha
        )

    memory = MembershipMemory(memberships)

    def make_proofs(of: PlanningSession, state: Instance) -> GoalProofs:
        return GoalProofs(
            of,
            state,
            options,
            memory,
            resources=resources,
            cancelled=cancelled,
            progress=progress,
            start=start,
        )

    def attempt(
        wanted: Expression,
        settings: PlanningOptions,
        world: PlanningWorld,
        explain_conflict: bool = False,
    ) -> PlanningResult:
        return plan(
            world.domain,
            world.instance,
            wanted,
            settings,
            memory,
            resources=resources,
            cancelled=cancelled,
            progress=progress,
            session=world.session,
            start=start,
            explain_conflict=explain_conflict,
        )

    if (session is not None and session.domain is not domain) or find_problems(options):
        return plan(domain, instance, goal, options, memory, session=session, start=start)
    try:
        check = Watch(options, cancelled, progress, start, Phase.PARSE).check
        session = session or PlanningSession(domain, check=check)
        own = session.restrict(remove_asking)
        here = PlanningWorld(instance, own, make_proofs(own, instance))
        strict = attempt(goal, options, here, explain_conflict=True)
        relaxes = options.allow_relaxation and not domain.relaxing.allows_nothing
        if strict.status not in _RELAXABLE or not relaxes:
            return strict
    except Interrupted as reason:
        return PlanningResult(reason.status, reason.sentence, goal=goal_text, alpha=options.alpha)
    relaxation = _Relaxing(domain, here, goal, options, make_proofs, attempt)
    result = relaxation.answer(strict)
    result = replace(result, expansions=strict.expansions, timings=strict.timings)
    elapsed = here.proofs.elapsed
    return describe_effort(result, relaxation.expansions, relaxation.timings, elapsed)


class _Relaxing:
    """The relaxation of one goal; every failure is a status with a sentence."""

    def __init__(
        self,
        domain: Domain,
        here: PlanningWorld,
        goal: Expression,
        options: PlanningOptions,
        make_proofs: MakeProofs,
        attempt: PlanGoal,
    ) -> None:
        self._arguments = (domain, here, goal, options, make_proofs, attempt)
        self._options = options
        self._instance = here.instance
        self.expansions = 0
        self.timings: Mapping[str, float] = {}

    def answer(self, strict: PlanningResult) -> PlanningResult:
        """Relax the goal after its failure as stated."""
        try:
            return self._relax(strict)
        except Interrupted as reason:
            text = f"{strict.message} {reason.sentence}"
            return replace(strict, status=reason.status, message=text)
        except GroundingError as error:
            text = f"{strict.message} It could not be relaxed: {error.sentence}"
            return replace(strict, status=PlanStatus.INTERNAL_ERROR, message=text)
        except MemoryError:
            text = f"{strict.message} The process ran out of memory."
            return replace(strict, status=PlanStatus.MEMOUT, message=text)
        except Exception as error:
            _LOG.exception("relaxing failed")
            text = f"Relaxing failed ({type(error).__name__}: {error}): please report this."
            return replace(
                strict, status=PlanStatus.INTERNAL_ERROR, message=f"{strict.message} {text}"
            )

    def _relax(self, strict: PlanningResult) -> PlanningResult:
        relaxation = GoalRelaxation(*self._arguments)
        self.timings = relaxation.timings
        strict = replace(strict, message=relaxation.words.tell_failure(strict))
        found = relaxation.search(strict)
        streams, words = relaxation.streams, relaxation.words
        answer = RelaxationAnswer(self._options, strict, streams, words)
        result = answer.conclude(found)
        if result.plan is None and result.status in _RELAXABLE:
            result = _add_missing(result, relaxation.find_missing())
        if result.plan is not None and found.node is not None:
            shifts = tuple(relaxation.find_shifts(found.node))
            result = replace(result, plan=replace(result.plan, shifts=shifts))
        self.expansions = relaxation.expansions
        return result


def _add_missing(result: PlanningResult, sentence: str) -> PlanningResult:
    if not sentence:
        return result
    return replace(result, would_take=sentence, message=f"{result.message} {sentence}")
