# SPDX-License-Identifier: Apache-2.0
"""Syntax trees back to text: conditions, numbers, whole files.

Reading what was written gives an equal tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.foundation.wording import write_decimal


def write_domain(domain: pddl.DomainText, spelling: Mapping[str, str] | None = None) -> str:
    """Write a domain file.

    `spelling`: constants as they are to be spelt, by their lower-case names.
    """
    sections = [f"(define (domain {domain.name})"]
    if domain.requirements:
        sections.append(write_list(":requirements", domain.requirements))
    types = [
        pddl.Typed(name, above) for name, above in domain.types.items() if pddl.JOINT not in name
    ]
    if types:
        sections.append(write_list(":types", declare(types)))
    if domain.constants:
        sections.append(
            write_list(":constants", _declare_objects(domain.constants, spelling or {}))
        )
    for key, signatures in ((":predicates", domain.predicates), (":functions", domain.functions)):
        if signatures:
            shapes = (write_list(name, declare(legs, "?")) for name, legs in signatures.items())
            sections.append(write_list(key, shapes))
    if domain.constraints != pddl.TRUE:
        sections.append(write_list(":constraints", (write_formula(domain.constraints),)))
    sections.extend(_write_axiom(axiom) for axiom in domain.axioms)
    sections.extend(_write_action(action) for action in domain.actions)
    return "\n  ".join(sections) + ")\n"


def write_problem(problem: pddl.ProblemText, constants: Iterable[pddl.Typed] = ()) -> str:
    """Write a problem file. `constants`: of its domain, which are not declared again."""
    known = frozenset(constants)
    objects = (typed for typed in problem.objects if typed not in known)
    facts = (
        write_list(predicate, arguments)
        for predicate, tuples in problem.facts.items()
        for arguments in sorted(tuples)
    )
    values = [
        f"(= {write_list(function, arguments)} {write_decimal(value)})"
        for function, given in problem.values.items()
        for arguments, value in given.items()
    ]
    reads_cost = problem.metric is not None and _reads_cost(problem.metric.value)
    if reads_cost and pddl.TOTAL_COST not in problem.values:
        values.append(f"(= ({pddl.TOTAL_COST}) 0)")  # other planners want it
    sections = [
        f"(define (problem {problem.name})",
        write_list(":domain", (problem.domain,)),
        write_list(":objects", _declare_objects(objects, problem.spelling)),
        write_list(":init", (*facts, *values)),
        write_list(":goal", (write_formula(problem.goal),)),
    ]
    if problem.constraints != pddl.TRUE:
        sections.append(write_list(":constraints", (write_formula(problem.constraints),)))
    if problem.metric is not None:
        way = "minimize" if problem.metric.minimise else "maximize"
        sections.append(write_list(":metric", (way, write_numeric(problem.metric.value))))
    return "\n  ".join(sections) + ")\n"


def _declare_objects(objects: Iterable[pddl.Typed], spelling: Mapping[str, str]) -> Iterator[str]:
    """Declare objects; one of several types is declared once for each of them."""
    for typed in objects:
        name = spelling.get(typed.name, typed.name)
        if pddl.JOINT in typed.types[0]:
            yield from declare(
                pddl.Typed(name, (type_,)) for type_ in typed.types[0].split(pddl.JOINT)
            )
        else:
            yield from declare((pddl.Typed(name, typed.types),))


def _reads_cost(number: pddl.Numeric) -> bool:
    if isinstance(number, pddl.NumericOperation):
        return any(map(_reads_cost, number.operands))
    return number == pddl.FunctionValue(pddl.TOTAL_COST)


def _write_axiom(axiom: pddl.PddlAxiom) -> str:
    head = write_list(axiom.head.predicate, declare(axiom.parameters, "?"))
    return f"(:derived {head}\n    {write_formula(axiom.body)})"


def _write_action(action: pddl.PddlAction) -> str:
    effects = tuple(_write_effect(effect) for effect in action.effects)
    effect = effects[0] if len(effects) == 1 else write_list("and", effects)
    return (
        f"(:action {action.spelling or action.name}\n"
        f"    :parameters ({' '.join(declare(action.parameters, '?'))})\n"
        f"    :precondition {write_formula(action.precondition)}\n"
        f"    :effect {effect})"
    )


def _write_effect(effect: pddl.ActionEffect) -> str:
    parts = [write_formula(atom) for atom in effect.add]
    parts += [f"(not {write_formula(atom)})" for atom in effect.delete]
    parts += [
        f"({change.operator} {write_numeric(change.target)} {write_numeric(change.amount)})"
        for change in effect.numeric
    ]
    text = write_list("and", parts)
    if effect.condition != pddl.TRUE:
        text = f"(when {write_formula(effect.condition)} {text})"
    if effect.variables:
        text = f"(forall ({' '.join(declare(effect.variables, '?'))}) {text})"
    return text


def write_formula(formula: pddl.Formula) -> str:
    if isinstance(formula, Atom):
        return write_list(formula.predicate, map(_write_term, pddl.terms_of(formula)))
    if isinstance(formula, pddl.Equality):
        return f"(= {_write_term(formula.left)} {_write_term(formula.right)})"
    if isinstance(formula, pddl.NumericComparison):
        left, right = write_numeric(formula.left), write_numeric(formula.right)
        return f"({formula.operator} {left} {right})"
    if isinstance(formula, pddl.Negation):
        return f"(not {write_formula(formula.body)})"
    if isinstance(formula, pddl.Conjunction):
        return write_list("and", map(write_formula, formula.parts))
    if isinstance(formula, pddl.Disjunction):
        return write_list("or", map(write_formula, formula.parts))
    if isinstance(formula, pddl.Quantified):
        word = "forall" if formula.universal else "exists"
        variables = " ".join(declare(formula.variables, "?"))
        return f"({word} ({variables}) {write_formula(formula.body)})"
    if isinstance(formula, pddl.PreferenceFormula):
        return write_list(
            "preference", (*filter(None, (formula.name,)), write_formula(formula.body))
        )
    times = (write_decimal(Fraction(str(time))) for time in formula.times)
    return write_list(formula.operator, (*times, *map(write_formula, formula.parts)))


def write_numeric(number: pddl.Numeric) -> str:
    if isinstance(number, Fraction):
        return write_decimal(number)
    if isinstance(number, pddl.FunctionValue):
        return write_list(number.function, map(_write_term, number.arguments))
    if isinstance(number, pddl.ViolationCount):
        return f"(is-violated {number.preference})"
    return write_list(number.operator, map(write_numeric, number.operands))


def declare(typed: Iterable[pddl.Typed], prefix: str = "") -> Iterator[str]:
    """Write each variable or object with its type."""
    for one in typed:
        several = len(one.types) > 1
        yield f"{prefix}{one.name} - {write_list('either', one.types) if several else one.types[0]}"


def _write_term(term: pddl.PddlTerm) -> str:
    return f"?{term.name}" if isinstance(term, Variable) else term.name


def write_list(head: str, parts: Iterable[str]) -> str:
    """Write a list that begins with a word."""
    return f"({' '.join((head, *parts))})"
