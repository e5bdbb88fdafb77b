# SPDX-License-Identifier: Apache-2.0
"""The planner: domain, state and goal in, verified plan or a precise reason why not out."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.check import check_goal
from fcp_ros.domain.expression import Expression, ExpressionError, to_text
from fcp_ros.domain.infer_types import infer_types
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import (
    EPSILON,
    AlphaCut,
    TNorm,
    reaches,
    tnorm_by_name,
)
from fcp_ros.grounding.errors import GroundingCode, GroundingError
from fcp_ros.planning.assembly import assemble
from fcp_ros.planning.candidates import candidates_of
from fcp_ros.planning.compile.formula import Formula
from fcp_ros.planning.compile.goal_grounding import ground_goal
from fcp_ros.planning.compile.symmetry import Twins, twins_of
from fcp_ros.planning.explain import below_alpha, said_of, so_far, why_none
from fcp_ros.planning.explanation import explanation_of
from fcp_ros.planning.flat_search import FlatSearch
from fcp_ros.planning.handover import Handover
from fcp_ros.planning.keep import Kept, still_holding
from fcp_ros.planning.model.explanation import Explanation
from fcp_ros.planning.model.memberships import Judge, MembershipSource
from fcp_ros.planning.model.plan import Plan
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
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.solve import Solution, Solved
from fcp_ros.planning.strategy import Strategy
from fcp_ros.planning.verification.meeting_claims import plan_meeting

_LOG = logging.getLogger(__name__)

_OUR_FAULT = frozenset(
    {
        GroundingCode.INVALID_DEGREE,
        GroundingCode.MODEL_FAILED,
        GroundingCode.NO_ANSWER,
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
    kept = PlanningSession(domain) if session is None else session
    if kept.domain is not domain:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST,
            f"The session is one of domain {kept.domain.name}: make one for {domain.name}.",
        )
    watch = Watch(options, cancelled, progress)
    return _Request(kept, instance, goal, options, memberships, resources, watch).answer()


class _Request:
    """One planning request on its way through the stages."""

    def __init__(
        self,
        session: PlanningSession,
        instance: Instance,
        goal: Expression,
        options: PlanningOptions,
        memberships: MembershipSource,
        resources: Mapping[str, float] | None,
        watch: Watch,
    ) -> None:
        self._session = session
        self._domain = session.domain
        self._instance = instance
        self._goal = goal
        self._options = options
        self._source = memberships
        self._given = dict(resources or {})
        self._watch = watch
        self._judge = Judge(self._domain, instance, memberships, watch.check)
        self._search = FlatSearch(options, watch)
        self._timings: dict[str, float] = {}
        self._inner = 0.0

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
            timings={**self._timings, "total": self._watch.elapsed},
            expansions=self._watch.expansions,
            goal=to_text(self._goal),
            alpha=result.alpha if result.alpha_reason else self._options.alpha,
        )

    def _run(self) -> PlanningResult:
        invalid = self._invalid()
        if invalid:
            return self._result(PlanStatus.INVALID_REQUEST, " ".join(invalid))
        with self._stage(Phase.COMPILE):
            self._goal = check_goal(self._goal, self._domain, self._instance)
            types = infer_types(self._goal, self._domain)
            formula = ground_goal(self._goal, types, self._domain, self._instance, self._watch)
            twins = self._twins(formula)
            kept = self._kept()
        if kept is not None and self._is_perfect(kept):
            with self._stage(Phase.VERIFY):
                return self._keep(kept, True, "no plan has a higher one")
        strategy = Strategy(
            self._session,
            self._instance,
            self._options,
            self._given,
            self._judge,
            self._watch,
            self._stage,
            self._search,
        )
        solved, alpha = strategy.solved(formula, twins, kept)
        with self._stage(Phase.VERIFY):
            if kept is not None and solved.best is None:
                said = _NONE_BETTER if solved.optimal else _NOT_SETTLED
                return self._keep(kept, solved.optimal, said)
            return self._concluded(solved, alpha, types)

    # --- an earlier plan

    def _kept(self) -> Kept | None:
        """What is left of the plan that was made for this goal before, if that still holds."""
        previous = self._session.last_plan(to_text(self._goal))
        options = self._options
        if previous is None or not options.keep or math.isfinite(options.deadline):
            return None
        kept = self._unchanged(previous) or still_holding(
            previous,
            self._session,
            self._instance,
            self._goal,
            self._judge,
            self._amounts(),
            self._tnorm(),
            self._options.cut().alpha,
        )
        if kept is not None:
            self._watch.found(kept.plan.membership, acceptable=True)
        return kept

    def _unchanged(self, previous: Plan) -> Kept | None:
        """The earlier plan, if all that it says is so in the present state, too."""
        if (previous.tnorm, previous.alpha) != (self._tnorm().name, self._options.cut().alpha):
            return None
        verdict = self._handover().verdict(previous)
        return Kept(previous, 0, verdict) if verdict.ok else None

    def _is_perfect(self, kept: Kept) -> bool:
        """Whether no plan can be better, whatever there is to be done."""
        membership = self._options.optimise is Optimise.MEMBERSHIP
        return membership and kept.plan.membership >= 1.0 - EPSILON

    def _keep(self, kept: Kept, optimal: bool, why: str) -> PlanningResult:
        left = f"what is left of it, {len(kept.plan.steps)} steps," if kept.done else "it"
        worth = f"{kept.plan.membership:.2f}"
        sentence = f"The earlier plan still holds: {left} has membership {worth}; {why}."
        cut = self._options.cut()
        result = self._handover().result(
            kept.plan, optimal, lambda _plan: sentence, verdict=kept.verdict
        )
        return replace(
            result,
            kept=kept.done,
            candidates=self._session.last_candidates(kept.plan.goal),
            best_membership=kept.plan.membership,
            alpha=cut.alpha,
            alpha_reason=cut.explanation,
        )

    def _twins(self, formula: Formula) -> Twins:
        """The elements of which one is as good as another."""
        options = self._options
        if not options.switches.symmetry:
            return Twins.of(())
        timed = options.optimise is Optimise.DURATION or math.isfinite(options.deadline)
        return twins_of(self._domain, self._instance, self._goal, formula, timed)

    def _tnorm(self) -> TNorm:
        return tnorm_by_name(self._options.tnorm)

    def _amounts(self) -> dict[str, float]:
        """What there is of each resource at first."""
        return {n: self._given.get(n, r.initial) for n, r in self._domain.resources.items()}

    @contextmanager
    def _stage(self, phase: Phase) -> Iterator[None]:
        """A phase of the request; the time of a phase inside another counts for itself only."""
        outer = self._watch.phase
        started, inner = time.perf_counter(), self._inner
        self._inner = 0.0
        self._watch.enter(phase)
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            self._timings[phase.value] = self._timings.get(phase.value, 0.0) + spent - self._inner
            self._inner = inner + spent
            self._watch.back_to(outer)

    # --- the stages

    def _invalid(self) -> list[str]:
        """What is wrong with the request's numbers."""
        found = list(self._options.problems())
        for name, value in self._given.items():
            if name not in self._domain.resources:
                known = ", ".join(self._domain.resources) or "none"
                found.append(f"Unknown resource {name}: the domain has {known}.")
            elif not math.isfinite(value):
                found.append(f"The amount of {name} is {value!r}: give a finite number.")
        return found

    # --- the answer

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
        candidates = candidates_of(solved, self._judge, self._tnorm())
        if result.plan is not None:
            self._session.remember_candidates(result.plan.goal, candidates)
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
        return explanation_of(solved, self._judge, self._tnorm(), alpha)

    def _handed_over(self, best: Solution, solved: Solved, alpha: float) -> PlanningResult:
        tnorm = self._tnorm()
        plan = assemble(
            best,
            to_text(self._goal),
            self._domain,
            self._instance,
            self._judge,
            self._given,
            tnorm,
            alpha,
        )
        met = self._search.meeting
        meeting = None
        if met is not None and solved.encoding is not None and met.operators == best.operators:
            meeting = plan_meeting(met, solved.encoding, tnorm)
        return self._handover().result(
            plan,
            solved.optimal,
            lambda found: said_of(solved, len(found.steps), self._options.optimise),
            meeting,
        )

    def _handover(self) -> Handover:
        return Handover(
            self._session,
            self._instance,
            self._goal,
            self._source,
            self._amounts(),
            self._options.deadline,
            self._watch.check_cancelled,
        )

    @staticmethod
    def _result(status: PlanStatus, message: str) -> PlanningResult:
        return PlanningResult(status, message)
