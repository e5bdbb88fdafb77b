# SPDX-License-Identifier: Apache-2.0
"""Does an earlier plan still hold? After a change of the scene, or after its first steps were done.

A plan holds if what is left of it, from some step on, can be done in the present state, reaches the
goal and passes the alpha-cut. All of it is worked out anew, as for a plan that was never seen.
"""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression, to_text
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import EPSILON, AlphaCut, graded_steps, reaches
from fcp_ros.planning.assembly import StepDraft, value_steps
from fcp_ros.planning.handover import Handover
from fcp_ros.planning.model.ground_step import GroundStep, cost_of, graded_atoms_of
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.result import PlanningResult
from fcp_ros.planning.model.verdict import Verdict
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.stepping.replay import Replay
from fcp_ros.planning.verification.degrees import graded_atom, value_goal


@dataclass(frozen=True)
class Kept:
    """An earlier plan that still holds.

    Attributes:
        plan: what is left of it, with degrees of the present state.
        done: how many of its steps are left out, because they are done or not needed any more.
        verdict: the verifier's, where the plan is unchanged to the last number.
    """

    plan: Plan
    done: int
    verdict: Verdict | None = None

    def is_perfect(self, optimise: Optimise) -> bool:
        """Whether no plan can be better, whatever there is to be done."""
        return optimise is Optimise.MEMBERSHIP and self.plan.membership >= 1.0 - EPSILON

    def cost_by(self, domain: Domain, optimise: Optimise) -> float:
        """What it costs in the objective's second (or first) criterion."""
        if optimise is Optimise.MEMBERSHIP:
            return float(len(self.plan.steps))
        if optimise is Optimise.DURATION:
            return self.plan.duration
        steps = (_ground(step, domain) for step in self.plan.steps)
        return sum(cost_of(step.rule, step.arguments) for step in steps)


def kept_plan(context: RequestContext, goal: Expression) -> Kept | None:
    """What is left of the plan that was made for a goal before; None if that does not hold.

    Args:
        context: of the request; its session knows the plan.
        goal: the checked goal.
    """
    options = context.options
    previous = context.session.last_plan(to_text(goal))
    if previous is None or not options.keep or math.isfinite(options.deadline):
        return None
    adaptive = options.policy is not None and options.policy.adaptive
    if adaptive and options.optimise is not Optimise.MEMBERSHIP:
        return None  # the cut follows from the best membership, which is not known yet
    kept = _unchanged(previous, context, goal) or _what_is_left(previous, context, goal)
    if kept is not None:
        context.watch.found(kept.plan.membership, acceptable=True)
    return kept


def kept_result(kept: Kept, handover: Handover, optimal: bool, why: str) -> PlanningResult:
    """The result that hands an earlier plan out once more.

    Args:
        kept: the plan.
        handover: verifies it, if that was not done yet.
        optimal: whether it is proven that no plan is better.
        why: what is said of better ones.
    """
    context = handover.context
    left = f"what is left of it, {len(kept.plan.steps)} steps," if kept.done else "it"
    worth = f"{kept.plan.membership:.2f}"
    sentence = f"The earlier plan still holds: {left} has membership {worth}; {why}."
    cut = _cut(kept.plan, context)
    result = handover.result(kept.plan, optimal, lambda _plan: sentence, verdict=kept.verdict)
    return replace(
        result,
        kept=kept.done,
        candidates=context.session.last_candidates(kept.plan.goal),
        best_membership=kept.plan.membership,
        alpha=cut.alpha,
        alpha_reason=cut.explanation,
    )


def _unchanged(previous: Plan, context: RequestContext, goal: Expression) -> Kept | None:
    """The earlier plan, if all that it says is so in the present state, too."""
    if (previous.tnorm, previous.alpha) != (context.tnorm.name, _cut(previous, context).alpha):
        return None
    verdict = Handover(context, goal).verdict(previous)
    return Kept(previous, 0, verdict) if verdict.ok else None


def _what_is_left(previous: Plan, context: RequestContext, goal: Expression) -> Kept | None:
    """What is left of an earlier plan, as long as possible; None if it does not hold."""
    replay = Replay(context.domain, context.session.rules)
    names = {name for step in previous.steps for _, name in step.arguments}
    names.update(name for _, name in previous.binding)
    if not all(context.instance.has(name) for name in names):
        return None
    for done in range(len(previous.steps) + 1):
        steps = previous.steps[done:]
        replayed = replay.run(context.instance, [(str(s), s) for s in steps], context.amounts)
        if not replayed.complete or replayed.problems:
            continue
        plan = _valued_anew(previous, steps, goal, replayed.states[-1], context)
        alpha = _cut(plan, context).alpha
        if plan.goal_degree > 0.0 and reaches(plan.membership, alpha):
            plan = replace(plan, alpha=alpha, resources_after=dict(replayed.left))
            return Kept(plan if done else replace(plan, id=previous.id), done)
    return None


def _valued_anew(
    previous: Plan,
    steps: tuple[PlanStep, ...],
    goal: Expression,
    final: Instance,
    context: RequestContext,
) -> Plan:
    """The steps as a plan of their own: each judged by itself, in the present state."""
    judge, tnorm = context.judge, context.tnorm
    ground = (_ground(step, context.domain) for step in steps)
    drafts = (StepDraft(g.rule, g.arguments, graded_atoms_of(g)) for g in ground)
    fresh = value_steps(drafts, context)
    degree = value_goal(goal, previous, final, judge, context.domain, tnorm)
    return replace(
        previous,
        steps=fresh,
        membership=tnorm.compose_all([*(step.degree for step in fresh), degree]),
        goal_degree=degree,
        goal_judgements=tuple(judge.judged(graded_atom(j)) for j in previous.goal_judgements),
        tnorm=tnorm.name,
        id=str(uuid.uuid4()),
        schedule=None,
    )


def _cut(plan: Plan, context: RequestContext) -> AlphaCut:
    """The alpha-cut that a plan has to pass if none is better."""
    degrees = [*(step.degree for step in plan.steps), plan.goal_degree]
    return context.options.cut(graded_steps(degrees))


def _ground(step: PlanStep, domain: Domain) -> GroundStep:
    return GroundStep(domain.rules[step.rule], tuple(element for _, element in step.arguments))
