# SPDX-License-Identifier: Apache-2.0
"""From a solution on the compiled task back to a plan in the domain's words."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.compile.ground_step import duration_of
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.solve import Solution


def assemble(
    solution: Solution,
    goal: str,
    domain: Domain,
    instance: Instance,
    judge: Judge,
    amounts: Mapping[str, float],
    tnorm: TNorm,
    alpha: float,
) -> Plan:
    """The plan that a solution stands for.

    Arguments:
        solution: what was found.
        goal: the goal's text.
        domain, instance: where.
        judge: knows all degrees that matter.
        amounts: resource -> what there is of it at first; the domain's own figure by default.
        tnorm: how degrees compose.
        alpha: the alpha-cut that the plan passed.
    """
    steps: list[PlanStep] = []
    degrees: list[float] = []
    left = {name: amounts.get(name, r.initial) for name, r in domain.resources.items()}
    parts = zip(solution.decoded.steps, solution.graded, solution.labels, strict=True)
    for step, atoms, label in parts:
        judgements = tuple(map(judge.judged, atoms))
        degrees.append(tnorm.compose_all(j.membership.degree for j in judgements))
        steps.append(
            PlanStep(
                step.rule.name,
                tuple(zip(step.rule.parameter_names, step.arguments, strict=True)),
                degrees[-1],
                tnorm.compose_all(degrees),
                duration_of(step.rule, step.arguments, instance),
                step.rule.executor,
                judgements,
                label,
            )
        )
        for name, use in step.rule.uses.items():
            left[name] -= use
    reached = solution.alternative
    return Plan(
        goal=goal,
        steps=tuple(steps),
        membership=solution.membership,
        goal_degree=reached.upper(judge.known),
        goal_judgements=tuple(judge.judged(atom) for atom in reached.graded),
        binding=reached.binding,
        alpha=alpha,
        tnorm=tnorm.name,
        id=str(uuid.uuid4()),
        resources_after=left,
    )
