# SPDX-License-Identifier: Apache-2.0
"""Plans below alpha only because they are long: a table for four is a dozen things to carry.

Degrees compose over all steps, so many good steps make a poor plan, though each may be done as well
as any other. Who asks in words, and can be asked, decides that: such a plan is proposed, not
refused. A plan with a single degree below alpha never is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.fuzzy import reaches
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus


def is_only_long(result: PlanningResult, alpha: float) -> bool:
    """Return True if each degree of a plan reaches alpha by itself, and only all together do not.

    Args:
        result: of planning for whatever membership.
        alpha: the cut that was wanted.
    """
    plan = result.plan
    if plan is None or not result.status.solved or reaches(plan.membership, alpha):
        return False
    return all(reaches(degree, alpha) for degree in (plan.goal_degree, _find_least(plan)))


def _find_least(plan: Plan) -> float:
    return min((step.degree for step in plan.steps), default=1.0)


def describe_length(plan: Plan, alpha: float) -> str:
    """Describe why a plan is below alpha."""
    return (
        f"The plan has {len(plan.steps)} steps, each good to {_find_least(plan):.2f} or more; "
        f"all of them together have only {plan.membership:.2f}, and alpha is {alpha:g}."
    )


def propose_long(
    strict: PlanningResult,
    options: PlanningOptions,
    plan_anyway: Callable[[PlanningOptions], PlanningResult],
) -> PlanningResult | None:
    """Propose the best plan for a goal as stated if only its length keeps it below alpha.

    Args:
        strict: the failure of the goal, UNSOLVABLE_AT_ALPHA.

    Returns:
        A result with a question and the plan; None if nobody is to be asked, or a single degree
        is below alpha.
    """
    if not options.confirm_below:
        return None
    best = plan_anyway(options.with_alpha(0.0))
    if best.plan is None or not is_only_long(best, strict.alpha):
        return None
    question = f"{describe_length(best.plan, strict.alpha)} Shall I do it all the same?"
    return replace(
        best,
        status=PlanStatus.NEEDS_CLARIFICATION,
        confirmation=question,
        message=question,
        alpha=strict.alpha,
        optimal_in=(),
    )
