# SPDX-License-Identifier: Apache-2.0
"""Acts that any domain may be asked for: to go, hold, bring, stay and keep a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    TypedVariable,
    Variable,
    substitute,
)
from fcp_ros.domain.holding import find_holding
from fcp_ros.language.domain_reader.slot_filling import SlotFiller, to_goal_term
from fcp_ros.language.domain_reader.statements import ComposedClause, Statement
from fcp_ros.language.domain_reader.terms.referents import Referent, Term, TermGroup, join
from fcp_ros.language.domain_reader.terms.resolution import TermResolver
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.language.parsing.trees import PERSON, PLACE, THEME, Act, NounPhrase, Predication

_HELD_ONLY = 0.85
"""Degree of bringing something to nobody who is known: the robot only holds it."""


class ActComposer:
    """A maker of statements for acts of English in general.

    Args:
        resolver: looks noun phrases up.
        filler: makes statements from the relations of the domain.
    """

    def __init__(self, resolver: TermResolver, filler: SlotFiller) -> None:
        self._resolver = resolver
        self._filler = filler
        self._schema = resolver.context.domain.schema

    def compose(self, composed: ComposedClause, said: Predication) -> list[Statement]:
        """State what an act asks for; its themes are noted in its clause.

        Raises:
            Unresolved: it can't be expressed.
        """
        act = composed.clause.act
        robot = self._resolver.find_robot()
        if act is Act.GO:
            phrase = said.arguments[PLACE]
            assert not isinstance(phrase, int)
            place = self._resolver.resolve(phrase, "", place=True)
            return self._go(robot, place, near=not composed.clause.negated)
        phrase = said.arguments[THEME]
        assert not isinstance(phrase, int)
        holding = self.find_holding()
        type_ = ""
        if act in (Act.HOLD, Act.BRING) and holding is not None:
            type_ = list(holding.types.values())[1]
        theme = self._resolver.resolve(phrase, type_)
        composed.themes.append(theme)
        if act is Act.HOLD:
            return self._hold(theme, holding)
        if act is Act.BRING:
            person = said.arguments[PERSON]
            assert isinstance(person, NounPhrase)
            return self._bring(robot, theme, person, holding)
        if act is Act.STAY:
            composed.clause = replace(composed.clause, act=Act.KEEP)
        return self._keep_place(theme)

    def find_holding(self) -> Meaning | None:
        """Return the relation between the robot and what it holds; its slots are in this order."""
        holding = find_holding(self._resolver.context.domain)
        if holding is None:
            return None
        types = dict(self._schema.relation(holding.relation).legs)
        goal = Atom(holding.relation, tuple(Variable(leg) for leg in types))
        ordered = {leg: types[leg] for leg in (holding.robot, holding.item)}
        return Meaning(holding.relation, MeaningSource.RELATION, ordered, goal)

    def _hold(self, theme: Term, holding: Meaning | None) -> list[Statement]:
        if holding is None:
            raise Unresolved("to take something in the hand")
        robot, item = holding.types
        actor = self._filler.find_actor(robot, holding.types[robot])
        return self._filler.fill(holding, {robot: actor, item: theme})

    def _bring(
        self, robot: str, theme: Term, person: NounPhrase, holding: Meaning | None
    ) -> list[Statement]:
        """State that a thing is where a person is: held by the robot there, or put down."""
        try:
            name = self._resolver.resolve(person, "")
        except Unresolved:
            self._resolver.degree *= _HELD_ONLY
            return self._hold(theme, holding)
        room = self._resolver.find_place_of(name.name) if isinstance(name, Constant) else ""
        if not room:
            return self._hold(theme, holding)
        there = Constant(room)
        holding_there = [*self._hold(theme, holding), *self._go(robot, there)]
        held = join([statement.matrix for statement in holding_there])
        prefix = holding_there[0].prefix
        try:
            put = self._filler.relate(theme, there, "in")
        except Unresolved:
            return [Statement(prefix, held)]
        if len(put) != 1 or isinstance(theme, TermGroup):
            return [*self._hold(theme, holding), *self._go(robot, there)]
        return [Statement(put[0].prefix, Or((held, put[0].matrix)))]

    def _go(self, robot: str, place: Term, near: bool = True) -> list[Statement]:
        """State that the robot is somewhere; with `near`, in the room of what is no room."""
        if not robot:
            raise Unresolved("which robot goes")
        try:
            return self._filler.relate(Constant(robot), place, "to")
        except Unresolved:
            if near and isinstance(place, Constant):
                room = self.find_room(place.name)
                if room and self._may_leave(place, room):
                    return self._filler.relate(Constant(robot), place, "near")
                if room:
                    return self._filler.relate(Constant(robot), Constant(room), "to")
            raise

    def _may_leave(self, place: Constant, room: str) -> bool:
        """Return True for a person: wherever they are, when the robot comes, is meant."""
        types = self._resolver.list_types(place), frozenset((self._resolver.type_of(room),))
        where = self._resolver.places.choose("in", *types)
        return where is not None and not self._schema.relation(where.meaning.name).static

    def find_room(self, name: str) -> str:
        """Find the place of an element in which the robot can be, through what it is on."""
        robot = Constant(self._resolver.find_robot())
        for _ in range(3):
            name = self._resolver.find_place_of(name)
            if not name:
                return ""
            types = self._resolver.list_types(robot), frozenset((self._resolver.type_of(name),))
            if self._resolver.places.choose("in", *types) is not None:
                return name
        return ""

    def _keep_place(self, theme: Term) -> list[Statement]:
        """State that something is where it is initially."""
        found: list[Statement] = []
        for part in theme.parts if isinstance(theme, TermGroup) else (theme,):
            conditions: list[Expression] = []
            self._filler.type_variable(part, self._resolver.places.find_movable())
            types = self._resolver.list_types(part)
            for place in self._resolver.places.list_theme_relations():
                meaning = place.meaning
                relation = self._schema.relation(meaning.name)
                legs = dict(relation.legs)
                if relation.static or not self._resolver.places.rate_types(
                    types, legs[place.theme]
                ):
                    continue
                self._filler.type_variable(part, legs[place.theme])
                conditions += self._state_same(meaning, place.theme, place.place, part)
            conditions = conditions or list(self._state_unchanged(part))
            if not conditions:
                raise Unresolved(f"where {self._filler.name_term(part)} is")
            prefix = (part,) if isinstance(part, Referent) else ()
            found.append(Statement(prefix, join(conditions)))
        return found

    def _state_unchanged(self, part: Term) -> Iterator[Expression]:
        """State that what stays in its place is as open, clean or on as it is initially."""
        types = self._resolver.list_types(part)
        for relation in self._schema.relations:
            ((_, type_), *more) = relation.legs
            rate = self._resolver.places.rate_types
            if relation.static or more or not isinstance(part, Constant) or not rate(types, type_):
                continue
            fact = Atom(relation.name, (part,))
            yield fact if self._resolver.state.holds(fact, {}) else Not(fact)

    def _state_same(
        self, meaning: Meaning, theme: str, place: str, part: Term
    ) -> Iterator[Expression]:
        assert meaning.goal is not None
        value = to_goal_term(part)
        if isinstance(part, Constant):
            instance = self._resolver.instance
            id_ = instance.id_of(part.name)
            position = [leg for leg, _ in self._schema.relation(meaning.name).legs].index(place)
            for row in instance.tuples_at(meaning.name, theme, id_):
                where = instance.name_of(instance.tuples(meaning.name)[row][position])
                yield substitute(meaning.goal, {theme: part, place: Constant(where)})
        elif isinstance(value, Variable):
            goal = substitute(meaning.goal, {theme: value, place: Variable("where")})
            variable = (TypedVariable("where", meaning.types[place]),)
            yield Forall(variable, Or((Not(Initially(goal)), goal)))
