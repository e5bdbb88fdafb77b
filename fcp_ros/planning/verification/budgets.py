# SPDX-License-Identifier: Apache-2.0
"""Check the budgets of a plan, and that what it leaves out of the goal may be left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parts import split_goal
from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.expressions.syntax import Expression, to_text
from fcp_ros.domain.model import Domain
from fcp_ros.planning.model.budget import find_unknown_budgets, measure_uses
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.verification.times import TOLERANCE, sort_steps


def find_overruns(domain: Domain, plan: Plan, budgets: Mapping[str, float]) -> Iterator[str]:
    """Yield one clause for each budget that a plan does not keep.

    A schedule must keep them in its own order and in those of its starts and ends.
    """
    unknown = find_unknown_budgets(budgets, domain)
    yield from unknown
    if unknown or not budgets:
        return
    for steps in _list_orders(plan):
        found = measure_uses(steps, plan.end, budgets, domain)
        over = {name: use for name, use in found.items() if use > budgets[name] + TOLERANCE}
        for name, use in over.items():
            yield f"it uses {name} {use:g}, beyond its budget of {budgets[name]:g}"
        if over:
            return


def _list_orders(plan: Plan) -> Iterator[Sequence[PlanStep]]:
    yield plan.steps
    if plan.schedule is not None:
        for times in (plan.schedule.starts, plan.schedule.ends):
            yield [plan.steps[number] for number in sort_steps(times, plan)]


def find_wrong_omissions(
    goal: Expression, plan: Plan, budgets: Mapping[str, float], domain: Domain, instance: Instance
) -> Iterator[str]:
    """Yield what is wrong with the parts of the goal that a plan leaves out, one clause each."""
    if not plan.left_out:
        return
    if not budgets:
        yield "it leaves out parts of the goal, but has no budget to do so for"
    parts = split_goal(goal, infer_types(goal, domain), instance).optional
    optional = {to_text(part) for part in parts}
    for text in plan.left_out:
        if text not in optional:
            yield f"it leaves out {text}, which is no part of the goal that may be left out"
    if len(set(plan.left_out)) != len(plan.left_out):
        yield "it leaves out a part of the goal twice"
    if optional <= set(plan.left_out):
        yield "it leaves out all parts of the goal"
