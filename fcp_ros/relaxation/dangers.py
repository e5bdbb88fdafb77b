# SPDX-License-Identifier: Apache-2.0
"""Dangers of a plan that nobody spoke of: scissors for a child.

A graded predicate with `hazard: true` says on what harm depends. Some stand in rules or in the
goal, and the plan has their degree. The others are looked at once the plan is known, for each thing
that it handles and each person that the words name, and what is not safe is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    TrajectoryConstraint,
    atoms,
    list_conjuncts,
)
from fcp_ros.domain.model import Domain
from fcp_ros.grounding.judgement import GroundingError, build_request
from fcp_ros.language.paraphrase import paraphrase_clause
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.result import PlanningResult, PlanStatus
from fcp_ros.planning.session import PlanningRequest

SAFE = 0.5
"""Degree of a hazard from which it is not asked about: safe with somebody watching."""


def ask_about_danger(
    result: PlanningResult, request: PlanningRequest, goal: Expression, speaker: str
) -> PlanningResult:
    """Make a question of a plan that is not safe for a person whom the goal names.

    Those who speak decide for themselves. Nobody is asked where `confirm_below` is 0.
    """
    least = min(SAFE, request.options.confirm_below or 0.0)
    if result.plan is None or not result.status.solved or least <= 0.0:
        return result
    found = list(_list_unspoken(result.plan, goal, speaker, request.domain, request.instance))
    for atom, degree in zip(found, _judge(found, request), strict=True):
        if degree < least:
            told = paraphrase_clause(atom, request.domain, request.instance)
            question = f"{told[:1].upper()}{told[1:]} only to {degree:.2f}. Shall I do it?"
            return replace(
                result,
                status=PlanStatus.NEEDS_CLARIFICATION,
                confirmation=question,
                message=f"{question} {result.message}",
            )
    return result


def _list_unspoken(
    plan: Plan, goal: Expression, speaker: str, domain: Domain, instance: Instance
) -> Iterator[Atom]:
    """List hazards as atoms: of what a plan handles, and somebody whom the goal names."""
    parts = [p for p in list_conjuncts(goal) if not isinstance(p, TrajectoryConstraint)]
    spoken = [atom for part in parts for atom in atoms(part)]
    named = {term.name for a in spoken for term in a.arguments if isinstance(term, Constant)}
    handled = {name for step in plan.steps for _, name in step.arguments}
    asked = {atom.predicate for atom in spoken}
    asked.update(atom.predicate for rule in domain.rules.values() for atom in rule.graded)
    for predicate in domain.graded.values():
        if not predicate.hazard or predicate.name in asked:
            continue
        types = [one.type for one in predicate.parameters]
        if len(types) != 2 or not all(map(domain.schema.has_type, types)):
            continue
        moved, others = (_choose(type_, handled, named, instance) for type_ in types)
        for names in product(moved, others):
            if not handled.isdisjoint(names) and speaker not in names:
                yield Atom(predicate.name, tuple(map(Constant, names)))


def _choose(type_: str, handled: set[str], named: set[str], instance: Instance) -> list[str]:
    """Choose what is meant of a type: what was named, else what the plan handles."""

    def fits(name: str) -> bool:
        own = instance.type_of(instance.id_of(name)) if instance.has(name) else ""
        return bool(own) and instance.schema.is_subtype(own, type_)

    return sorted(filter(fits, named)) or sorted(filter(fits, handled))


def _judge(found: list[Atom], request: PlanningRequest) -> list[float]:
    """Judge hazards; what can't be judged is not safe."""
    if not found:
        return []
    asked = [
        build_request(
            request.domain.graded[atom.predicate],
            tuple(term.name for term in atom.arguments if isinstance(term, Constant)),
            request.instance,
        )
        for atom in found
    ]
    try:
        return [one.degree for one in request.memberships.judge(asked)]
    except GroundingError:
        return [0.0] * len(found)
