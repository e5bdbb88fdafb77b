# SPDX-License-Identifier: Apache-2.0
"""Disjunctive normal form: a condition as alternatives, each a set of literals.

What is existential becomes a variable of the alternative. What is universal becomes an absence
(`forall ?y (not (on ?y ?x))`: no tuple on(any, x)) where that says it all, and is else expanded
over the objects. Static atoms without variables are decided at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.errors import UnsupportedPddl
from fcp_ros.domain.pddl.rules.universe import Universe
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import (
    Conjunction,
    Disjunction,
    Equality,
    Formula,
    Negation,
    PddlAction,
    PddlTerm,
    Quantified,
    Typed,
    children,
    terms_of,
)

MAX_ALTERNATIVES = 2_000
"""More alternatives than this, for one condition, are refused."""

MAX_EXPANSION = 20_000
"""A universal condition over more objects (or tuples of them) than this is refused."""

Pair = tuple[PddlTerm, PddlTerm]


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One alternative: all of it must hold.

    Attributes:
        variables: existential; their names occur nowhere else.
        positive: atoms that must hold.
        negative: atoms that must not; variables whose name begins with `any.` stand for anything.
        equal: terms that must be the same.
        unequal: terms that must differ.
    """

    variables: tuple[Typed, ...] = ()
    positive: tuple[Atom, ...] = ()
    negative: tuple[Atom, ...] = ()
    equal: tuple[Pair, ...] = ()
    unequal: tuple[Pair, ...] = ()

    def joined(self, other: Conjunct) -> Conjunct:
        """Both."""
        return Conjunct(
            self.variables + other.variables,
            tuple(dict.fromkeys(self.positive + other.positive)),
            tuple(dict.fromkeys(self.negative + other.negative)),
            tuple(dict.fromkeys(self.equal + other.equal)),
            tuple(dict.fromkeys(self.unequal + other.unequal)),
        )

    @property
    def contradicts_itself(self) -> bool:
        """Whether it asks for an atom and for its absence."""
        return not set(self.positive).isdisjoint(self.negative)

    def terms(self) -> Iterator[PddlTerm]:
        """Every term, as often as it occurs."""
        for atom in (*self.positive, *self.negative):
            yield from terms_of(atom)
        yield from itertools.chain.from_iterable((*self.equal, *self.unequal))


def is_open(term: PddlTerm) -> bool:
    """Whether a term of a negative atom stands for anything."""
    return isinstance(term, Variable) and term.name.startswith("any.")


class Normaliser:
    """Makes alternatives of conditions."""

    def __init__(self, universe: Universe, source: Source) -> None:
        """`source` is the file that messages speak of."""
        self._universe = universe
        self._source = source
        self._numbers = itertools.count(1)

    def alternatives(self, formula: Formula, action: PddlAction) -> tuple[Conjunct, ...]:
        """The alternatives of a condition; none where it can never hold.

        Arguments:
            formula: the condition.
            action: the action that it belongs to, for messages.

        Raises:
            UnsupportedPddl: it has too many alternatives, or ranges over too many objects.
        """
        return tuple(_Condition(self._universe, self._source, action, self._numbers).of(formula))


@dataclass(frozen=True)
class _Condition:
    universe: Universe
    source: Source
    action: PddlAction
    numbers: Iterator[int]

    def of(self, formula: Formula) -> list[Conjunct]:
        return self._dnf(formula, True, {})

    def _dnf(self, formula: Formula, wanted: bool, bound: Mapping[str, PddlTerm]) -> list[Conjunct]:
        """Alternatives of the formula (of its negation where it is not `wanted`)."""
        if isinstance(formula, Atom):
            return self._atom(formula, wanted, bound)
        if isinstance(formula, Equality):
            pair = (_at(formula.left, bound), _at(formula.right, bound))
            return _equality(pair, wanted)
        if isinstance(formula, Negation):
            return self._dnf(formula.body, not wanted, bound)
        if isinstance(formula, (Conjunction, Disjunction)):
            if isinstance(formula, Conjunction) is wanted:
                return self._product(self._dnf(part, wanted, bound) for part in formula.parts)
            return list(
                dict.fromkeys(c for part in formula.parts for c in self._dnf(part, wanted, bound))
            )
        assert isinstance(formula, Quantified), "other formulas have been refused"
        if not all(map(self.universe.candidates, formula.variables)):
            return [Conjunct()] if formula.universal is wanted else []
        used = free_names(formula.body)
        variables = tuple(v for v in formula.variables if v.name in used)
        if not variables:
            return self._dnf(formula.body, wanted, bound)
        formula = Quantified(formula.universal, variables, formula.body)
        if formula.universal is wanted:
            return self._every(formula, wanted, bound)
        fresh = self._fresh("some.", formula.variables)
        renamed = {**bound, **{old.name: Variable(new.name) for old, new in fresh}}
        added = Conjunct(tuple(new for _, new in fresh))
        return [added.joined(c) for c in self._dnf(formula.body, wanted, renamed)]

    def _atom(self, atom: Atom, wanted: bool, bound: Mapping[str, PddlTerm]) -> list[Conjunct]:
        found = Atom(atom.predicate, tuple(_at(term, bound) for term in terms_of(atom)))
        truth = self.universe.truth(found)
        if truth is not None:
            return [Conjunct()] if truth is wanted else []
        return [Conjunct(positive=(found,)) if wanted else Conjunct(negative=(found,))]

    def _product(self, parts: Iterable[Sequence[Conjunct]]) -> list[Conjunct]:
        found = [Conjunct()]
        for part in parts:
            joined = (one.joined(other) for one in found for other in part)
            found = list(dict.fromkeys(c for c in joined if not c.contradicts_itself))
            if len(found) > MAX_ALTERNATIVES:
                feature = f"a condition with more than {MAX_ALTERNATIVES} alternatives"
                raise self._unsupported(feature, "split the action, or drop some `or`")
        return found

    # --- universal conditions

    def _every(
        self, formula: Quantified, wanted: bool, bound: Mapping[str, PddlTerm]
    ) -> list[Conjunct]:
        fresh = self._fresh("any.", formula.variables)
        renamed = {**bound, **{old.name: Variable(new.name) for old, new in fresh}}
        against = self._dnf(formula.body, not wanted, renamed)
        absent = [self._absence(conjunct, [new for _, new in fresh]) for conjunct in against]
        if None not in absent:
            atoms = tuple(dict.fromkeys(atom for atom in absent if atom is not None))
            return [Conjunct(negative=atoms)]
        ranges = [sorted(self.universe.candidates(variable)) for variable in formula.variables]
        size = 1
        for range_ in ranges:
            size *= len(range_)
        if size > MAX_EXPANSION:
            feature = f"a universal condition over {size} cases"
            raise self._unsupported(feature, "narrow the types of its variables")
        names = [variable.name for variable in formula.variables]
        cases = (
            {**bound, **dict(zip(names, map(Constant, chosen), strict=True))}
            for chosen in itertools.product(*ranges)
        )
        return self._product(self._dnf(formula.body, wanted, case) for case in cases)

    def _absence(self, conjunct: Conjunct, variables: Sequence[Typed]) -> Atom | None:
        """The atom whose absence, for all values of the variables, rules the conjunct out."""
        if (
            len(conjunct.positive) != 1
            or conjunct.negative
            or conjunct.equal
            or conjunct.unequal
            or conjunct.variables
        ):
            return None
        (atom,) = conjunct.positive
        legs = self.universe.domain.predicates[atom.predicate]
        ranges = {variable.name: variable for variable in variables}
        for term, leg in zip(terms_of(atom), legs, strict=True):
            inside = isinstance(term, Variable) and term.name in ranges
            if inside and not self._covers(ranges[term.name], leg):
                return None
            if is_open(term) and not inside:
                return None
        return atom

    def _covers(self, variable: Typed, leg: Typed) -> bool:
        """Whether the variable ranges over whatever the leg can hold."""
        return self.universe.candidates(leg) <= self.universe.candidates(variable)

    # --- helpers

    def _fresh(self, prefix: str, variables: Iterable[Typed]) -> list[tuple[Typed, Typed]]:
        return [
            (old, Typed(f"{prefix}{old.name}.{next(self.numbers)}", old.types)) for old in variables
        ]

    def _unsupported(self, feature: str, fix: str) -> UnsupportedPddl:
        action = self.action
        return self.source.unsupported(action.at, f"{feature}, in {action.name},", fix)


def free_names(formula: Formula) -> frozenset[str]:
    """The names of the variables that a formula leaves free."""
    if isinstance(formula, Atom):
        return frozenset(t.name for t in formula.arguments if isinstance(t, Variable))
    if isinstance(formula, Equality):
        both = (formula.left, formula.right)
        return frozenset(t.name for t in both if isinstance(t, Variable))
    if isinstance(formula, Negation):
        return free_names(formula.body)
    if isinstance(formula, Quantified):
        return free_names(formula.body) - {variable.name for variable in formula.variables}
    return frozenset().union(*map(free_names, children(formula)))


def _at(term: PddlTerm, bound: Mapping[str, PddlTerm]) -> PddlTerm:
    return bound.get(term.name, term) if isinstance(term, Variable) else term


def _equality(pair: Pair, wanted: bool) -> list[Conjunct]:
    left, right = pair
    if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
        return [Conjunct()] if (left == right) is wanted else []
    return [Conjunct(equal=(pair,)) if wanted else Conjunct(unequal=(pair,))]
