# SPDX-License-Identifier: Apache-2.0
"""From a goal's text to a result: parse, check, plan as stated, and relax only if that fails."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.memberships import MembershipMemory, find_failure_status
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import Phase, PlanningOptions, Progress
from fcp_ros.planning.model.result import PlanningResult, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart
from fcp_ros.planning.planner import plan
from fcp_ros.planning.request_context import PlanningRequest
from fcp_ros.planning.session import PlanningSession
from fcp_ros.relaxation.answer import RelaxationAnswer
from fcp_ros.relaxation.below_alpha import explain_below_alpha
from fcp_ros.relaxation.engine import GoalRelaxation, describe_effort
from fcp_ros.relaxation.worlds import PlanningWorld, remove_asking

_LOG = logging.getLogger(__name__)

_RELAXABLE = (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)


def plan_goal(
    request: PlanningRequest,
    # what somebody said that it is for, such as "calling a doctor"; substitutes are judged for
    # that, too
    purpose: str = "",
) -> PlanningResult:
    """Plan a goal as a user wrote it.

    Returns:
        the result; nothing is raised. A goal that can't be read is INVALID_REQUEST, and the message
        points at the character. A relaxed result lists its changes with their reasons.
    """
    options, text = request.options, str(request.goal)
    request = replace(
        request,
        memberships=MembershipMemory(request.memberships),
        start=request.start or RequestStart.now(),
    )
    request.progress(Progress(Phase.PARSE))
    try:
        goal = request.read_goal()
    except ExpressionError as error:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST, str(error), goal=text, alpha=options.alpha
        )
    session = request.session
    if (session is not None and session.domain is not request.domain) or find_problems(options):
        return plan(replace(request, goal=goal))
    asked = _GoalRequest(request, goal, purpose)
    try:
        here = asked.open_world()
        strict = asked.plan(goal, options, here, is_as_stated=True)
        if strict.status is PlanStatus.UNSOLVABLE_AT_ALPHA:
            strict = asked.explain_below_alpha(here, strict)
            if strict.plan is not None:
                return strict
    except Interrupted as reason:
        return PlanningResult(reason.status, reason.sentence, goal=text, alpha=options.alpha)
    relaxes = options.allow_relaxation and not request.domain.relaxing.allows_nothing
    if strict.status not in _RELAXABLE or not relaxes:
        return strict
    return asked.relax(here, strict)


@dataclass(frozen=True)
class _GoalRequest:
    """The request, which is the same for the goal as stated and for its relaxations."""

    request: PlanningRequest
    goal: Expression  # checked
    purpose: str

    def open_world(self) -> PlanningWorld:
        """Make the world as it is, without the rules that ask a person; may be `Interrupted`."""
        request = self.request
        check = request.watch(Phase.PARSE).check
        whole = request.session or PlanningSession(request.domain, check=check)
        own = whole.restrict(remove_asking, check)
        return PlanningWorld(request.instance, own, self.make_proofs(own, request.instance))

    def make_proofs(self, session: PlanningSession, state: Instance) -> GoalProofs:
        """Make the proofs about goals in a world."""
        return GoalProofs(replace(self.request, instance=state), session)

    def plan(
        self,
        wanted: Expression,
        options: PlanningOptions,
        world: PlanningWorld,
        is_as_stated: bool = False,
    ) -> PlanningResult:
        """Plan a goal in a world, within the limits of the request.

        Policies suggest plans for the goal as stated only, and only there steps decide between
        memberships that are nearly equal: relaxed goals are compared by their best plans.
        """
        if not is_as_stated:
            options = replace(options, indifference=0.0)
        return plan(
            replace(
                self.request,
                domain=world.domain,
                instance=world.instance,
                goal=wanted,
                options=options,
                session=world.session,
                explain_conflict=is_as_stated,
                take_suggestions=is_as_stated,
            )
        )

    def explain_below_alpha(self, here: PlanningWorld, strict: PlanningResult) -> PlanningResult:
        """Propose a plan that is only long, or say what keeps all plans below alpha."""
        looked = explain_below_alpha(
            strict,
            self.request.options,
            lambda options: self.plan(self.goal, options, here),
            here.domain,
            here.instance,
        )
        if looked.plan is None:
            return looked
        return describe_effort(looked, strict.expansions, strict.timings, here.proofs.elapsed)

    def relax(self, here: PlanningWorld, strict: PlanningResult) -> PlanningResult:
        """Relax the goal after its failure as stated; every failure is a status with a sentence."""
        relaxing = _Relaxing(self, here)
        result = replace(
            relaxing.answer(strict), expansions=strict.expansions, timings=strict.timings
        )
        elapsed = here.proofs.elapsed
        return describe_effort(result, relaxing.expansions, relaxing.timings, elapsed)


class _Relaxing:
    """The relaxation of one goal, and the effort that it took so far."""

    def __init__(self, request: _GoalRequest, here: PlanningWorld) -> None:
        self._request = request
        self._here = here
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
            return replace(strict, status=find_failure_status(error), message=text)
        except MemoryError:
            text = f"{strict.message} The process ran out of memory."
            return replace(strict, status=PlanStatus.MEMOUT, message=text)
        except Exception as error:
            _LOG.exception("relaxing failed")
            text = f"Relaxing failed ({type(error).__name__}: {error}): please report this."
            message = f"{strict.message} {text}"
            return replace(strict, status=PlanStatus.INTERNAL_ERROR, message=message)

    def _relax(self, strict: PlanningResult) -> PlanningResult:
        asked, options = self._request, self._request.request.options
        relaxation = GoalRelaxation(
            asked.request.domain,
            self._here,
            asked.goal,
            options,
            asked.make_proofs,
            asked.plan,
            asked.purpose,
        )
        self.timings = relaxation.timings
        strict = replace(strict, message=relaxation.words.tell_failure(strict))
        found = relaxation.search(strict)
        streams, words = relaxation.streams, relaxation.words
        result = RelaxationAnswer(options, strict, streams, words).conclude(found)
        if result.plan is None and result.status in _RELAXABLE:
            result = _add_missing(result, *relaxation.find_missing())
        if result.plan is not None and found.node is not None:
            shifts = tuple(relaxation.find_shifts(found.node))
            result = replace(result, plan=replace(result.plan, shifts=shifts))
        self.expansions = relaxation.expansions
        return result


def _add_missing(result: PlanningResult, would_take: str, unknown: str) -> PlanningResult:
    message = " ".join(one for one in (result.message, would_take, unknown) if one)
    return replace(result, would_take=would_take, message=message)
