# SPDX-License-Identifier: Apache-2.0
"""Write whole PDDL files from their syntax trees; reading the text gives an equal tree."""

from __future__ import annotations

from fcp_ros.domain.pddl.syntax.tree import (
    TRUE,
    ActionEffect,
    DomainText,
    PddlAction,
    ProblemText,
    Typed,
)
from fcp_ros.domain.pddl.syntax.writer import declare, write_formula, write_list, write_numeric
from fcp_ros.foundation.wording import write_decimal


def write_domain(domain: DomainText) -> str:
    """Write a domain file."""
    sections = [f"(define (domain {domain.name})"]
    if domain.requirements:
        sections.append(write_list(":requirements", domain.requirements))
    if domain.types:
        sections.append(
            write_list(":types", declare(Typed(t, above) for t, above in domain.types.items()))
        )
    if domain.constants:
        sections.append(write_list(":constants", declare(domain.constants)))
    for key, signatures in ((":predicates", domain.predicates), (":functions", domain.functions)):
        if signatures:
            shapes = (write_list(name, declare(legs, "?")) for name, legs in signatures.items())
            sections.append(write_list(key, shapes))
    if domain.constraints != TRUE:
        sections.append(write_list(":constraints", (write_formula(domain.constraints),)))
    sections.extend(_write_action(action) for action in domain.actions)
    return "\n  ".join(sections) + ")\n"


def write_problem(problem: ProblemText) -> str:
    """Write a problem file; the domain's constants are said again among its objects."""
    spelt = (
        Typed(problem.spelling.get(typed.name, typed.name), typed.types)
        for typed in problem.objects
    )
    facts = (
        write_list(predicate, arguments)
        for predicate, tuples in problem.facts.items()
        for arguments in sorted(tuples)
    )
    values = (
        f"(= {write_list(function, arguments)} {write_decimal(value)})"
        for function, given in problem.values.items()
        for arguments, value in given.items()
    )
    sections = [
        f"(define (problem {problem.name})",
        write_list(":domain", (problem.domain,)),
        write_list(":objects", declare(spelt)),
        write_list(":init", (*facts, *values)),
        write_list(":goal", (write_formula(problem.goal),)),
    ]
    if problem.constraints != TRUE:
        sections.append(write_list(":constraints", (write_formula(problem.constraints),)))
    if problem.metric is not None:
        way = "minimize" if problem.metric.minimise else "maximize"
        sections.append(write_list(":metric", (way, write_numeric(problem.metric.value))))
    return "\n  ".join(sections) + ")\n"


def _write_action(action: PddlAction) -> str:
    effects = tuple(_write_effect(effect) for effect in action.effects)
    effect = effects[0] if len(effects) == 1 else write_list("and", effects)
    return (
        f"(:action {action.spelling or action.name}\n"
        f"    :parameters ({' '.join(declare(action.parameters, '?'))})\n"
        f"    :precondition {write_formula(action.precondition)}\n"
        f"    :effect {effect})"
    )


def _write_effect(effect: ActionEffect) -> str:
    parts = [write_formula(atom) for atom in effect.add]
    parts += [f"(not {write_formula(atom)})" for atom in effect.delete]
    parts += [
        f"({change.operator} {write_numeric(change.target)} {write_numeric(change.amount)})"
        for change in effect.numeric
    ]
    text = write_list("and", parts)
    if effect.condition != TRUE:
        text = f"(when {write_formula(effect.condition)} {text})"
    if effect.variables:
        text = f"(forall ({' '.join(declare(effect.variables, '?'))}) {text})"
    return text
