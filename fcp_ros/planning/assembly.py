# SPDX-License-Identifier: Apache-2.0
"""From a solution on the compiled task back to a plan in the domain's words."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence

from fcp_ros.cset import Instance
from fcp_ros.domain.expression import Text, Variable
from fcp_ros.domain.model import ActionRule
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.compile.task import Operator, Task
from fcp_ros.planning.forward.solution import Solution
from fcp_ros.planning.model.memberships import GradedAtom, Judge
from fcp_ros.planning.model.plan import Plan, PlanStep


def graded_atoms_of(operator: Operator) -> tuple[GradedAtom, ...]:
    """The graded atoms of an operator, in the rule's order."""
    bound = dict(zip(operator.rule.parameter_names, operator.arguments, strict=True))
    found: list[GradedAtom] = []
    for atom in operator.rule.graded:
        arguments = []
        for term in atom.arguments:
            if isinstance(term, Variable):
                arguments.append(bound[term.name])
            elif isinstance(term, Text):
                arguments.append(term.value)
        found.append((atom.predicate, tuple(arguments)))
    return tuple(found)


def duration_of(rule: ActionRule, arguments: Sequence[str], instance: Instance) -> float:
    """Expected duration in seconds: base + per_metre * distance (DESIGN: `Duration`)."""
    duration = rule.duration
    if duration.between is None or duration.per_metre == 0.0:
        return duration.base
    bound = dict(zip(rule.parameter_names, arguments, strict=True))
    one, other = (_position(bound[name], instance) for name in duration.between)
    if one is None or other is None:
        return duration.base
    return duration.base + duration.per_metre * math.dist(one, other)


def _position(element: str, instance: Instance) -> tuple[float, float] | None:
    """Where an element is in the plane (m); None where its position is unknown."""
    id_ = instance.id_of(element)
    x, y = instance.attribute(id_, "x"), instance.attribute(id_, "y")
    if not isinstance(x, (int, float)) or not isinstance(y, (int, float)):
        return None
    return (float(x), float(y))


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
