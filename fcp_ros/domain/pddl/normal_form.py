# SPDX-License-Identifier: Apache-2.0
"""Disjunctive normal form: a condition as alternatives, each a set of literals.

An existential variable becomes a variable of the alternative. A universal condition becomes an
absence if that is equivalent (`forall ?y (not (on ?y ?x))`: no tuple on(any, x)); otherwise it is
expanded over the objects. Static atoms without variables are decided immediately. Parts with too
many alternatives stay formulas.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.universe import Universe

MAX_ALTERNATIVES = 16
"""A condition with more alternatives than this keeps some of its parts as formulas."""

MAX_EXPANSION = 20_000
"""A universal condition over more objects (or tuples of them) than this is not expanded."""

MAX_VARIABLES = 4
"""A universal condition whose expansion has more existential variables than this is not expanded:
each variable may be any of the others, and the number of such cases is exponential."""

Pair = tuple[pddl.PddlTerm, pddl.PddlTerm]
_Part = tuple[pddl.Formula, bool, Mapping[str, pddl.PddlTerm]]
"""A formula, True if it (False if its negation) must hold, and the terms for its variables."""


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One alternative: all of it must hold."""

    variables: tuple[pddl.Typed, ...] = ()  # existential; their names occur nowhere else
    positive: tuple[Atom, ...] = ()
    # atoms that must not; variables whose name begins with `any.` fit anything
    negative: tuple[Atom, ...] = ()
    equal: tuple[Pair, ...] = ()  # terms that must be the same
    unequal: tuple[Pair, ...] = ()
    # formulas that were not taken apart; their quantified variables occur nowhere else
    rest: tuple[pddl.Formula, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Conjunct]) -> Conjunct:
        """Return the conjunction of several; the time is linear in their size."""
        if len(parts) == 1:
            return parts[0]
        chain = itertools.chain.from_iterable
        return cls(
            tuple(chain(part.variables for part in parts)),
            tuple(dict.fromkeys(chain(part.positive for part in parts))),
            tuple(dict.fromkeys(chain(part.negative for part in parts))),
            tuple(dict.fromkeys(chain(part.equal for part in parts))),
            tuple(dict.fromkeys(chain(part.unequal for part in parts))),
            tuple(dict.fromkeys(chain(part.rest for part in parts))),
        )

    def join(self, other: Conjunct) -> Conjunct:
        """Return the conjunction of both."""
        return Conjunct.of((self, other))

    @property
    def contradicts_itself(self) -> bool:
        """Return True if it requires an atom and its absence."""
        return not set(self.positive).isdisjoint(self.negative)

    def terms(self) -> Iterator[pddl.PddlTerm]:
        """List the terms, as often as they occur."""
        for atom in (*self.positive, *self.negative):
            yield from pddl.terms_of(atom)
        yield from itertools.chain.from_iterable((*self.equal, *self.unequal))


def is_open(term: pddl.PddlTerm) -> bool:
    """Return True if a term of a negative atom fits anything."""
    return isinstance(term, Variable) and term.name.startswith("any.")


class Normaliser:
    """Finds the alternatives of conditions; fresh variables are numbered across them.

    `universe`: types, objects, static facts. `variables`: most existential variables of an expanded
    universal condition.
    """

    def __init__(self, universe: Universe, variables: int = MAX_VARIABLES) -> None:
        self._universe = universe
        self._variables = variables
        self._numbers = itertools.count(1)

    def find_alternatives(self, formula: pddl.Formula) -> tuple[Conjunct, ...]:
        """Find the alternatives of a condition; none if it can never hold."""
        # Parts of a condition with too many alternatives stay formulas (see `Conjunct.rest`).
        condition = _Condition(self._universe, self._numbers, self._variables)
        try:
            return tuple(condition.expand(formula))
        except _TooManyCases:
            return tuple(condition.split(formula))


class _TooManyCases(Exception):
    """A condition with too many alternatives."""


@dataclass(frozen=True)
class _Condition:
    universe: Universe
    numbers: Iterator[int]
    variables: int

    def expand(self, formula: pddl.Formula) -> list[Conjunct]:
        """Find all alternatives. Raises _TooManyCases if there are more than MAX_ALTERNATIVES."""
        return self._expand_part(formula, True, {})

    def split(self, formula: pddl.Formula) -> list[Conjunct]:
        """Find the alternatives of parts that have few; keep the other parts as formulas."""
        base = Conjunct()
        several: list[tuple[list[Conjunct], _Part]] = []
        pending: list[_Part] = [(formula, True, {})]
        while pending:
            part = pending.pop()
            taken = self._take_apart(part)
            if taken is not None:
                variables, parts = taken
                base = base.join(Conjunct(variables))
                pending.extend(reversed(parts))
                continue
            try:
                found = self._expand_part(*part)
            except _TooManyCases:
                base = base.join(self._keep(part))
                continue
            if not found:
                return []
            if len(found) == 1:
                base = base.join(found[0])
            elif isinstance(part[0], pddl.Quantified):  # one case for each object: better kept
                base = base.join(self._keep(part))
            else:
                several.append((found, part))
        # The parts with the fewest alternatives first: more of them stay below the limit.
        result = [base]
        for found, part in sorted(several, key=lambda one: len(one[0])):
            if len(result) * len(found) <= MAX_ALTERNATIVES:
                result = self._multiply([result, found])
            else:
                kept = self._keep(part)
                result = [conjunct.join(kept) for conjunct in result]
        return [c for c in result if pddl.FALSE not in c.rest and not c.contradicts_itself]

    def _take_apart(self, part: _Part) -> tuple[tuple[pddl.Typed, ...], list[_Part]] | None:
        """Open a conjunction or an existential condition; None for any other part."""
        formula, wanted, bound = part
        if isinstance(formula, pddl.Negation):
            return (), [(formula.body, not wanted, bound)]
        if isinstance(formula, pddl.Conjunction if wanted else pddl.Disjunction):
            return (), [(inner, wanted, bound) for inner in pddl.children(formula)]
        if isinstance(formula, pddl.Quantified) and formula.universal is not wanted:
            used = free_names(formula.body)
            fresh = self._rename_apart("some.", (v for v in formula.variables if v.name in used))
            renamed = {**bound, **{old.name: Variable(new.name) for old, new in fresh}}
            return tuple(new for _, new in fresh), [(formula.body, wanted, renamed)]
        return None

    def _keep(self, part: _Part) -> Conjunct:
        """Keep the part as a formula: names unique, static atoms without variables decided."""
        formula, wanted, bound = part
        kept = self._simplify(formula, bound)
        if not wanted:
            kept = negate_formula(kept)
        return Conjunct(rest=() if kept == pddl.TRUE else (kept,))

    def _simplify(self, formula: pddl.Formula, bound: Mapping[str, pddl.PddlTerm]) -> pddl.Formula:
        if isinstance(formula, Atom):
            found = Atom(
                formula.predicate,
                tuple(_replace_term(term, bound) for term in pddl.terms_of(formula)),
            )
            truth = self.universe.truth(found)
            return found if truth is None else pddl.TRUE if truth else pddl.FALSE
        if isinstance(formula, pddl.Equality):
            left, right = _replace_term(formula.left, bound), _replace_term(formula.right, bound)
            if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
                return pddl.TRUE if left == right else pddl.FALSE
            return pddl.Equality(left, right)
        if isinstance(formula, pddl.Negation):
            return negate_formula(self._simplify(formula.body, bound))
        if isinstance(formula, (pddl.Conjunction, pddl.Disjunction)):
            return join_formulas(type(formula), (self._simplify(p, bound) for p in formula.parts))
        assert isinstance(formula, pddl.Quantified), "other formulas have been refused"
        if not all(map(self.universe.candidates, formula.variables)):
            return pddl.TRUE if formula.universal else pddl.FALSE
        fresh = self._rename_apart("each.", formula.variables)
        renamed = {**bound, **{old.name: Variable(new.name) for old, new in fresh}}
        body = self._simplify(formula.body, renamed)
        if body in (pddl.TRUE, pddl.FALSE):
            return body
        return pddl.Quantified(formula.universal, tuple(new for _, new in fresh), body)

    def _expand_part(
        self, formula: pddl.Formula, wanted: bool, bound: Mapping[str, pddl.PddlTerm]
    ) -> list[Conjunct]:
        """Find the alternatives of the formula (of its negation if it is not `wanted`)."""
        if isinstance(formula, Atom):
            return self._expand_atom(formula, wanted, bound)
        if isinstance(formula, pddl.Equality):
            pair = (_replace_term(formula.left, bound), _replace_term(formula.right, bound))
            return _expand_equality(pair, wanted)
        if isinstance(formula, pddl.Negation):
            return self._expand_part(formula.body, not wanted, bound)
        if isinstance(formula, (pddl.Conjunction, pddl.Disjunction)):
            # De Morgan: a conjunction that must not hold is a disjunction of negations.
            if isinstance(formula, pddl.Conjunction) is wanted:
                return self._multiply(
                    self._expand_part(part, wanted, bound) for part in formula.parts
                )
            return list(
                dict.fromkeys(
                    c for part in formula.parts for c in self._expand_part(part, wanted, bound)
                )
            )
        assert isinstance(formula, pddl.Quantified), "other formulas have been refused"
        if not all(map(self.universe.candidates, formula.variables)):
            return [Conjunct()] if formula.universal is wanted else []
        used = free_names(formula.body)
        variables = tuple(v for v in formula.variables if v.name in used)
        if not variables:
            return self._expand_part(formula.body, wanted, bound)
        formula = pddl.Quantified(formula.universal, variables, formula.body)
        if formula.universal is wanted:
            return self._expand_universal(formula, wanted, bound)
        fresh = self._rename_apart("some.", formula.variables)
        renamed = {**bound, **{old.name: Variable(new.name) for old, new in fresh}}
        added = Conjunct(tuple(new for _, new in fresh))
        return [added.join(c) for c in self._expand_part(formula.body, wanted, renamed)]

    def _expand_atom(
        self, atom: Atom, wanted: bool, bound: Mapping[str, pddl.PddlTerm]
    ) -> list[Conjunct]:
        found = Atom(
            atom.predicate, tuple(_replace_term(term, bound) for term in pddl.terms_of(atom))
        )
        truth = self.universe.truth(found)
        if truth is not None:
            return [Conjunct()] if truth is wanted else []
        return [Conjunct(positive=(found,)) if wanted else Conjunct(negative=(found,))]

    def _multiply(self, parts: Iterable[Sequence[Conjunct]]) -> list[Conjunct]:
        single: list[Conjunct] = []
        several: list[Sequence[Conjunct]] = []
        for part in parts:
            if not part:
                return []
            if len(part) == 1:
                single.append(part[0])
            else:
                several.append(part)
        found = [Conjunct.of(single)]
        if found[0].contradicts_itself:
            return []
        for part in several:
            joined: dict[Conjunct, None] = {}
            for one, other in itertools.product(found, part):
                both = one.join(other)
                if not both.contradicts_itself:
                    joined[both] = None
                    if len(joined) > MAX_ALTERNATIVES:
                        raise _TooManyCases
            found = list(joined)
        return found

    # --- universal conditions

    def _expand_universal(
        self, formula: pddl.Quantified, wanted: bool, bound: Mapping[str, pddl.PddlTerm]
    ) -> list[Conjunct]:
        fresh = self._rename_apart("any.", formula.variables)
        renamed = {**bound, **{old.name: Variable(new.name) for old, new in fresh}}
        # The body holds of all values if no value satisfies an alternative of its negation. Where
        # each of these is a single atom over all values, no tuple may fit it: an absence.
        against = self._expand_part(formula.body, not wanted, renamed)
        absent = [self._find_absence(conjunct, [new for _, new in fresh]) for conjunct in against]
        if None not in absent:
            atoms = tuple(dict.fromkeys(atom for atom in absent if atom is not None))
            return [Conjunct(negative=atoms)]
        ranges = [sorted(self.universe.candidates(variable)) for variable in formula.variables]
        size = 1
        for range_ in ranges:
            size *= len(range_)
        if size > MAX_EXPANSION:
            raise _TooManyCases
        names = [variable.name for variable in formula.variables]
        cases = (
            {**bound, **dict(zip(names, map(Constant, chosen), strict=True))}
            for chosen in itertools.product(*ranges)
        )
        found = self._multiply(self._expand_part(formula.body, wanted, case) for case in cases)
        if any(len(conjunct.variables) > self.variables for conjunct in found):
            raise _TooManyCases
        return found

    def _find_absence(self, conjunct: Conjunct, variables: Sequence[pddl.Typed]) -> Atom | None:
        """Find the atom whose absence, for all values of the variables, rules the conjunct out."""
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
        for term, leg in zip(pddl.terms_of(atom), legs, strict=True):
            inside = isinstance(term, Variable) and term.name in ranges
            if inside and not self._covers(ranges[term.name], leg):
                return None
            if is_open(term) and not inside:
                return None
        return atom

    def _covers(self, variable: pddl.Typed, leg: pddl.Typed) -> bool:
        """Return True if the variable ranges over all objects that fit the leg."""
        return self.universe.candidates(leg) <= self.universe.candidates(variable)

    # --- helpers

    def _rename_apart(
        self, prefix: str, variables: Iterable[pddl.Typed]
    ) -> list[tuple[pddl.Typed, pddl.Typed]]:
        return [
            (old, pddl.Typed(f"{prefix}{old.name}.{next(self.numbers)}", old.types))
            for old in variables
        ]


def negate_formula(formula: pddl.Formula) -> pddl.Formula:
    """Negate a formula; a double negation disappears."""
    if formula in (pddl.TRUE, pddl.FALSE):
        return pddl.FALSE if formula == pddl.TRUE else pddl.TRUE
    return formula.body if isinstance(formula, pddl.Negation) else pddl.Negation(formula)


def join_formulas(
    kind: type[pddl.Conjunction] | type[pddl.Disjunction], parts: Iterable[pddl.Formula]
) -> pddl.Formula:
    """Join formulas; neutral parts are left out, and a single part stays itself."""
    neutral, other = (
        (pddl.TRUE, pddl.FALSE) if kind is pddl.Conjunction else (pddl.FALSE, pddl.TRUE)
    )
    found = [part for part in dict.fromkeys(parts) if part != neutral]
    if other in found:
        return other
    return found[0] if len(found) == 1 else kind(tuple(found))


def free_names(formula: pddl.Formula) -> frozenset[str]:
    if isinstance(formula, Atom):
        return frozenset(t.name for t in formula.arguments if isinstance(t, Variable))
    if isinstance(formula, pddl.Equality):
        both = (formula.left, formula.right)
        return frozenset(t.name for t in both if isinstance(t, Variable))
    if isinstance(formula, pddl.Negation):
        return free_names(formula.body)
    if isinstance(formula, pddl.Quantified):
        return free_names(formula.body) - {variable.name for variable in formula.variables}
    return frozenset().union(*map(free_names, pddl.children(formula)))


def _replace_term(term: pddl.PddlTerm, bound: Mapping[str, pddl.PddlTerm]) -> pddl.PddlTerm:
    return bound.get(term.name, term) if isinstance(term, Variable) else term


def _expand_equality(pair: Pair, wanted: bool) -> list[Conjunct]:
    left, right = pair
    if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
        return [Conjunct()] if (left == right) is wanted else []
    return [Conjunct(equal=(pair,)) if wanted else Conjunct(unequal=(pair,))]
