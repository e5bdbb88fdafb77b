# SPDX-License-Identifier: Apache-2.0
"""Choose the searches for a request from its objective, deadline and alpha policy."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from fcp_ros.domain.model import Window
from fcp_ros.fuzzy import EPSILON, AlphaCut, Composition, TNorm, count_graded_steps, reaches
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.answer.solution import PlanningProblem, SolverResult
from fcp_ros.planning.encoding.costs import NO_PREMIUM, CostUnit, Premium, find_cost_unit
from fcp_ros.planning.flat.task import EXACT
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.symmetry import SymmetryClasses, limit_choices
from fcp_ros.planning.model.ground_step import COST, STEPS, Agents, is_counted
from fcp_ros.planning.model.memberships import find_failure_status
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.plan_reuse import ReusablePlan
from fcp_ros.planning.search.settings import FlatPlan
from fcp_ros.planning.session import RequestContext
from fcp_ros.planning.solver import Solver

LONGEST = 2.0**17
"""Steps of a plan, at most, where a part of the goal is worth more than all of them."""
SECONDS = 600.0
"""Their duration on average, at most (s)."""


def solve_request(
    context: RequestContext,
    goal: GroundGoal,
    classes: SymmetryClasses,
    kept: ReusablePlan | None,  # an earlier plan that still holds; only better ones are looked for
    is_crisp: bool,
) -> tuple[SolverResult, AlphaCut]:
    """Run the searches of a request: one problem, or two if the first one leaves a question.

    Returns:
        The result, and the alpha-cut that its plan has to pass.
    """
    options = context.options
    problem = PlanningProblem(
        context.session.compiler,
        context.instance,
        replace(goal, formula=limit_choices(goal.formula, classes)),
        context.tnorm,
        options,
        context.given,
        classes,
        options.cut().alpha,
        is_crisp,
        find_unit(context, goal),
    )
    problem = _choose_order(problem, context)
    best = _choose_order(
        replace(problem, options=replace(options, optimise=Optimise.MEMBERSHIP)), context
    )
    best = replace(best, membership_first=True)
    if problem.membership_first:
        result = _solve_in_time(context, problem, kept)
        return result, _cut(context, result)
    if not goal.parts and options.policy is not None and options.policy.adaptive:
        # The cut follows from the plan with the best membership, so that comes first.
        result = _solve_in_time(context, problem=best, kept=None)
        cut = _cut(context, result)
        if result.best is None or not reaches(result.best.membership, cut.alpha):
            return result, cut
        try:
            better = _solve_in_time(context, replace(problem, alpha=cut.alpha), kept)
        except GroundingError as error:  # it would only have been a better one by other measures
            reason = Interrupted(find_failure_status(error), error.statement)
            return replace(result, optimal=False, interrupted=reason), cut
        if better.best is None and better.interrupted is not None:
            return replace(result, optimal=False, interrupted=better.interrupted), cut
        return better, cut
    result = _solve_in_time(context, problem, kept)
    if result.best is None and kept is None and result.interrupted is None:
        # No plan reaches alpha. The best membership of any plan is another problem.
        result = _solve_in_time(context, problem=best, kept=None)
    return result, options.cut()


def find_unit(context: RequestContext, goal: GroundGoal) -> CostUnit:
    """Find the unit in which the costs of steps and of the goal's preferences are counted."""
    others = {preference.cost for preference in goal.preferences} - {Fraction(0)}
    return find_cost_unit(context.domain, others) if others else context.session.cost_unit


def _choose_order(problem: PlanningProblem, context: RequestContext) -> PlanningProblem:
    optimise = problem.options.optimise
    premium = _find_premium(problem, context)
    first = optimise is Optimise.MEMBERSHIP and not premium.size
    return replace(problem, premium=premium, membership_first=first)


def _find_premium(problem: PlanningProblem, context: RequestContext) -> Premium:
    """Find the flat cost of leaving out a part of the goal; see `Premium`.

    Where memberships differ, they come next, and steps are not counted.
    """
    parts, budgets = problem.goal.parts, problem.options.budgets
    if not parts:
        return NO_PREMIUM
    optimise, domain = problem.options.optimise, context.domain
    if optimise is Optimise.MEMBERSHIP and not problem.is_crisp:
        return Premium(1.0, parts, 0.0)
    most = EXACT / 2.0 / (parts + 1)
    if optimise is Optimise.MEMBERSHIP:
        limit = budgets[STEPS] if STEPS in budgets and is_counted(STEPS, domain) else LONGEST
    elif optimise is Optimise.COST:
        known = COST in budgets and is_counted(COST, domain)
        limit = problem.unit.limit(budgets[COST]) if known else LONGEST * problem.unit.largest
    else:
        limit = min(problem.options.deadline, LONGEST * SECONDS)
    return Premium(min(float(math.floor(limit)) + 1.0, most), parts)


def _solve_in_time(
    context: RequestContext, problem: PlanningProblem, kept: ReusablePlan | None
) -> SolverResult:
    """Solve a problem, with proofs that also hold for plans whose steps run side by side.

    Times are searched for with steps one after the other. If that fails and several agents could
    work side by side, the best plan without the deadline is taken: its schedule may keep it. And
    proofs about sequences are then no proofs.
    """
    result = _solve(context, problem, kept)
    rules = context.domain.rules.values()
    deadline = math.isfinite(problem.options.deadline)
    windows = any(rule.window != Window() for rule in rules)
    if not (deadline or windows):
        return result
    if not Agents(context.domain, context.instance).may_overlap(rules):
        return result
    if not deadline or not result.impossible:
        return _restrict_to_sequences(result, problem)
    options = replace(problem.options, deadline=math.inf)
    loose = _solve(context, replace(problem, options=options), None)
    if loose.best is None and not windows:
        return loose
    return replace(loose, optimal=False, shortest=False, impossible=False, least_left_out=0)


def _solve(
    context: RequestContext, problem: PlanningProblem, kept: ReusablePlan | None
) -> SolverResult:
    known = None
    if kept is not None:
        cost = kept.find_cost(context.domain, problem.options.optimise, problem.unit)
        known = FlatPlan((), _compose_loss(kept.plan, context.tnorm), cost)
    return Solver(problem, context, known).solve()


def _compose_loss(plan: Plan, tnorm: TNorm) -> float:
    losses = [tnorm.loss(d) for d in (*(s.degree for s in plan.steps), plan.goal_degree)]
    return max(losses) if tnorm.composition is Composition.MAXIMUM else math.fsum(losses)


def _cut(context: RequestContext, result: SolverResult) -> AlphaCut:
    if result.best is None:
        return context.options.cut()
    tnorm, judge = context.tnorm, context.judge
    degrees = (
        tnorm.compose_all(judge.degree(*atom) for atom in atoms) for atoms in result.best.graded
    )
    return context.options.cut(count_graded_steps(degrees))


def _restrict_to_sequences(result: SolverResult, problem: PlanningProblem) -> SolverResult:
    best = result.best
    perfect = best is not None and best.membership >= 1.0 - EPSILON
    perfect = perfect and problem.options.optimise is Optimise.MEMBERSHIP
    perfect = perfect and best is not None and problem.premium.split(best.cost)[0] == 0
    optimal = result.optimal and perfect
    return replace(
        result, optimal=optimal, shortest=False, impossible=False, bound=1.0, least_left_out=0
    )
