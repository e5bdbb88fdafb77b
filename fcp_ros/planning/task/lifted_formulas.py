# SPDX-License-Identifier: Apache-2.0
"""Relations, atoms and conditions of a domain's rules over numbered slots, as grounding reads them.

Disjunctive and quantified conditions are in negation normal form.

A quantifier gets slots of its own behind those of the rule. Its *guards* are static atoms that its
cases must match: in `exists x: g and f` and in `forall x: not g or f`, only elements with g matter.
Grounding enumerates the matches of the guards, not the elements of the types.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Variable,
)


@dataclass(frozen=True, eq=False, slots=True)
class LiftedRelation:
    """A relation."""

    number: int
    name: str
    legs: tuple[str, ...]
    # for each leg the types that an element there may have as its own
    kinds: tuple[frozenset[str], ...]
    keys: tuple[int, ...]  # positions of the functional legs
    changes: bool
    moves: bool  # whether some rule replaces one of its facts by another (a robot's place)


LiftedAtom = tuple[LiftedRelation, tuple[int, ...]]
"""A relation and the slot of each leg; -1, -2, ... are existential, inside one negation."""


def lift_atom(
    atom: Atom, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> LiftedAtom:
    """Replace the variables of an atom by slots; those without one become existential."""
    open_: dict[str, int] = {}
    found = []
    for term in atom.arguments:
        if not isinstance(term, Variable):
            raise TypeError(f"{atom.predicate} in a rule takes parameters, not {term}")
        slot = slots.get(term.name)
        found.append(open_.setdefault(term.name, -1 - len(open_)) if slot is None else slot)
    return (relations[atom.predicate], tuple(found))


@dataclass(frozen=True, eq=False, slots=True)
class LiftedLiteral:
    """An atom or its negation."""

    atom: LiftedAtom
    negated: bool


@dataclass(frozen=True, eq=False, slots=True)
class LiftedJunction:
    """A conjunction (`every`) or a disjunction of any number of parts."""

    every: bool
    parts: tuple[LiftedFormula, ...]


@dataclass(frozen=True, eq=False, slots=True)
class LiftedQuantifier:
    """A formula for every, or for some, choice of elements."""

    every: bool
    slots: tuple[int, ...]
    types: tuple[str, ...]
    # static atoms; only choices with which all of them hold are cases
    guards: tuple[LiftedAtom, ...]
    body: LiftedFormula


LiftedFormula = LiftedLiteral | LiftedJunction | LiftedQuantifier


@dataclass(frozen=True, eq=False, slots=True)
class LiftedCondition:
    """A condition of a rule that is not a literal."""

    expression: Expression
    formula: LiftedFormula
    reads: tuple[int, ...]  # the slots of the rule that it reads, sorted


def lift_condition(
    expression: Expression, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> LiftedCondition:
    """Lift a condition.

    Args:
        slots: the slots of its free variables; others follow behind the largest.
    """
    fresh = itertools.count(max(slots.values(), default=-1) + 1)
    formula = _Lifting(relations, fresh).lift(expression, True, slots)
    own = set(slots.values())
    reads = sorted({slot for _, used in iterate_atoms(formula) for slot in used} & own)
    return LiftedCondition(expression, formula, tuple(reads))


def iterate_atoms(formula: LiftedFormula) -> Iterator[LiftedAtom]:
    """Yield all atoms of a formula, guards included."""
    if isinstance(formula, LiftedLiteral):
        yield formula.atom
    elif isinstance(formula, LiftedJunction):
        for part in formula.parts:
            yield from iterate_atoms(part)
    else:
        yield from formula.guards
        yield from iterate_atoms(formula.body)


@dataclass(frozen=True, slots=True)
class _Lifting:
    relations: Mapping[str, LiftedRelation]
    fresh: Iterator[int]

    def lift(self, expression: Expression, wanted: bool, slots: Mapping[str, int]) -> LiftedFormula:
        if isinstance(expression, Not):
            return self.lift(expression.body, not wanted, slots)
        if isinstance(expression, Atom):
            return LiftedLiteral(lift_atom(expression, slots, self.relations), not wanted)
        if isinstance(expression, (And, Or)):
            every = isinstance(expression, And) is wanted
            parts = [self.lift(part, wanted, slots) for part in expression.parts]
            return LiftedJunction(every, tuple(_flatten(parts, every)))
        if isinstance(expression, (Exists, Forall)):
            every = isinstance(expression, Forall) is wanted
            own = {variable.name: next(self.fresh) for variable in expression.variables}
            body = self.lift(expression.body, wanted, {**slots, **own})
            types = tuple(variable.type for variable in expression.variables)
            guards, rest = _split_guards(tuple(_flatten([body], not every)), every)
            return LiftedQuantifier(every, tuple(own.values()), types, guards, rest)
        raise TypeError("conditions of rules have no weights")


def _flatten(parts: Sequence[LiftedFormula], every: bool) -> Iterator[LiftedFormula]:
    """Yield the parts, with the parts of equal junctions in their place."""
    for part in parts:
        if isinstance(part, LiftedJunction) and part.every is every:
            yield from part.parts
        else:
            yield part


def _split_guards(
    parts: Sequence[LiftedFormula], every: bool
) -> tuple[tuple[LiftedAtom, ...], LiftedFormula]:
    """Split the body of a quantifier into its guards and the rest.

    Static atoms that a case of a universal quantifier negates decide the case where they fail, as
    those that a case of an existential one requires do.
    """
    guards, rest = [], []
    for part in parts:
        if isinstance(part, LiftedLiteral) and part.negated is every and not part.atom[0].changes:
            guards.append(part.atom)
        else:
            rest.append(part)
    body = rest[0] if len(rest) == 1 else LiftedJunction(not every, tuple(rest))
    return tuple(guards), body
