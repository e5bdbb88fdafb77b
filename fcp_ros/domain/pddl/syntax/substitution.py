# SPDX-License-Identifier: Apache-2.0
"""Terms in the place of free variables; what is put in must not be bound where it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl.syntax.tree import (
    ActionEffect,
    Equality,
    Formula,
    FunctionValue,
    Numeric,
    NumericComparison,
    NumericOperation,
    PddlTerm,
    Quantified,
    Typed,
    change_parts,
    terms_of,
)


def bind_free(formula: Formula, terms: Mapping[str, PddlTerm]) -> Formula:
    """Replace free variables; a new variable occurs nowhere in the formula."""
    if not terms:
        return formula
    if isinstance(formula, Atom):
        return bind_atom(formula, terms)
    if isinstance(formula, Equality):
        left, right = _bind(formula.left, terms), _bind(formula.right, terms)
        return replace(formula, left=left, right=right)
    if isinstance(formula, NumericComparison):
        return replace(
            formula,
            left=_bind_number(formula.left, terms),
            right=_bind_number(formula.right, terms),
        )
    if isinstance(formula, Quantified):
        terms = _without(terms, formula.variables)
    return change_parts(formula, lambda part: bind_free(part, terms))


def bind_atom(atom: Atom, terms: Mapping[str, PddlTerm]) -> Atom:
    """Replace the variables of an atom."""
    return Atom(atom.predicate, tuple(_bind(term, terms) for term in terms_of(atom)), atom.column)


def bind_effect(effect: ActionEffect, terms: Mapping[str, PddlTerm]) -> ActionEffect:
    """Replace free variables of an effect."""
    terms = _without(terms, effect.variables)
    return ActionEffect(
        effect.variables,
        bind_free(effect.condition, terms),
        tuple(bind_atom(atom, terms) for atom in effect.add),
        tuple(bind_atom(atom, terms) for atom in effect.delete),
        tuple(replace(n, amount=_bind_number(n.amount, terms)) for n in effect.numeric),
    )


def _without(terms: Mapping[str, PddlTerm], variables: Iterable[Typed]) -> Mapping[str, PddlTerm]:
    bound = {variable.name for variable in variables}
    return {old: new for old, new in terms.items() if old not in bound}


def _bind(term: PddlTerm, terms: Mapping[str, PddlTerm]) -> PddlTerm:
    new = terms.get(term.name) if isinstance(term, Variable) else None
    return term if new is None else type(new)(new.name, term.column)


def _bind_number(number: Numeric, terms: Mapping[str, PddlTerm]) -> Numeric:
    if isinstance(number, FunctionValue):
        return replace(number, arguments=tuple(_bind(term, terms) for term in number.arguments))
    if isinstance(number, NumericOperation):
        operands = tuple(_bind_number(operand, terms) for operand in number.operands)
        return replace(number, operands=operands)
    return number
