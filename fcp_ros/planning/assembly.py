# SPDX-License-Identifier: Apache-2.0
"""From a solution on the encoded task back to a plan in the domain's words."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.domain.model import ActionRule
from fcp_ros.planning.model.ground_step import duration_of
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.solution import Solution
from fcp_ros.planning.verification.degrees import running


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step without degree and duration.

    Attributes:
        rule: its rule.
        arguments: an element name for each parameter of the rule.
        graded: the graded atoms that its degree rests on.
        chunk: as in `PlanStep`.
    """

    rule: ActionRule
    arguments: tuple[str, ...]
    graded: tuple[GradedAtom, ...]
    chunk: str = ""


def assemble(solution: Solution, goal: str, context: RequestContext, alpha: float) -> Plan:
    """Assemble the plan of a solution.

    Args:
        solution: the solution; the degrees that it rests on are known.
        goal: the goal's text.
        context: of the request.
        alpha: the alpha-cut that the plan passed.
    """
    decoded = solution.decoded.steps
    left = context.amounts
    for step in decoded:
        for name, use in step.rule.uses.items():
            left[name] -= use
    parts = zip(decoded, solution.graded, solution.labels, strict=True)
    reached = solution.alternative
    return Plan(
        goal=goal,
        steps=value_steps(
            (StepDraft(s.rule, s.arguments, tuple(atoms), label) for s, atoms, label in parts),
            context,
        ),
        membership=solution.membership,
        goal_degree=reached.upper(context.judge.known),
        goal_judgements=tuple(context.judge.judged(atom) for atom in reached.graded),
        binding=reached.binding,
        alpha=alpha,
        tnorm=context.tnorm.name,
        id=str(uuid.uuid4()),
        resources_after=left,
    )


def value_steps(drafts: Iterable[StepDraft], context: RequestContext) -> tuple[PlanStep, ...]:
    """Give steps their degrees and durations, in the initial state of the request."""
    tnorm, drafts = context.tnorm, list(drafts)
    judged = [tuple(map(context.judge.judged, draft.graded)) for draft in drafts]
    degrees = [tnorm.compose_all(j.membership.degree for j in js) for js in judged]
    return tuple(
        PlanStep(
            draft.rule.name,
            tuple(zip(draft.rule.parameter_names, draft.arguments, strict=True)),
            degree,
            after,
            duration_of(draft.rule, draft.arguments, context.instance),
            draft.rule.executor,
            judgements,
            draft.chunk,
        )
        for draft, judgements, degree, after in zip(
            drafts, judged, degrees, running(degrees, tnorm), strict=True
        )
    )
