# SPDX-License-Identifier: Apache-2.0
"""From a solution on the encoded task back to a plan in the domain's words."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from fcp_ros.domain.model import ActionRule
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.answer.solution import Solution
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.model.ground_step import compute_duration
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.search.bidirectional.meeting import Meeting
from fcp_ros.planning.search.bidirectional.partial_state import Literal
from fcp_ros.planning.verification.degrees import compose_running
from fcp_ros.planning.verification.verify import Claim, PlanMeeting


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step without degree and duration."""

    rule: ActionRule
    arguments: tuple[str, ...]
    graded: tuple[GradedAtom, ...]
    chunk: str = ""


def assemble(
    solution: Solution,
    goal: str,
    context: RequestContext,
    alpha: float,
    left_out: tuple[str, ...] = (),
) -> Plan:
    """Assemble the plan of a solution; the degrees that it rests on are known."""
    find, decoded = context.judge.find_degree, solution.decoded
    parts = zip(decoded.steps, solution.graded, solution.labels, strict=True)
    drafts = (StepDraft(s.rule, s.arguments, tuple(atoms), label) for s, atoms, label in parts)
    asked = dict.fromkeys(atom for part in decoded.goal_parts for atom in part.graded)
    return replace(
        make_plan(goal, drafts, context, alpha),
        membership=solution.membership,
        goal_degree=context.tnorm.compose_all(part.upper(find) for part in decoded.goal_parts),
        goal_judgements=tuple(map(context.judge.judge_atom, asked)),
        binding=decoded.binding,
        left_out=left_out,
    )


def make_plan(
    goal: str, drafts: Iterable[StepDraft], context: RequestContext, alpha: float
) -> Plan:
    """Make the plan of some steps, for a goal of degree 1."""
    drafts, left = list(drafts), context.amounts
    for draft in drafts:
        for name, use in draft.rule.uses.items():
            left[name] -= use
    steps = value_steps(drafts, context)
    return Plan(
        goal=goal,
        steps=steps,
        membership=context.tnorm.compose_all(step.degree for step in steps),
        goal_degree=1.0,
        goal_judgements=(),
        binding=(),
        alpha=alpha,
        tnorm=context.tnorm.name,
        id=str(uuid.uuid4()),
        resources_after=left,
        budgets=context.options.budgets,
    )


def value_steps(drafts: Iterable[StepDraft], context: RequestContext) -> tuple[PlanStep, ...]:
    """Give steps their degrees and durations, in the initial state of the request."""
    tnorm, drafts = context.tnorm, list(drafts)
    judged = [tuple(map(context.judge.judge_atom, draft.graded)) for draft in drafts]
    degrees = [tnorm.compose_all(j.membership.degree for j in js) for js in judged]
    return tuple(
        PlanStep(
            draft.rule.name,
            tuple(zip(draft.rule.parameter_names, draft.arguments, strict=True)),
            degree,
            after,
            compute_duration(draft.rule, draft.arguments, context.instance),
            draft.rule.executor,
            judgements,
            draft.chunk,
        )
        for draft, judgements, degree, after in zip(
            drafts, judged, degrees, compose_running(degrees, tnorm), strict=True
        )
    )


def claim_meeting(meeting: Meeting, encoding: Encoding, tnorm: TNorm) -> PlanMeeting:
    """Translate a meeting on the flat task into its claims on facts and steps of the plan.

    The goal's own variable stands for nothing in the world, so claims on it are left out.
    """
    steps = encoding.decode(meeting.operators[: meeting.index]).steps
    literals = [(unit,) for unit in meeting.partial_state.units]
    wanted = [
        claims
        for clause in (*literals, *sorted(meeting.partial_state.clauses))
        if all(variable < len(encoding.variables.values) for variable, _ in clause)
        for claims in _translate_clause(clause, encoding)
    ]
    return PlanMeeting(len(steps), tuple(wanted), meeting.requirement(tnorm))


def _translate_clause(clause: Sequence[Literal], encoding: Encoding) -> Iterator[tuple[Claim, ...]]:
    for choice in product(*(_translate_literal(literal, encoding) for literal in clause)):
        yield tuple(claim for claims in choice for claim in claims)


def _translate_literal(literal: Literal, encoding: Encoding) -> list[tuple[Claim, ...]]:
    """Claim that an allowed fact holds; if none need hold, that none of the others does."""
    variable, mask = literal
    facts = encoding.variables.values[variable]
    allowed = [fact for value, fact in enumerate(facts) if mask >> value & 1]
    if None in allowed:
        others = [fact for value, fact in enumerate(facts) if not mask >> value & 1]
        return [((encoding.task.facts[f], False),) for f in others if f is not None]
    return [tuple((encoding.task.facts[f], True) for f in allowed if f is not None)]
