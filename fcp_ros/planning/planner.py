# SPDX-License-Identifier: Apache-2.0
"""The front door: plan for a request, and price the preferences that were given up."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError, put_alpha, to_text
from fcp_ros.fuzzy import AlphaCut, reaches
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.answer.explanation import (
    compare,
    explain_kept,
    explain_result,
    find_broken_constraint,
    list_candidates,
    list_given_up,
    list_kept,
    rank_by_price,
)
from fcp_ros.planning.answer.messages import (
    describe_given_up,
    describe_left_out,
    describe_parts,
    describe_plan,
    describe_unfinished,
    explain_below_alpha,
    explain_budgets,
    explain_unsolvable,
)
from fcp_ros.planning.answer.solution import Solution, SolverResult
from fcp_ros.planning.confirmation import plan_confirmed
from fcp_ros.planning.conflicts import find_conflict
from fcp_ros.planning.goal.ground_goal import GroundGoal, ground_goal
from fcp_ros.planning.goal.symmetry import SymmetryClasses, find_symmetry_classes
from fcp_ros.planning.handover import Handover, assemble
from fcp_ros.planning.model.ground_step import describe_budgets, find_latest_end
from fcp_ros.planning.model.memberships import find_failure_status
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise, Phase, ignore_progress
from fcp_ros.planning.model.result import (
    Candidate,
    Explanation,
    GivenUp,
    KeepingPrice,
    PlanningResult,
    PlanStatus,
    PriceKind,
    RequirementTrace,
    is_crisp,
    list_optimal,
)
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.plan_reuse import (
    ReusablePlan,
    find_reusable_plan,
    reuse_plan,
    try_suggestion,
)
from fcp_ros.planning.session import PhaseTimes, PlanningRequest, PlanningSession, RequestContext
from fcp_ros.planning.strategy import find_unit, solve_request
from fcp_ros.planning.traces import trace_requirements
from fcp_ros.planning.verification.stepping import Replay

PRICED = 8
"""Preferences given up whose price is looked for, the dearest first."""
SHARE = Fraction(1, 2)
"""Of the time that is left, for all of these searches together."""
_ENDED = "no time was left for it."


def price_preferences(
    context: RequestContext, goal: GroundGoal, best: Solution, is_crisp: bool
) -> tuple[GivenUp, ...]:
    """List the preferences that a solution gives up, each with the price of keeping it."""
    given_up = list_given_up(best, goal)
    dearest = rank_by_price(goal, list(given_up), context.options.optimise)
    prices = _Prices(replace(context, times=PhaseTimes(context.watch)), goal, best, is_crisp)
    seconds = float(SHARE) * context.watch.time_left
    for place, number in enumerate(dearest):
        before = context.watch.elapsed
        if place < PRICED:
            price = prices.find(number, seconds / min(PRICED - place, len(dearest) - place))
        else:
            price = _admit(f"only the {PRICED} dearest are looked into.")
        given_up[number] = replace(given_up[number], price=price)
        seconds -= context.watch.elapsed - before
    return tuple(given_up.values())


def _admit(reason: str) -> KeepingPrice:
    return KeepingPrice(PriceKind.UNKNOWN, reason=reason)


class _Prices:
    """Finds prices for one solution."""

    def __init__(
        self, context: RequestContext, goal: GroundGoal, best: Solution, is_crisp: bool
    ) -> None:
        self._context = context
        self._goal = goal
        self._best = best
        self._is_crisp = is_crisp

    def find(self, number: int, seconds: float) -> KeepingPrice:
        watch, optimise = self._context.watch, self._context.options.optimise
        goal = self._goal.require(number)
        broken = find_broken_constraint(goal, self._context.instance)
        if broken is not None:
            reason = f"it is broken before the first step: {broken.because}."
            return KeepingPrice(PriceKind.IMPOSSIBLE, reason=reason)
        if seconds <= 0.0 or watch.cancellation is not None:
            return _admit(_ENDED)
        try:
            with watch.look_aside(seconds):
                keeping, cut = self._solve(goal)
        except GroundingError as error:
            return _admit(error.sentence)
        except Interrupted:
            return _admit(_ENDED)
        except MemoryError:
            return _admit("no memory was left for it.")
        unit = find_unit(self._context, self._goal)
        return compare(self._best, keeping, cut.alpha, optimise, float(unit.size))

    def _solve(self, goal: GroundGoal) -> tuple[SolverResult, AlphaCut]:
        nothing_alike = SymmetryClasses.from_members(())
        return solve_request(self._context, goal, nothing_alike, None, self._is_crisp)


_LOG = logging.getLogger(__name__)

_UNSOLVABLE = (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)

_ONLY_SEQUENCES = "With windows or a deadline, only steps one after the other were searched."


def plan(request: PlanningRequest) -> PlanningResult:
    """Find the best plan, verify it, and hand it out if it reaches alpha.

    Returns:
        The result; every failure is a status with a sentence, nothing is raised.
    """
    return plan_confirmed(request, _plan_once)


def _plan_once(request: PlanningRequest) -> PlanningResult:
    domain, options = request.domain, request.options
    watch = request.watch()
    problems = find_problems(options)
    if problems:
        return PlanningResult(PlanStatus.INVALID_REQUEST, " ".join(problems))
    try:
        own = request.session or PlanningSession(domain, check=watch.check)
    except Interrupted as reason:
        return PlanningResult(reason.status, reason.sentence)
    if own.domain is not domain:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST,
            f"The session is one of domain {own.domain.name}: make one for {domain.name}.",
        )
    # A budget of time is a deadline; of two, the earlier one holds.
    latest = find_latest_end(options.budgets, options.deadline, domain)
    request = replace(request, options=replace(options, deadline=latest))
    context = RequestContext.begin(request, own.without(options.absent), watch)
    result = _Answering(request, context).answer()
    if not options.budgets or result.status not in _UNSOLVABLE:
        return result
    without = replace(request.options, budgets={}, improve_time=0.0, explain=False)
    again = replace(
        request,
        options=without,
        progress=ignore_progress,
        start=watch.start,
        take_suggestions=False,
    )
    quiet = again.watch()
    unbounded = replace(context, options=without, watch=quiet, times=PhaseTimes(quiet))
    free = _Answering(again, unbounded).answer()
    return replace(result, message=explain_budgets(result, free, options.budgets, domain))


class _Answering:
    """One planning request on its way through the stages."""

    def __init__(self, request: PlanningRequest, context: RequestContext) -> None:
        self._request = request
        self._context = context
        self._options = context.options
        self._watch = context.watch
        self._times = context.times
        self._checked: Expression | None = None

    @property
    def _goal(self) -> Expression:
        assert self._checked is not None, "checked first of all"
        return self._checked

    @cached_property
    def _goal_text(self) -> str:
        return to_text(self._goal)

    def answer(self) -> PlanningResult:
        """Run the stages; turn every failure into a status and a sentence."""
        try:
            result = self._run()
        except Interrupted as reason:
            result = PlanningResult(reason.status, reason.sentence)
        except ExpressionError as error:
            result = PlanningResult(PlanStatus.INVALID_REQUEST, str(error))
        except GroundingError as error:
            result = PlanningResult(find_failure_status(error), error.statement)
        except MemoryError:
            result = PlanningResult(PlanStatus.MEMOUT, "The process ran out of memory.")
        except Exception as error:
            _LOG.exception("planning failed")
            message = f"The planner failed ({type(error).__name__}: {error}): please report this."
            result = PlanningResult(PlanStatus.INTERNAL_ERROR, message)
        cancelled = self._watch.cancellation
        if cancelled is not None and result.status is not PlanStatus.CANCELLED:
            message = f"{cancelled.sentence} {result.message}"
            result = replace(result, status=PlanStatus.CANCELLED, message=message)
        return replace(
            result,
            timings={**self._times.seconds, "total": self._watch.elapsed},
            expansions=self._watch.expansions,
            goal=_write_goal(self._request.goal) if self._checked is None else self._goal_text,
            alpha=result.alpha if result.alpha_reason else self._options.alpha,
        )

    def _run(self) -> PlanningResult:
        context = self._context
        invalid = context.problems()
        if invalid:
            return PlanningResult(PlanStatus.INVALID_REQUEST, " ".join(invalid))
        with self._times(Phase.COMPILE):
            checked = self._request.read_goal()
            self._watch.check()
            self._checked = put_alpha(checked, self._options.cut().alpha)
        notes: tuple[str, ...] = ()
        if self._request.take_suggestions and context.session.suggester is not None:
            with self._times(Phase.SEARCH):
                suggested = try_suggestion(context, self._goal)
            if suggested.plan is not None:
                return self._explain_kept(suggested)
            notes = suggested.policy_notes
        return replace(self._search(), policy_notes=notes)

    def _search(self) -> PlanningResult:
        context = self._context
        with self._times(Phase.COMPILE):
            types = infer_types(self._goal, context.domain)
            self._watch.check()
            goal = ground_goal(
                self._goal,
                types,
                context.domain,
                context.instance,
                self._watch,
                in_parts=bool(self._options.budgets),
            )
            broken = find_broken_constraint(goal, context.instance)
            if broken is not None:
                conflict = broken.to_conflict()
                status = PlanStatus.UNSOLVABLE_PROVEN
                return PlanningResult(status, conflict.reason, conflict=conflict)
            self._watch.check()
            classes = self._find_classes(goal)
            kept = find_reusable_plan(context, self._goal) if goal.is_plain else None
        self._watch.check()
        if kept is not None and kept.is_perfect(self._options.optimise):
            with self._times(Phase.VERIFY):
                perfect = SolverResult(optimal=True, shortest=not kept.plan.steps)
                return self._reuse(kept, perfect, "no plan has a higher one")
        crisp = is_crisp(context.domain, self._goal)
        self._watch.check()
        found, cut = solve_request(context, goal, classes, kept, crisp)
        with self._times(Phase.VERIFY):
            if kept is not None and found.best is None:
                unsettled = "it was not settled whether a better one exists"
                why = "no plan is better" if found.optimal else unsettled
                return self._reuse(kept, found, why)
            result = self._conclude(found, cut, types, goal)
        if result.plan is None or found.best is None:
            return result
        if self._options.explain:
            with self._times(Phase.EXPLAIN):
                result = replace(result, traces=self._trace(goal, result.plan))
        if not goal.preferences:
            return result
        return self._describe_preferences(result, found.best, goal, crisp)

    def _trace(self, goal: GroundGoal, plan: Plan) -> tuple[RequirementTrace, ...]:
        context = self._context
        with suppress(Interrupted):
            check = self._watch.check_conclusion
            replay = Replay(context.domain, context.session.rules, check)
            return trace_requirements(goal, replay, context.instance, plan, context.amounts)
        return ()

    def _describe_preferences(
        self, result: PlanningResult, best: Solution, goal: GroundGoal, crisp: bool
    ) -> PlanningResult:
        given_up = tuple(list_given_up(best, goal).values())
        if goal.parts:
            message = f"{result.message} {describe_left_out(given_up, goal.parts)}"
            return replace(result, given_up=given_up, message=message)
        message = f"{result.message} {describe_given_up(given_up, len(goal.preferences))}"
        if self._options.explain and given_up:
            with self._times(Phase.EXPLAIN):
                given_up = price_preferences(self._context, goal, best, crisp)
        kept = list_kept(best, goal, self._context.judge.find_degree)
        return replace(result, given_up=given_up, kept_preferences=kept, message=message)

    def _find_classes(self, goal: GroundGoal) -> SymmetryClasses:
        options, context = self._options, self._context
        if not (options.switches.symmetry and goal.is_plain):
            return SymmetryClasses.from_members(())
        timed = options.optimise is Optimise.DURATION or math.isfinite(options.deadline)
        return find_symmetry_classes(
            context.domain, context.instance, self._goal, goal.formula, timed, options.absent
        )

    # --- the answer

    def _reuse(self, kept: ReusablePlan, found: SolverResult, why: str) -> PlanningResult:
        context = self._context
        optimal_in = list_optimal(
            found.optimal, found.shortest, kept.plan.membership, self._options.optimise
        )
        return self._explain_kept(reuse_plan(kept, Handover(context, self._goal), optimal_in, why))

    def _explain_kept(self, result: PlanningResult) -> PlanningResult:
        """Add the explanation of a plan without a search, if one is asked for."""
        context = self._context
        if not self._options.explain or result.plan is None:
            return result
        explanation = explain_kept(result.plan, context.instance, context.judge, context.tnorm)
        return replace(result, explanation=explanation)

    def _conclude(
        self, found: SolverResult, cut: AlphaCut, types: Mapping[str, str], goal: GroundGoal
    ) -> PlanningResult:
        context, best = self._context, found.best
        result = self._decide_status(found, cut.alpha, types, goal)
        candidates: tuple[Candidate, ...] = ()
        explanation: Explanation | None = None
        with suppress(Interrupted):  # no time is left for more than the plan
            check = self._watch.check_conclusion
            candidates = list_candidates(found, context.judge, context.tnorm, check)
            if self._options.explain:
                check()
                explanation = explain_result(found, context.judge, context.tnorm, cut.alpha)
        if result.plan is not None:
            context.session.remember_candidates(result.plan.goal, candidates)
        return replace(
            result,
            candidates=candidates,
            explanation=explanation,
            best_membership=0.0 if best is None else best.membership,
            alpha=cut.alpha,
            alpha_reason=cut.explanation,
        )

    def _decide_status(
        self, found: SolverResult, alpha: float, types: Mapping[str, str], goal: GroundGoal
    ) -> PlanningResult:
        """Decide the status of a result: the first line that applies."""
        best, interrupted = found.best, found.interrupted
        if best is not None and reaches(best.membership, alpha):
            return self._hand_over(best, found, alpha, goal)
        if interrupted is not None and interrupted.status is PlanStatus.CANCELLED:
            return PlanningResult(interrupted.status, interrupted.sentence)
        if best is not None and not reaches(found.bound, alpha):
            given_up = list_given_up(best, goal).values()
            sentence = explain_below_alpha(found, alpha, given_up)
            return PlanningResult(PlanStatus.UNSOLVABLE_AT_ALPHA, sentence)
        if interrupted is not None:
            sentence = f"{interrupted.sentence} {describe_unfinished(found, alpha)}"
            return PlanningResult(interrupted.status, sentence)
        if found.impossible:
            return self._explain_unsolvable(found, types)
        sentence = f"{_ONLY_SEQUENCES} {describe_unfinished(found, alpha)}"
        return PlanningResult(PlanStatus.UNSOLVABLE_INCOMPLETELY, sentence)

    def _explain_unsolvable(self, found: SolverResult, types: Mapping[str, str]) -> PlanningResult:
        reason = explain_unsolvable(found, self._goal, types)
        conflict = None
        if self._request.explain_conflict and not self._options.budgets:
            # With budgets, one of them may stand in the way.
            with self._times(Phase.EXPLAIN):
                conflict = find_conflict(self._context, self._goal)
        told = reason.sentence if reason.is_named or conflict is None else conflict.reason
        return PlanningResult(
            PlanStatus.UNSOLVABLE_PROVEN, told, conflict=conflict, is_reasoned=reason.is_named
        )

    def _hand_over(
        self, best: Solution, found: SolverResult, alpha: float, goal: GroundGoal
    ) -> PlanningResult:
        context = self._context
        optimise, in_parts = self._options.optimise, goal.parts > 0
        handover = Handover(context, self._goal, in_parts)
        given_up = list_given_up(best, goal).values()
        left_out = tuple(one.text for one in given_up if one.is_part)
        most = in_parts and (found.optimal or len(left_out) <= found.least_left_out)

        def describe(plan: Plan) -> str:
            if in_parts:
                budgets = describe_budgets(self._options.budgets)
                return describe_parts(found, len(plan.steps), len(left_out), budgets, optimise)
            equal = self._options.indifference
            return describe_plan(found, len(plan.steps), optimise, handover.is_crisp, equal)

        try:
            result = handover.hand_over(
                assemble(best, self._goal_text, context, alpha, left_out),
                list_optimal(found.optimal, found.shortest, best.membership, optimise, most),
                describe,
                windows=best.windows,
            )
            return handover.share_work(result) if self._options.share_work else result
        except Interrupted as reason:
            steps = len(best.decoded.steps)
            unverified = f"A plan of {steps} steps was found, but no time was left to verify it."
            return PlanningResult(reason.status, f"{reason.sentence} {unverified}")


def _write_goal(goal: Expression | str) -> str:
    return goal if isinstance(goal, str) else to_text(goal)
