# SPDX-License-Identifier: Apache-2.0
"""Plans without a search: an earlier plan for the goal, if it still holds, and suggested ones.

The scene may have changed since, or the first steps of the plan may be done. A plan holds if its
remaining steps can be done in the present state, reach the goal and pass the alpha-cut. All of it
is worked out again, with degrees of the present request: a degree that has moved is noticed. So it
is for the steps that a general policy suggests.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression, to_text
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import EPSILON, AlphaCut, count_graded_steps, reaches
from fcp_ros.planning.encoding.costs import CostUnit
from fcp_ros.planning.handover import Handover, StepDraft, make_plan, value_steps
from fcp_ros.planning.model.ground_step import GroundStep, compute_cost, list_graded_atoms
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.request import BestPlan, Optimise, Phase
from fcp_ros.planning.model.result import Measure, PlanningResult, PlanStatus, Verdict, list_optimal
from fcp_ros.planning.session import RequestContext
from fcp_ros.planning.verification.stepping import Replay
from fcp_ros.planning.verification.verify import value_goal

LONGEST_SUGGESTION = 20.0
"""Seconds of a request's time limit of which a share is for suggestions, however long it is."""
SHARE_OF_SUGGESTIONS = 0.3
"""Share of the time in which a suggestion has to be made; the rest is left to the search."""


@dataclass(frozen=True)
class ReusablePlan:
    """An earlier plan that still holds."""

    plan: Plan
    done: int  # number of its first steps that are left out, as they are done or no longer needed
    # the verifier's, if the plan is the same to the last number; else None
    verdict: Verdict | None = None

    def is_perfect(self, optimise: Optimise) -> bool:
        """Return True if no plan can be better."""
        return optimise is Optimise.MEMBERSHIP and self.plan.membership >= 1.0 - EPSILON

    def find_cost(self, domain: Domain, optimise: Optimise, unit: CostUnit) -> float:
        """Return the cost of the plan in the objective's additive criterion, as in flat tasks."""
        if optimise is Optimise.MEMBERSHIP:
            return float(len(self.plan.steps))
        if optimise is Optimise.DURATION:
            return self.plan.duration
        steps = (_ground(step, domain) for step in self.plan.steps)
        return sum(unit.count(compute_cost(step.rule, step.arguments)) for step in steps)


def find_reusable_plan(context: RequestContext, goal: Expression) -> ReusablePlan | None:
    """Find what is left of the last plan for a goal; None if that does not hold."""
    options = context.options
    previous = context.session.last_plan(to_text(goal))
    if previous is None or not options.keep or math.isfinite(options.deadline) or options.budgets:
        return None
    adaptive = options.policy is not None and options.policy.adaptive
    if adaptive and options.optimise is not Optimise.MEMBERSHIP:
        return None  # the cut depends on the best plan, which is not known yet
    found = _verify_unchanged(previous, context, goal) or _find_rest(previous, context, goal)
    if found is not None:
        context.watch.report_plan(_summarise(found, context), acceptable=True)
    return found


def reuse_plan(
    reusable: ReusablePlan, handover: Handover, optimal_in: tuple[Measure, ...], why: str
) -> PlanningResult:
    """Make the result that hands out an earlier plan once more."""
    context = handover.context
    plan = reusable.plan
    left = f"what is left of it, {len(plan.steps)} steps," if reusable.done else "it"
    sentence = f"The earlier plan still holds: {left} has membership {plan.membership:.2f}; {why}."
    cut = _find_cut(plan, context)
    result = handover.hand_over(plan, optimal_in, lambda _plan: sentence, verdict=reusable.verdict)
    return replace(
        result,
        kept=reusable.done,
        candidates=context.session.last_candidates(plan.goal),
        best_membership=plan.membership,
        alpha=cut.alpha,
        alpha_reason=cut.explanation,
    )


def try_suggestion(context: RequestContext, goal: Expression) -> PlanningResult:
    """Hand out the plan that is suggested for a goal, if it passes the alpha-cut and the verifier.

    Returns:
        the result; without a plan it only holds the reasons why no policy made one.
    """
    suggester, options = context.session.suggester, context.options
    assert suggester is not None, "checked by the caller"
    seconds = SHARE_OF_SUGGESTIONS * min(options.time_limit, LONGEST_SUGGESTION)
    found = suggester.suggest(context.instance, goal, seconds, context.watch.check)
    none = PlanningResult(PlanStatus.UNSOLVABLE_INCOMPLETELY, "", policy_notes=found.notes)
    if found.steps is None:
        return none
    missing = {rule for rule, _ in found.steps} - context.domain.rules.keys()
    if missing:
        why = f"it uses {', '.join(sorted(missing))}, which may not be planned with here"
        return _add_note(none, found.policy, why)
    plan = _value_suggestion(found.steps, goal, context)
    cut = _find_cut(plan, context)
    if not reaches(plan.membership, cut.alpha):
        why = f"its plan has membership {plan.membership:.2f}, below alpha {cut.alpha:.2f}"
        return _add_note(none, found.policy, why)
    sentence = (
        f"The general policy {found.policy} made this plan of {len(plan.steps)} steps without a "
        f"search; its membership is {plan.membership:.2f}."
    )
    optimal_in = list_optimal(False, not plan.steps, plan.membership, options.optimise)
    plan = replace(plan, alpha=cut.alpha)
    with context.times(Phase.VERIFY):
        result = Handover(context, goal).hand_over(plan, optimal_in, lambda _plan: sentence)
    if result.plan is None:
        return _add_note(none, found.policy, result.message)
    return replace(
        result,
        best_membership=plan.membership,
        alpha=cut.alpha,
        alpha_reason=cut.explanation,
        policy=found.policy,
        policy_notes=found.notes,
        policy_trace=found.trace,
    )


def _add_note(result: PlanningResult, policy: str, why: str) -> PlanningResult:
    note = f"Policy {policy} was not used: {why.rstrip('.')}."
    return replace(result, policy_notes=(*result.policy_notes, note))


def _value_suggestion(
    steps: Sequence[tuple[str, tuple[str, ...]]], goal: Expression, context: RequestContext
) -> Plan:
    ground = [GroundStep(context.domain.rules[rule], arguments) for rule, arguments in steps]
    return make_plan(to_text(goal), map(_draft, ground), context, context.options.alpha)


def _verify_unchanged(
    previous: Plan, context: RequestContext, goal: Expression
) -> ReusablePlan | None:
    if (previous.tnorm, previous.alpha) != (context.tnorm.name, _find_cut(previous, context).alpha):
        return None
    verdict = Handover(context, goal).verify(previous)
    return ReusablePlan(previous, 0, verdict) if verdict.ok else None


def _find_rest(previous: Plan, context: RequestContext, goal: Expression) -> ReusablePlan | None:
    """Find the longest rest of an earlier plan that holds in the present state."""
    replay = Replay(context.domain, context.session.rules, context.watch.check)
    names = {name for step in previous.steps for name in step.elements}
    names.update(name for _, name in previous.binding)
    if not all(context.instance.has(name) for name in names):
        return None
    for done in range(len(previous.steps) + 1):
        steps = previous.steps[done:]
        replayed = replay.run(context.instance, [(str(s), s) for s in steps], context.amounts)
        if not replayed.complete or replayed.problems:
            continue
        plan = _value_rest(previous, steps, goal, replayed.states[-1], context)
        alpha = _find_cut(plan, context).alpha
        if plan.goal_degree > 0.0 and reaches(plan.membership, alpha):
            plan = replace(plan, alpha=alpha, resources_after=dict(replayed.left))
            return ReusablePlan(plan if done else replace(plan, id=previous.id), done)
    return None


def _value_rest(
    previous: Plan,
    steps: tuple[PlanStep, ...],
    goal: Expression,
    final: Instance,
    context: RequestContext,
) -> Plan:
    judge, tnorm = context.judge, context.tnorm
    fresh = value_steps((_draft(_ground(step, context.domain)) for step in steps), context)
    degree = value_goal(goal, previous, (final,), judge, context.domain, tnorm)
    return replace(
        previous,
        steps=fresh,
        membership=tnorm.compose_all([*(step.degree for step in fresh), degree]),
        goal_degree=degree,
        goal_judgements=tuple(judge.judge_atom(j.atom) for j in previous.goal_judgements),
        tnorm=tnorm.name,
        id=str(uuid.uuid4()),
        schedule=None,
    )


def _summarise(found: ReusablePlan, context: RequestContext) -> BestPlan:
    optimise, unit = context.options.optimise, context.session.cost_unit
    cost = found.find_cost(context.domain, optimise, unit)
    if optimise is Optimise.COST:
        cost *= float(unit.size)
    return BestPlan(found.plan.membership, len(found.plan.steps), cost)


def _find_cut(plan: Plan, context: RequestContext) -> AlphaCut:
    degrees = [*(step.degree for step in plan.steps), plan.goal_degree]
    return context.options.cut(count_graded_steps(degrees))


def _ground(step: PlanStep, domain: Domain) -> GroundStep:
    return GroundStep(domain.rules[step.rule], step.elements)


def _draft(step: GroundStep) -> StepDraft:
    return StepDraft(step.rule, step.arguments, list_graded_atoms(step))
