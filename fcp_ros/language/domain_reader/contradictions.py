# SPDX-License-Identifier: Apache-2.0
"""Statements that can't be so at once, undo one another, or relate a thing to itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Text,
    Variable,
    atoms,
    children,
    substitute,
)
from fcp_ros.domain.model import BUILT_IN, Domain
from fcp_ros.language.domain_reader.statements import ComposedClause, Statement
from fcp_ros.language.domain_reader.terms.places import PlaceChooser, PresentState


class Contradictions:
    """A finder of contradictions between conjunctions of facts.

    Args:
        state: decides what was initially so.
    """

    def __init__(self, domain: Domain, state: PresentState, places: PlaceChooser) -> None:
        self._domain = domain
        self._state = state
        self._places = {place.meaning.name for place in places.list_theme_relations()}

    def undoes(self, later: ComposedClause, earlier: ComposedClause) -> bool:
        """Return True if one clause can only be so when another one is no longer."""
        return any(
            self.contradict(one.close(), two.close())
            or self._contradict_shared(one, two)
            or _refills(one.close(), two.close())
            for one in later.statements
            for two in earlier.statements
        )

    def _contradict_shared(self, one: Statement, two: Statement) -> bool:
        """Return True if two statements about the same thing, whichever it is, can't both be so."""
        shared = [r.name for r in one.prefix if any(r is other for other in two.prefix)]
        if not shared:
            return False
        named = {name: Constant(f"?{name}") for name in shared}
        return self.contradict(substitute(one.matrix, named), substitute(two.matrix, named))

    def contradict(self, one: Expression, two: Expression) -> bool:
        """Return True if two conjunctions of facts can't both hold."""
        facts = list(self._list_literals(one))
        for atom, holds in self._list_literals(two):
            for other, so in facts:
                if other == atom and so != holds:
                    return True
                if so and holds and self.exclude(other.predicate, other.arguments, atom):
                    return True
        return False

    def empties(self, none: Expression, kept: Expression) -> bool:
        """Return True for "clear it, but leave one cup there": nothing stays, and a cup does."""
        some = isinstance(kept, Exists) or (
            isinstance(kept, Count) and kept.bound is Bound.AT_LEAST
        )
        if not some or not isinstance(none, Not) or not _refills(kept, none):
            return False
        return self._list_things(kept) <= self._list_things(none.body)

    def _list_things(self, some: Expression) -> set[str]:
        if not isinstance(some, (Exists, Count)):
            return set()
        return {name for bound in self._state.list_bindings(some, {}) for name in bound.values()}

    def _list_literals(self, formula: Expression) -> Iterator[tuple[Atom, bool]]:
        """Yield the atoms of a conjunction without variables, each with True if it holds."""
        if isinstance(formula, Atom):
            yield formula, True
        elif isinstance(formula, Not) and isinstance(formula.body, Atom):
            yield formula.body, False
        elif isinstance(formula, And):
            for part in formula.parts:
                yield from self._list_literals(part)
        elif isinstance(formula, Forall) and isinstance(formula.body, Or):  # as it was initially
            guards = [part for part in formula.body.parts if _is_guard(part)]
            rest = [part for part in formula.body.parts if not _is_guard(part)]
            if len(guards) == 1 == len(rest):
                for binding in self._state.list_bindings(formula, {}):
                    if not self._state.holds(guards[0], binding):
                        names = {name: Constant(value) for name, value in binding.items()}
                        yield from self._list_literals(substitute(rest[0], names))

    def exclude(self, predicate: str, arguments: Sequence[object], atom: Atom) -> bool:
        """Return True if a functional relation can't have both tuples, or a thing both places."""
        schema = self._domain.schema
        if not schema.has_relation(predicate) or not schema.has_relation(atom.predicate):
            return False
        constants = all(isinstance(term, Constant) for term in (*arguments, *atom.arguments))
        if not constants or (predicate, tuple(arguments)) == (atom.predicate, atom.arguments):
            return False
        functional = schema.relation(predicate).functional
        legs = [leg for leg, _ in schema.relation(predicate).legs]
        if predicate != atom.predicate:
            if not {predicate, atom.predicate} <= self._places:
                return False
            two = schema.relation(atom.predicate)
            both = bool(functional) and bool(two.functional) and len(legs) == 2 == len(two.legs)
            plain = legs[0] in functional and two.legs[0][0] in two.functional if both else False
            return plain and legs[0] == two.legs[0][0] and arguments[0] == atom.arguments[0]
        return any(
            arguments[legs.index(leg)] == atom.arguments[legs.index(leg)] for leg in functional
        )


def mentions_initially(formula: Expression) -> bool:
    """Return True if a formula speaks of the initial state."""
    return isinstance(formula, Initially) or any(map(mentions_initially, children(formula)))


def _is_guard(part: Expression) -> bool:
    return isinstance(part, Not) and isinstance(part.body, Initially)


def _refills(later: Expression, earlier: Expression) -> bool:
    """Return True if nothing shall be somewhere, and something later is: "empty it, then ..."."""
    if not isinstance(earlier, Not) or not isinstance(earlier.body, Exists):
        return False
    body = earlier.body.body
    absent = [body] if isinstance(body, Atom) else []
    return any(
        atom.predicate == none.predicate
        and all(
            isinstance(mine, Variable) or isinstance(its, Variable) or mine == its
            for mine, its in zip(none.arguments, atom.arguments, strict=True)
        )
        for none in absent
        for atom in _list_positive(later)
    )


def _list_positive(formula: Expression) -> Iterator[Atom]:
    """Yield the atoms that a formula says to hold at the end."""
    if isinstance(formula, Atom):
        yield formula
    elif not isinstance(formula, (Not, Initially)):
        for part in children(formula):
            yield from _list_positive(part)


def find_self_relation(goal: Expression) -> Atom | None:
    """Return the first atom of a goal in which one thing fills two places; None without one.

    "Put a tray on the tary" is no wish for a tray that is on itself, whatever the types allow.
    """
    for atom in atoms(goal):
        things = [one for one in atom.arguments if not isinstance(one, Text)]
        if atom.predicate not in BUILT_IN and len(set(things)) < len(things):
            return atom
    return None
