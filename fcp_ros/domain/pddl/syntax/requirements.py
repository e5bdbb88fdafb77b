# SPDX-License-Identifier: Apache-2.0
"""The requirements of a task: what it uses of PDDL, whatever its file declares."""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.domain.pddl.syntax.tree import (
    ROOT,
    TOTAL_COST,
    TRUE,
    Disjunction,
    DomainText,
    Equality,
    Formula,
    FunctionValue,
    Metric,
    Negation,
    NumericComparison,
    PreferenceFormula,
    ProblemText,
    Quantified,
    TrajectoryFormula,
    Typed,
    subformulas,
)

_ORDER = (
    ":strips",
    ":typing",
    ":equality",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":conditional-effects",
    ":derived-predicates",
    ":action-costs",
    ":numeric-fluents",
    ":constraints",
    ":preferences",
)
_CONDITIONS = (
    (Equality, ":equality"),
    (Negation, ":negative-preconditions"),
    (Disjunction, ":disjunctive-preconditions"),
    (NumericComparison, ":numeric-fluents"),
    (TrajectoryFormula, ":constraints"),
    (PreferenceFormula, ":preferences"),
)


def find_requirements(domain: DomainText, problem: ProblemText) -> tuple[str, ...]:
    """Find the requirements of a task, in the order of the PDDL 3.1 grammar (Kovacs, 2011)."""
    found = {":strips", *_find_in_effects(domain), *_find_in_numbers(domain, problem.metric)}
    if domain.axioms:
        found.add(":derived-predicates")
    if any(typed.types != (ROOT,) for typed in _list_typed(domain, problem)):
        found.add(":typing")
    for formula in _list_conditions(domain, problem):
        for part in subformulas(formula):
            found.update(name for kind, name in _CONDITIONS if isinstance(part, kind))
            if isinstance(part, Quantified):
                kind = "universal" if part.universal else "existential"
                found.add(f":{kind}-preconditions")
    return tuple(name for name in _ORDER if name in found)


def _find_in_effects(domain: DomainText) -> Iterator[str]:
    effects = [effect for action in domain.actions for effect in action.effects]
    if any(effect.variables or effect.condition != TRUE for effect in effects):
        yield ":conditional-effects"


def _find_in_numbers(domain: DomainText, metric: Metric | None) -> Iterator[str]:
    """Yield `:action-costs` if actions only increase total-cost, else `:numeric-fluents`."""
    changes = [
        change
        for action in domain.actions
        for effect in action.effects
        for change in effect.numeric
    ]
    cost = FunctionValue(TOTAL_COST)
    if any(change.operator != "increase" or change.target != cost for change in changes):
        yield ":numeric-fluents"
    elif changes or (metric is not None and metric.value == cost):
        yield ":action-costs"


def _list_conditions(domain: DomainText, problem: ProblemText) -> Iterator[Formula]:
    yield from (problem.goal, problem.constraints, domain.constraints)
    yield from (axiom.body for axiom in domain.axioms)
    for action in domain.actions:
        yield action.precondition
        for effect in action.effects:
            yield effect.condition


def _list_typed(domain: DomainText, problem: ProblemText) -> Iterator[Typed]:
    yield from problem.objects
    for legs in (*domain.predicates.values(), *domain.functions.values()):
        yield from legs
    for action in domain.actions:
        yield from action.parameters
    for axiom in domain.axioms:
        yield from axiom.parameters
