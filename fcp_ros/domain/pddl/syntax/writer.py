# SPDX-License-Identifier: Apache-2.0
"""Syntax trees written as PDDL again; reading the text gives an equal tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl.syntax.tree import (
    TRUE,
    ActionEffect,
    Conjunction,
    Disjunction,
    DomainText,
    Equality,
    Formula,
    FunctionValue,
    Negation,
    Numeric,
    NumericComparison,
    PddlAction,
    PddlTerm,
    PreferenceFormula,
    ProblemText,
    Quantified,
    Typed,
    ViolationCount,
    terms_of,
)


def write_domain(domain: DomainText) -> str:
    """Write a domain file."""
    sections = [f"(define (domain {domain.name})"]
    if domain.requirements:
        sections.append(_list(":requirements", domain.requirements))
    if domain.types:
        sections.append(_list(":types", (f"{t} - {above}" for t, above in domain.types.items())))
    if domain.constants:
        sections.append(_list(":constants", _declare(domain.constants)))
    for key, signatures in ((":predicates", domain.predicates), (":functions", domain.functions)):
        if signatures:
            shapes = (_list(name, _declare(legs, "?")) for name, legs in signatures.items())
            sections.append(_list(key, shapes))
    if domain.constraints != TRUE:
        sections.append(_list(":constraints", (write_formula(domain.constraints),)))
    sections.extend(_write_action(action) for action in domain.actions)
    return "\n  ".join(sections) + ")\n"


def write_problem(problem: ProblemText) -> str:
    """Write a problem file; the domain's constants are said again among its objects."""
    spelt = (
        Typed(problem.spelling.get(typed.name, typed.name), typed.types)
        for typed in problem.objects
    )
    facts = (
        _list(predicate, arguments)
        for predicate, tuples in problem.facts.items()
        for arguments in sorted(tuples)
    )
    values = (
        f"(= {_list(function, arguments)} {value!r})"
        for function, given in problem.values.items()
        for arguments, value in given.items()
    )
    sections = [
        f"(define (problem {problem.name})",
        _list(":domain", (problem.domain,)),
        _list(":objects", _declare(spelt)),
        _list(":init", (*facts, *values)),
        _list(":goal", (write_formula(problem.goal),)),
    ]
    if problem.constraints != TRUE:
        sections.append(_list(":constraints", (write_formula(problem.constraints),)))
    if problem.metric is not None:
        way = "minimize" if problem.metric.minimise else "maximize"
        sections.append(_list(":metric", (way, write_numeric(problem.metric.value))))
    return "\n  ".join(sections) + ")\n"


def write_formula(formula: Formula) -> str:
    """Write a condition."""
    if isinstance(formula, Atom):
        return _list(formula.predicate, map(_write_term, terms_of(formula)))
    if isinstance(formula, Equality):
        return f"(= {_write_term(formula.left)} {_write_term(formula.right)})"
    if isinstance(formula, NumericComparison):
        left, right = write_numeric(formula.left), write_numeric(formula.right)
        return f"({formula.operator} {left} {right})"
    if isinstance(formula, Negation):
        return f"(not {write_formula(formula.body)})"
    if isinstance(formula, Conjunction):
        return _list("and", map(write_formula, formula.parts))
    if isinstance(formula, Disjunction):
        return _list("or", map(write_formula, formula.parts))
    if isinstance(formula, Quantified):
        word = "forall" if formula.universal else "exists"
        return (
            f"({word} ({' '.join(_declare(formula.variables, '?'))}) {write_formula(formula.body)})"
        )
    if isinstance(formula, PreferenceFormula):
        return _list("preference", (*filter(None, (formula.name,)), write_formula(formula.body)))
    times = (f"{time:g}" if time == int(time) else repr(time) for time in formula.times)
    return _list(formula.operator, (*times, *map(write_formula, formula.parts)))


def write_numeric(number: Numeric) -> str:
    """Write a numeric expression."""
    if isinstance(number, float):
        return repr(number).removesuffix(".0")
    if isinstance(number, FunctionValue):
        return _list(number.function, map(_write_term, number.arguments))
    if isinstance(number, ViolationCount):
        return f"(is-violated {number.preference})"
    return _list(number.operator, map(write_numeric, number.operands))


def _write_action(action: PddlAction) -> str:
    effects = tuple(_write_effect(effect) for effect in action.effects)
    effect = effects[0] if len(effects) == 1 else _list("and", effects)
    return (
        f"(:action {action.spelling or action.name}\n"
        f"    :parameters ({' '.join(_declare(action.parameters, '?'))})\n"
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
    text = _list("and", parts)
    if effect.condition != TRUE:
        text = f"(when {write_formula(effect.condition)} {text})"
    if effect.variables:
        text = f"(forall ({' '.join(_declare(effect.variables, '?'))}) {text})"
    return text


def _declare(typed: Iterable[Typed], prefix: str = "") -> Iterator[str]:
    for one in typed:
        several = len(one.types) > 1
        yield f"{prefix}{one.name} - {_list('either', one.types) if several else one.types[0]}"


def _write_term(term: PddlTerm) -> str:
    return f"?{term.name}" if isinstance(term, Variable) else term.name


def _list(head: str, parts: Iterable[str]) -> str:
    return f"({' '.join((head, *parts))})"
