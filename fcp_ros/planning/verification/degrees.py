# SPDX-License-Identifier: Apache-2.0
"""Degrees of the steps and the goal of a plan, from the judgements that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.resolution import infer_types, open_goal
from fcp_ros.domain.expressions.structure import split_goal
from fcp_ros.domain.expressions.syntax import And, Expression, to_text
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm
from fcp_ros.grounding.judgement import JudgementRequest, build_request
from fcp_ros.planning.chunks.library import find_step_atoms
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import Judge, MembershipMemory
from fcp_ros.planning.model.plan import Plan, PlanStep


def judge_steps(
    domain: Domain,
    taken: Sequence[tuple[PlanStep, Instance]],
    memory: MembershipMemory,  # the answers; what it does not know is asked for in one go
    check: Callable[[], None],
) -> list[list[float]]:
    """Return the degree of each graded atom of each step."""
    requests = _requests(domain, taken)
    answers = iter(memory.judge([request for asked in requests for request in asked], check))
    return [[next(answers).degree for _ in asked] for asked in requests]


def value_goal(
    goal: Expression,
    plan: Plan,  # its binding fixes variables, its goal judgements say which atoms count
    states: Sequence[Instance],
    judge: Judge,  # knows the degrees of the last one
    domain: Domain,
    tnorm: TNorm,
    # the time (s, rounded) at which each state is reached, for constraints with times
    reached: Sequence[Fraction] = (),
) -> float:
    """Return the degree of a goal after some states, by the judgements that a plan records of it.

    A graded atom that the plan does not record counts for nothing. So a goal such as `a or b` is
    worth what the plan was made for, and nobody is asked about the rest.
    """
    recorded = {claim.atom for claim in plan.goal_judgements}

    def degree_of(predicate: str, arguments: tuple[str, ...]) -> float | None:
        known = (predicate, arguments) in recorded
        return judge.degree(predicate, arguments) if known else None

    if plan.left_out:
        kept = list_kept(goal, plan.left_out, domain, states[0])
        if not kept:
            return 1.0
        goal = And(kept) if len(kept) > 1 else kept[0]
    body, types = open_goal(goal, domain)
    binding = {name: element for name, element in plan.binding if name in types}
    *before, last = states
    return evaluate(
        body, last, degree_of, tnorm, types=types, binding=binding, before=before, reached=reached
    )


def list_kept(
    goal: Expression, left_out: Collection[str], domain: Domain, instance: Instance
) -> tuple[Expression, ...]:
    """List the parts of a goal that a plan must reach: all but those that it leaves out."""
    parts = split_goal(goal, infer_types(goal, domain), instance)
    kept = (part for part in parts.optional if to_text(part) not in left_out)
    return (*parts.hard, *kept)


def compose_running(degrees: Iterable[float], tnorm: TNorm) -> tuple[float, ...]:
    """Compose the degrees up to each step.

    Most steps have degree 1, which changes nothing: only the others are composed.
    """
    found: list[float] = []
    counted: list[float] = []
    now = 1.0
    for degree in degrees:
        if degree != 1.0:
            counted.append(degree)
            now = tnorm.compose_all(counted)
        found.append(now)
    return tuple(found)


def _requests(
    domain: Domain, taken: Sequence[tuple[PlanStep, Instance]]
) -> list[list[JudgementRequest]]:
    steps = [GroundStep(domain.rules[step.rule], step.elements) for step, _ in taken]
    graded = find_step_atoms(domain.chunks, steps, [step.chunk for step, _ in taken])
    return [
        [
            build_request(domain.graded[predicate], arguments, state)
            for predicate, arguments, *_ in atoms
        ]
        for atoms, (_, state) in zip(graded, taken, strict=True)
    ]
