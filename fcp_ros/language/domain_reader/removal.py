# SPDX-License-Identifier: Apache-2.0
"""Places for what is taken off or out of something, so that it is not kept in the hand.

"Not on the table" is met by a robot that holds the thing, which is not meant. A domain says what is
meant besides (`removed` of a relation), and here that is added to what an instruction asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    Variable,
    children,
    free_variables,
)
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.domain.phrase_goals import SlotValue, fill_goal
from fcp_ros.language.domain_reader.terms.places import PresentState
from fcp_ros.language.domain_reader.terms.referents import join


def put_somewhere(goal: Expression, domain: Domain, state: PresentState) -> Expression:
    """Add to a goal where what it removes is put, if it does not say that itself.

    Of several of a kind, those are removed that are there.
    """
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
        if isinstance(goal, (Exists, Count)) and not chosen:
            there = self._find_there(goal)
            if there is not None:
                return replace(goal, body=join([Initially(there), goal.body, *self._put(there)]))
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

    def _find_there(self, goal: Exists | Count) -> Atom | None:
        """Find where some of a kind are that shall be there no more: "take a cup off the table".

        That a cup is elsewhere already doesn't do. None if none of them is there.
        """
        if isinstance(goal, Count) and goal.bound is not Bound.AT_LEAST:
            return None
        parts = goal.body.parts if isinstance(goal.body, And) else (goal.body,)
        removals = [part.body for part in parts if isinstance(part, Not)]
        kinds = [part for part in parts if not isinstance(part, Not)]
        if len(goal.variables) != 1 or len(removals) != 1 or not all(map(_is_of_kind, kinds)):
            return None
        (there,), theme = removals, Variable(goal.variables[0].name)
        if not isinstance(there, Atom) or not self._domain.schema.has_relation(there.predicate):
            return None
        if len(there.arguments) != 2 or there.arguments[0] != theme:
            return None
        now = Exists(goal.variables, join([*kinds, there]))
        return None if free_variables(now) or not self._state.holds(now, {}) else there

    def _put(self, there: Atom) -> Iterator[Expression]:
        if there.predicate in self._removed and there.arguments[0] not in self._placed:
            yield self._place(there, there.arguments[0])

    def _add_beside_exceptions(self, goal: Or, chosen: frozenset[str]) -> Expression:
        """Add to what is removed of all but some: "is it the bowl, or not on the counter"."""
        removals = [part for part in goal.parts if isinstance(part, Not)]
        others = [part for part in goal.parts if not isinstance(part, Not)]
        if len(removals) != 1 or not others or not all(map(_is_of_kind, others)):
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


def _is_of_kind(part: Expression) -> bool:
    return isinstance(part, Atom) and part.predicate in (IS_A, SAME)


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
