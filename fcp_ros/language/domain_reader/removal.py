# SPDX-License-Identifier: Apache-2.0
"""Places for what is taken off or out of something; which statements undo one another.

"Not on the table" is met by a robot that holds the thing, which is not meant. A domain says what is
meant besides (`removed` of a relation), and here that is added to what an instruction asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fcp_ros.cset import Schema
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
    Term,
    Text,
    Variable,
    atoms,
    children,
    free_variables,
    substitute,
)
from fcp_ros.domain.model import BUILT_IN, IS_A, SAME, Domain
from fcp_ros.domain.phrase_goals import SlotValue, fill_goal
from fcp_ros.language.domain_reader.statements import ComposedClause, Statement
from fcp_ros.language.domain_reader.terms.places import PlaceChooser, PresentState
from fcp_ros.language.domain_reader.terms.referents import join


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


def put_somewhere(goal: Expression, domain: Domain, state: PresentState) -> Expression:
    """Add to a goal where what it removes is put, if it does not say that itself."""
    if not domain.words.removed:
        return goal
    return _Removal(domain, state, goal).add(goal)


class _Removal:
    def __init__(self, domain: Domain, state: PresentState, goal: Expression) -> None:
        self._domain = domain
        self._removed = domain.words.removed
        self._state = state
        self._placed = {term for atom in _list_wanted(goal) for term in self._list_themes(atom)}

    def add(self, goal: Expression, chosen: frozenset[str] = frozenset()) -> Expression:
        """Add to each part of a goal that removes something.

        Args:
            chosen: the variables around it. What it says of other things describes them.
        """
        if isinstance(goal, And):
            return join([self.add(part, chosen) for part in goal.parts])
        if isinstance(goal, (Exists, Forall)):
            inner = chosen | {variable.name for variable in goal.variables}
            return replace(goal, body=self.add(goal.body, inner))
        if isinstance(goal, Count) and goal.bound is Bound.AT_MOST and not chosen:
            return self._add_places(goal, goal)
        if isinstance(goal, Not) and isinstance(goal.body, Count) and not chosen:
            few = goal.body.bound is Bound.AT_LEAST
            return self._add_places(goal, goal.body) if few else goal
        if isinstance(goal, Not) and isinstance(goal.body, Or):
            return join([self.add(Not(part), chosen) for part in goal.body.parts])
        if isinstance(goal, Or) and chosen:
            return self._add_beside_exceptions(goal, chosen)
        return self._add_place(goal, chosen) if isinstance(goal, Not) else goal

    def _add_beside_exceptions(self, goal: Or, chosen: frozenset[str]) -> Expression:
        """Add to what is removed of all but some: "is it the bowl, or not on the counter"."""
        removals = [part for part in goal.parts if isinstance(part, Not)]
        others = [part for part in goal.parts if not isinstance(part, Not)]
        excepted = all(isinstance(one, Atom) and one.predicate in (IS_A, SAME) for one in others)
        if len(removals) != 1 or not others or not excepted:
            return goal
        return Or((*others, self._add_place(removals[0], chosen)))

    def _add_places(self, goal: Expression, count: Count) -> Expression:
        """Add where those are put of which there are too many: each stays, or has a place."""
        atoms = [atom for atom in _list_wanted(count.body) if atom.predicate in self._removed]
        names = {variable.name for variable in count.variables}
        themes = {atom.arguments[0] for atom in atoms}
        if len(themes) != 1 or {*free_variables(count.body)} != names or len(names) != 1:
            return goal
        (theme,) = themes
        now = Initially(count.body)
        if not isinstance(theme, Variable) or theme.name not in names or theme in self._placed:
            return goal
        some = Exists(count.variables, count.body)
        bindings = self._state.list_bindings(some, {})
        present = sum(self._state.holds(count.body, binding) for binding in bindings)
        most = count.number if count.bound is Bound.AT_MOST else count.number - 1
        if present <= most:
            return goal
        asked = Or((Not(now), count.body, self._place(atoms[0], theme)))
        return join([goal, Forall(count.variables, asked)])

    def _add_place(self, removal: Not, chosen: frozenset[str]) -> Expression:
        inside = removal.body
        body = inside.body if isinstance(inside, Exists) else inside
        bound = inside.variables if isinstance(inside, Exists) else ()
        atoms = [atom for atom in _list_wanted(body) if atom.predicate in self._removed]
        themes = dict.fromkeys(atom.arguments[0] for atom in atoms)
        if len(themes) != 1:
            return removal
        (theme,) = themes
        if theme in self._placed or not isinstance(theme, (Constant, Variable)):
            return removal
        own = tuple(v for v in bound if isinstance(theme, Variable) and v.name == theme.name)
        if chosen and not own and theme.name not in chosen:
            return removal
        rest = tuple(variable for variable in bound if variable not in own)
        there = Exists(rest, body) if rest else body
        placed = self._place(atoms[0], theme)
        if not own and not free_variables(there):
            return join([removal, placed]) if self._state.holds(there, {}) else removal
        asked: Expression = Or((Not(Initially(there)), placed))
        if own:
            if not self._state.holds(Exists(bound, body), {}):
                return removal
            asked = Forall(own, asked)
        return join([removal, asked])

    def _place(self, atom: Atom, theme: Term) -> Expression:
        """State where the thing is instead, which is another place."""
        template = self._removed[atom.predicate]
        legs = list(template.parameters)
        values: dict[str, SlotValue] = dict(zip(legs, atom.arguments, strict=True))
        values[legs[0]] = theme
        goal = fill_goal(template, values)
        former = atom.arguments[1]
        if isinstance(goal, Exists) and isinstance(former, Constant) and len(goal.variables) == 1:
            other = Not(Atom(SAME, (Variable(goal.variables[0].name), former)))
            return replace(goal, body=join([other, goal.body]))
        return goal

    def _list_themes(self, atom: Atom) -> Iterator[Term]:
        """List what has a place by an atom: what has no second tuple of its relation."""
        schema: Schema = self._domain.schema
        if not schema.has_relation(atom.predicate):
            return
        relation = schema.relation(atom.predicate)
        for (leg, _), term in zip(relation.legs, atom.arguments, strict=True):
            if leg in relation.functional:
                yield term


def _list_wanted(goal: Expression) -> Iterator[Atom]:
    """List the atoms that a goal wants to hold, in any part but a negated one."""
    if isinstance(goal, Atom):
        yield goal
    few = isinstance(goal, Count) and goal.bound is Bound.AT_MOST
    parts: Iterable[Expression] = (
        () if few or isinstance(goal, (Not, Initially)) else children(goal)
    )
    for part in parts:
        yield from _list_wanted(part)
