# SPDX-License-Identifier: Apache-2.0
"""Explanations of a result: shares of the loss, the binding part at alpha, elements considered."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.cset import Instance
from fcp_ros.fuzzy import TNorm, reaches
from fcp_ros.planning.answer.solution import Solution, SolverResult
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.result import Explanation, Share

GOAL = "the goal"


def explain_result(result: SolverResult, judge: Judge, tnorm: TNorm, alpha: float) -> Explanation:
    """Explain the result of a search."""
    encoding = result.encoding
    if encoding is None:
        return Explanation()
    shares: tuple[Share, ...] = ()
    binding = ""
    if result.best is not None:
        shares = _share_losses(_list_degrees(result.best, judge, tnorm), tnorm)
        binding = _describe_binding(result.best.membership, shares, tnorm, alpha)
    return Explanation(
        shares,
        binding,
        _list_considered(encoding),
        len(encoding.task.instance.all_elements()),
        len(encoding.task.operators),
        judge.asked,
        len({judge.key(atom) for atoms in encoding.graded for atom in atoms}),
    )


def explain_kept(plan: Plan, instance: Instance, judge: Judge, tnorm: TNorm) -> Explanation:
    """Explain a plan that needed no search: an earlier one that still holds, or a policy's."""
    degrees = [(str(step), step.degree) for step in plan.steps]
    shares = _share_losses([*degrees, (GOAL, plan.goal_degree)], tnorm)
    considered: dict[str, str] = {}
    for step in plan.steps:
        for element in step.elements:
            considered.setdefault(element, f"{step}, a step of the plan.")
    return Explanation(
        shares,
        _describe_binding(plan.membership, shares, tnorm, plan.alpha),
        considered,
        len(instance.all_elements()),
        asked=judge.asked,
        askable=judge.asked,
    )


def _list_degrees(best: Solution, judge: Judge, tnorm: TNorm) -> list[tuple[str, float]]:
    degrees = [
        (str(step), tnorm.compose_all(judge.degree(*atom) for atom in atoms))
        for step, atoms in zip(best.decoded.steps, best.graded, strict=True)
    ]
    parts = (part.upper(judge.find_degree) for part in best.decoded.goal_parts)
    return [*degrees, (GOAL, tnorm.compose_all(parts))]


def _share_losses(degrees: Sequence[tuple[str, float]], tnorm: TNorm) -> tuple[Share, ...]:
    losses = [tnorm.loss(degree) for _, degree in degrees]
    whole = sum(losses) or 1.0
    shares = [
        Share(what, degree, loss / whole)
        for (what, degree), loss in zip(degrees, losses, strict=True)
        if degree < 1.0
    ]
    return tuple(sorted(shares, key=lambda share: -share.share))


def _describe_binding(
    membership: float, shares: Sequence[Share], tnorm: TNorm, alpha: float
) -> str:
    """Describe the distance to alpha, and the degree that the dearest part may have to reach it."""
    if not shares:
        return f"Nothing binds at alpha {alpha:.3g}: every step is crisp."
    worst = shares[0]
    rest = tnorm.compose_all(share.degree for share in shares[1:])
    needed = tnorm.least_requirement(alpha, rest)
    if reaches(membership, alpha):
        return (
            f"Alpha {alpha:.3g} is passed with {membership - alpha:.3g} to spare; the costliest "
            f"part is {worst.what} ({worst.degree:.2f}), which may fall to {max(0.0, needed):.2f}."
        )
    if needed > 1.0:
        return (
            f"Alpha {alpha:.3g} is missed by {alpha - membership:.3g}, even without the loss of "
            f"{worst.what} ({worst.degree:.2f})."
        )
    return (
        f"Alpha {alpha:.3g} is missed by {alpha - membership:.3g}: {worst.what} has "
        f"{worst.degree:.2f} and would need {needed:.2f}."
    )


def _list_considered(encoding: Encoding) -> dict[str, str]:
    """List each element of an operator with its first operator and the purpose of that."""
    task = encoding.task
    purposes = task.purposes or [None] * len(task.operators)
    found: dict[str, str] = {}
    for operator, demand in zip(task.operators, purposes, strict=True):
        for element in operator.arguments:
            if element not in found:
                purpose = f", which may matter for {demand}" if demand is not None else ""
                found[element] = f"{operator}{purpose}."
    return found
