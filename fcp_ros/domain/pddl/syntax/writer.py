# SPDX-License-Identifier: Apache-2.0
"""Syntax trees back to text: conditions, numbers, declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl.syntax.tree import (
    Conjunction,
    Disjunction,
    Equality,
    Formula,
    FunctionValue,
    Negation,
    Numeric,
    NumericComparison,
    PddlTerm,
    PreferenceFormula,
    Quantified,
    Typed,
    ViolationCount,
    terms_of,
)
from fcp_ros.foundation.wording import write_decimal


def write_formula(formula: Formula) -> str:
    """Write a condition."""
    if isinstance(formula, Atom):
        return write_list(formula.predicate, map(_write_term, terms_of(formula)))
    if isinstance(formula, Equality):
        return f"(= {_write_term(formula.left)} {_write_term(formula.right)})"
    if isinstance(formula, NumericComparison):
        left, right = write_numeric(formula.left), write_numeric(formula.right)
        return f"({formula.operator} {left} {right})"
    if isinstance(formula, Negation):
        return f"(not {write_formula(formula.body)})"
    if isinstance(formula, Conjunction):
        return write_list("and", map(write_formula, formula.parts))
    if isinstance(formula, Disjunction):
        return write_list("or", map(write_formula, formula.parts))
    if isinstance(formula, Quantified):
        word = "forall" if formula.universal else "exists"
        variables = " ".join(declare(formula.variables, "?"))
        return f"({word} ({variables}) {write_formula(formula.body)})"
    if isinstance(formula, PreferenceFormula):
        return write_list(
            "preference", (*filter(None, (formula.name,)), write_formula(formula.body))
        )
    times = (f"{time:g}" if time == int(time) else repr(time) for time in formula.times)
    return write_list(formula.operator, (*times, *map(write_formula, formula.parts)))


def write_numeric(number: Numeric) -> str:
    """Write a numeric expression."""
    if isinstance(number, Fraction):
        return write_decimal(number)
    if isinstance(number, FunctionValue):
        return write_list(number.function, map(_write_term, number.arguments))
    if isinstance(number, ViolationCount):
        return f"(is-violated {number.preference})"
    return write_list(number.operator, map(write_numeric, number.operands))


def declare(typed: Iterable[Typed], prefix: str = "") -> Iterator[str]:
    """Write each variable or object with its type."""
    for one in typed:
        several = len(one.types) > 1
        yield f"{prefix}{one.name} - {write_list('either', one.types) if several else one.types[0]}"


def _write_term(term: PddlTerm) -> str:
    return f"?{term.name}" if isinstance(term, Variable) else term.name


def write_list(head: str, parts: Iterable[str]) -> str:
    """Write a list that begins with a word."""
    return f"({' '.join((head, *parts))})"
