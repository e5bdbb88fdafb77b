# SPDX-License-Identifier: Apache-2.0
"""The planner: domain, state and goal in, verified plan or a precise reason why not out."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError, to_text
from fcp_ros.domain.expressions.types import infer_types
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import AlphaCut, reaches
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.planning.assembly import assemble
from fcp_ros.planning.candidates import candidates_of
from fcp_ros.planning.explain import below_alpha, said_of, so_far, why_none
from fcp_ros.planning.explanation import explanation_of, explanation_of_kept
from fcp_ros.planning.flat_search import FlatSearch
from fcp_ros.planning.goal.formula import Formula
from fcp_ros.planning.goal.grounding import ground_goal
from fcp_ros.planning.goal.symmetry import SymmetryClasses, find_symmetry_classes
from fcp_ros.planning.handover import Handover
from fcp_ros.planning.keep import Kept, kept_plan, kept_result
from fcp_ros.planning.model.explanation import Explanation
from fcp_ros.planning.model.memberships import Judge, MembershipSource
from fcp_ros.planning.model.request import (
    CancelCallback,
    Optimise,
    Phase,
    PlanningOptions,
    ProgressCallback,
    ignore,
    never,
)
from fcp_ros.planning.model.result import PlanningResult
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.phase_times import PhaseTimes
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.solution import Solution, Solved
from fcp_ros.planning.strategy import Strategy
from fcp_ros.planning.verification.meeting_claims import plan_meeting

_LOG = logging.getLogger(__name__)

_OUR_FAULT = frozenset(
    {
        GroundingCode.INVALID_DEGREE,
        GroundingCode.MODEL_FAILED,
        GroundingCode.NO_ANSWER,
        GroundingCode.SERVER_FAILED,
        GroundingCode.SERVER_UNREACHABLE,
        GroundingCode.STORE_FAILED,
    }
)
"""Grounding errors that no other request would avoid."""

_NONE_BETTER = "no plan is better"
_ONE_AFTER_THE_OTHER = "Where times matter, only steps done one after the other were searched."
_NOT_SETTLED = "whether a better one exists was not settled"


def plan(
    domain: Domain,
    instance: Instance,
    goal: Expression,
    options: PlanningOptions,
    memberships: MembershipSource,
    *,
    resources: Mapping[str, float] | None = None,
    cancelled: CancelCallback = never,
    progress: ProgressCallback = ignore,
    session: PlanningSession | None = None,
) -> PlanningResult:
    """Find the best plan, verify it, and hand it out if it reaches alpha.

    Arguments:
        domain: what can be done.
        instance: the state to start in.
        goal: what is wanted, checked by `check_goal` or not.
        options: alpha, what is optimised, limits, t-norm, seed.
        memberships: judges graded predicates.
        resources: what there is of each resource now; the domain's initial values by default.
        cancelled: asked every few milliseconds whether to give up.
        progress: told about phases, expansions and the best membership so far.
        session: what is kept from one request to the next in the same domain. With it a plan that
            was made for this goal before is kept as long as it holds and none is better.

    Returns:
        the result; every failure is a status with a sentence, nothing is raised.
    """
    own = PlanningSession(domain) if session is None else session
    if own.domain is not domain:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST,
            f"The session is one of domain {own.domain.name}: make one for {domain.name}.",
        )
    watch = Watch(options, cancelled, progress)
    judge = Judge(domain, instance, memberships, watch.check)
    given = dict(resources or {})
    context = RequestContext(own, instance, options, given, judge, watch)
    return _Request(context, goal).answer()


class _Request:
    """One planning request on its way through the stages."""

    def __init__(self, context: RequestContext, goal: Expression) -> None:
        self._context = context
        self._goal = goal
        self._options = context.options
        self._watch = context.watch
        self._times = PhaseTimes(context.watch)
        self._search = FlatSearch(context.options, context.watch)

    def answer(self) -> PlanningResult:
        """Run the stages; turn whatever goes wrong into a status and a sentence."""
        try:
            result = self._run()
        except Interrupted as reason:
            result = self._result(reason.status, reason.sentence)
        except ExpressionError as error:
            result = self._result(PlanStatus.INVALID_REQUEST, str(error))
        except GroundingError as error:
            ours = error.code in _OUR_FAULT
            status = PlanStatus.INTERNAL_ERROR if ours else PlanStatus.INVALID_REQUEST
            result = self._result(status, error.sentence)
        except MemoryError:
            result = self._result(PlanStatus.MEMOUT, "The process ran out of memory.")
        except Exception as error:
            _LOG.exception("planning failed")
            message = f"The planner failed ({type(error).__name__}: {error}): please report this."
            result = self._result(PlanStatus.INTERNAL_ERROR, message)
        return replace(
            result,
            timings={**self._times.seconds, "total": self._watch.elapsed},
            expansions=self._watch.expansions,
            goal=to_text(self._goal),
            alpha=result.alpha if result.alpha_reason else self._options.alpha,
        )

    def _run(self) -> PlanningResult:
        context = self._context
        invalid = context.problems()
        if invalid:
            return self._result(PlanStatus.INVALID_REQUEST, " ".join(invalid))
        with self._times(Phase.COMPILE):
            self._goal = check_goal(self._goal, context.domain, context.instance)
            types = infer_types(self._goal, context.domain)
            formula = ground_goal(self._goal, types, context.domain, context.instance, self._watch)
            classes = self._find_classes(formula)
            kept = kept_plan(context, self._goal)
        if kept is not None and kept.is_perfect(self._options.optimise):
            with self._times(Phase.VERIFY):
                return self._keep(kept, True, "no plan has a higher one")
        strategy = Strategy(context, self._times, self._search)
        solved, cut = strategy.solved(formula, classes, kept)
        with self._times(Phase.VERIFY):
            if kept is not None and solved.best is None:
                said = _NONE_BETTER if solved.optimal else _NOT_SETTLED
                return self._keep(kept, solved.optimal, said)
            return self._concluded(solved, cut, types)

    def _find_classes(self, formula: Formula) -> SymmetryClasses:
        """The elements of which one is as good as another."""
        options, context = self._options, self._context
        if not options.switches.symmetry:
            return SymmetryClasses.from_members(())
        timed = options.optimise is Optimise.DURATION or math.isfinite(options.deadline)
        return find_symmetry_classes(context.domain, context.instance, self._goal, formula, timed)

    # --- the answer

    def _keep(self, kept: Kept, optimal: bool, why: str) -> PlanningResult:
        context = self._context
        result = kept_result(kept, Handover(context, self._goal), optimal, why)
        if not self._options.explain:
            return result
        explanation = explanation_of_kept(kept.plan, context.instance, context.judge, context.tnorm)
        return replace(result, explanation=explanation)

    def _concluded(self, solved: Solved, cut: AlphaCut, types: Mapping[str, str]) -> PlanningResult:
        best, alpha, interrupted = solved.best, cut.alpha, solved.interrupted
        if interrupted is not None and interrupted.status is PlanStatus.CANCELLED:
            result = self._result(interrupted.status, interrupted.sentence)
        elif best is not None and reaches(best.membership, alpha):
            result = self._handed_over(best, solved, alpha)
        elif best is not None and not reaches(solved.bound, alpha):
            result = self._result(PlanStatus.UNSOLVABLE_AT_ALPHA, below_alpha(solved, alpha))
        elif interrupted is not None:
            sentence = f"{interrupted.sentence} {so_far(solved, alpha)}"
            result = self._result(interrupted.status, sentence)
        elif solved.impossible:
            result = self._result(PlanStatus.UNSOLVABLE_PROVEN, why_none(solved, self._goal, types))
        else:
            sentence = f"{_ONE_AFTER_THE_OTHER} {so_far(solved, alpha)}"
            result = self._result(PlanStatus.UNSOLVABLE_INCOMPLETELY, sentence)
        candidates = candidates_of(solved, self._context.judge, self._context.tnorm)
        if result.plan is not None:
            self._context.session.remember_candidates(result.plan.goal, candidates)
        return replace(
            result,
            candidates=candidates,
            explanation=self._explanation(solved, alpha),
            best_membership=0.0 if best is None else best.membership,
            alpha=alpha,
            alpha_reason=cut.explanation,
        )

    def _explanation(self, solved: Solved, alpha: float) -> Explanation | None:
        if not self._options.explain:
            return None
        return explanation_of(solved, self._context.judge, self._context.tnorm, alpha)

    def _handed_over(self, best: Solution, solved: Solved, alpha: float) -> PlanningResult:
        context, met = self._context, self._search.meeting
        meeting = None
        if met is not None and solved.encoding is not None and met.operators == best.operators:
            meeting = plan_meeting(met, solved.encoding, context.tnorm)
        return Handover(context, self._goal).result(
            assemble(best, to_text(self._goal), context, alpha),
            solved.optimal,
            lambda found: said_of(solved, len(found.steps), self._options.optimise),
            meeting,
        )

    @staticmethod
    def _result(status: PlanStatus, message: str) -> PlanningResult:
        return PlanningResult(status, message)
