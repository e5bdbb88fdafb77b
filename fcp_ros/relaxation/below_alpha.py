# SPDX-License-Identifier: Apache-2.0
"""Plans below alpha: those that are only long are proposed, and of others is said what is poor.

Degrees compose over all steps, so many good steps make a poor plan, though each may be done as well
as any other: a table for four is a dozen things to carry. Who asks in words, and can be asked,
decides that. A plan with a single degree below alpha is never proposed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Atom, Constant, Text
from fcp_ros.domain.model import TEXT, Domain
from fcp_ros.foundation.wording import join_words
from fcp_ros.fuzzy import reaches
from fcp_ros.language.paraphrase import paraphrase_clause
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus

MOST_EXPANDED = 40_000
"""States that are expanded only to say more about a failure."""
MOST_NAMED = 3
"""Poor degrees that a sentence names."""


def is_only_long(result: PlanningResult, alpha: float) -> bool:
    """Return True if each degree of a plan reaches alpha, and only all together do not."""
    plan = result.plan
    if plan is None or not result.status.solved or reaches(plan.membership, alpha):
        return False
    return all(reaches(degree, alpha) for degree in (plan.goal_degree, _find_least(plan)))


def _find_least(plan: Plan) -> float:
    return min((step.degree for step in plan.steps), default=1.0)


def describe_length(plan: Plan, alpha: float) -> str:
    """Describe why a plan is below alpha none of whose degrees is."""
    least, goal = _find_least(plan), plan.goal_degree
    met = f", and it meets the goal to {goal:.2f}" if goal < least else ""
    return (
        f"The plan has {len(plan.steps)} steps, each good to {least:.2f} or more{met}; "
        f"all of them together have only {plan.membership:.2f}, and alpha is {alpha:g}."
    )


def describe_weakness(plan: Plan, alpha: float, domain: Domain, instance: Instance) -> str:
    """Describe which degrees are below alpha: "mug_1 is safely on couch_1 only to 0.40"; or ""."""
    judged = [one for step in plan.steps for one in step.judgements]
    if not reaches(plan.goal_degree, alpha):  # otherwise a low one may be what is wanted
        judged += plan.goal_judgements
    degrees = {one.atom: one.membership.degree for one in judged}
    poor = {atom: degree for atom, degree in degrees.items() if not reaches(degree, alpha)}
    worst = sorted(poor, key=lambda atom: (poor[atom], atom))[:MOST_NAMED]
    told = [f"{_tell(*atom, domain, instance)} only to {poor[atom]:.2f}" for atom in worst]
    more = f" and {len(poor) - MOST_NAMED} more" if len(poor) > MOST_NAMED else ""
    return f"{join_words(told)}{more}" if told else ""


def _tell(predicate: str, arguments: tuple[str, ...], domain: Domain, instance: Instance) -> str:
    parameters = domain.graded[predicate].parameters
    terms = tuple(
        Text(name) if parameter.type == TEXT else Constant(name)
        for parameter, name in zip(parameters, arguments, strict=True)
    )
    return paraphrase_clause(Atom(predicate, terms), domain, instance)


def explain_below_alpha(
    strict: PlanningResult,  # the failure of the goal, UNSOLVABLE_AT_ALPHA
    options: PlanningOptions,
    plan_anyway: Callable[[PlanningOptions], PlanningResult],
    domain: Domain,
    instance: Instance,
) -> PlanningResult:
    """Look at the best plan for a goal none of whose plans reaches alpha.

    Returns:
        If only its length keeps the plan below alpha and somebody can be asked, a result with a
        question and the plan. Otherwise the failure, which names the poor degrees.
    """
    most = min(MOST_EXPANDED, options.max_expansions)
    best = plan_anyway(replace(options.with_alpha(0.0), max_expansions=most))
    if best.plan is None or not best.status.solved:
        return strict
    if not is_only_long(best, strict.alpha):
        poor = describe_weakness(best.plan, strict.alpha, domain, instance)
        return replace(strict, message=f"{strict.message} {poor}." if poor else strict.message)
    if not options.confirm_below:
        return strict
    question = f"{describe_length(best.plan, strict.alpha)} Shall I do it all the same?"
    return replace(
        best,
        status=PlanStatus.NEEDS_CLARIFICATION,
        confirmation=question,
        message=question,
        alpha=strict.alpha,
        optimal_in=(),
    )
