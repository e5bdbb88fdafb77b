# SPDX-License-Identifier: Apache-2.0
"""From a solution on the compiled task back to a plan in the domain's words."""

from __future__ import annotations

import uuid

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.compile.ground_step import duration_of, graded_atoms_of
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.forward.solution import Solution
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.plan import Plan, PlanStep


def assemble(
    solution: Solution, goal: str, task: Task, judge: Judge, tnorm: TNorm, alpha: float
) -> Plan:
    """The plan that a solution stands for."""
    steps: list[PlanStep] = []
    degrees: list[float] = []
    for index in solution.operators:
        operator = task.operators[index]
        judgements = tuple(judge.judged(atom) for atom in graded_atoms_of(operator))
        degrees.append(tnorm.compose_all(j.membership.degree for j in judgements))
        steps.append(
            PlanStep(
                operator.rule.name,
                tuple(zip(operator.rule.parameter_names, operator.arguments, strict=True)),
                degrees[-1],
                tnorm.compose_all(degrees),
                duration_of(operator.rule, operator.arguments, task.instance),
                operator.rule.executor,
                judgements,
            )
        )
    reached = solution.alternative
    return Plan(
        goal=goal,
        steps=tuple(steps),
        membership=solution.membership,
        goal_degree=reached.degree,
        goal_judgements=tuple(judge.judged(atom) for atom in reached.graded),
        binding=reached.binding,
        alpha=alpha,
        tnorm=tnorm.name,
        id=str(uuid.uuid4()),
        resources_after={
            resource.name: value
            for resource, value in zip(task.resources, solution.resources, strict=True)
        },
    )
