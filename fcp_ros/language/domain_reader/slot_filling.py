# SPDX-License-Identifier: Apache-2.0
"""Meanings with things in their slots: statements, one for each combination of joined things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    free_variables,
    substitute,
)
from fcp_ros.domain.expressions.syntax import Term as GoalTerm
from fcp_ros.domain.model import IS_A
from fcp_ros.domain.phrase_goals import SlotValue, fill_goal
from fcp_ros.domain.phrases import ADDRESSEE, SPEAKER, TaskTemplate
from fcp_ros.domain.vocabulary import common_subtypes
from fcp_ros.language.domain_reader.graded_goals import drop_guides
from fcp_ros.language.domain_reader.statements import Statement
from fcp_ros.language.domain_reader.terms.places import ChosenPlace
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    Term,
    TermGroup,
    Value,
    join,
)
from fcp_ros.language.domain_reader.terms.resolution import TermResolver
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.language.parsing.noun_phrases.modifier_parser import WHERE
from fcp_ros.language.parsing.trees import PLACE, THEME
from fcp_ros.language.reading import Refusal

_SEVERAL_PLACES = 0.3
"""Degree of a reading that has the same things in several places at once."""
MOST_STATEMENTS = 64
"""Most combinations of joined things in a clause."""


class SlotFiller:
    """A maker of statements from meanings and the things in their slots.

    Args:
        resolver: knows the types of things, and who speaks to whom.
    """

    def __init__(self, resolver: TermResolver) -> None:
        self._resolver = resolver
        self._schema = resolver.context.domain.schema
        self._names: set[str] = set()

    def relate(self, theme: Term, place: Term, preposition: str) -> list[Statement]:
        """State for each thing and place that the one is at the other."""
        if preposition == WHERE:
            return self._relate_to_place_of(theme, place)
        found: list[Statement] = []
        first = place.parts[0] if isinstance(place, TermGroup) else place
        if _is_several(place):
            chosen = self.choose_place(preposition, theme, first)
            self._rate_places(chosen.meaning, {THEME: theme, PLACE: place})
        for one in (
            theme.parts if isinstance(theme, TermGroup) and not theme.alternative else (theme,)
        ):
            where = (
                place.parts if isinstance(place, TermGroup) and not place.alternative else (place,)
            )
            for other in where:
                chosen = self.choose_place(preposition, one, other)
                self._resolver.degree *= chosen.degree
                self.type_variable(one, chosen.meaning.types[THEME])
                self.type_variable(other, chosen.meaning.types[PLACE])
                found += self.fill(chosen.meaning, {THEME: one, PLACE: other})
        return found

    def _relate_to_place_of(self, theme: Term, other: Term) -> list[Statement]:
        """State that something is where something else is initially."""
        if not isinstance(other, Constant):
            raise Unresolved(f"where {self.name_term(other)} is")
        for place, where in self._resolver.list_places(other.name):
            type_ = place.meaning.types[place.theme]
            if self._resolver.rate(theme, type_):
                preposition = place.preposition
            else:
                preposition = "in"
            return self.relate(theme, Constant(where), preposition)
        raise Unresolved(f"where {other.name} is")

    def _rate_places(self, meaning: Meaning, terms: Mapping[str, Term]) -> None:
        """Rate a reading lower if a thing is in several places at once."""
        goal = meaning.goal
        places = {p.meaning.name for p in self._resolver.places.list_theme_relations()}
        if not isinstance(goal, Atom) or goal.predicate not in places:
            return
        functional = self._schema.relation(goal.predicate).functional
        legs = [leg for leg, _ in self._schema.relation(goal.predicate).legs]
        for leg, variable in zip(legs, goal.arguments, strict=True):
            if leg not in functional or not isinstance(variable, Variable):
                continue
            thing = terms.get(variable.name)
            others = [term for slot, term in terms.items() if slot != variable.name]
            if thing is not None and _is_single(thing) and any(map(_is_several, others)):
                self._resolver.degree *= _SEVERAL_PLACES

    def choose_place(self, preposition: str, theme: Term, place: Term) -> ChosenPlace:
        """Choose the relation for a thing and a place.

        Raises:
            Unresolved: nothing of that kind can be there.
        """
        types = self._resolver.list_types(theme), self._resolver.list_types(place)
        places = self._resolver.places
        chosen = places.choose(preposition, *types)
        things = frozenset(filter(None, (places.find_movable(),)))
        if chosen is not None and not types[0]:  # "everything" can be moved, and is nobody
            movable = places.rate_types(things, chosen.meaning.types[THEME])
            chosen = chosen if movable else places.choose(preposition, things, types[1]) or chosen
        if chosen is None and preposition == "near":
            now: list[str] = []
            if isinstance(place, Constant):
                now = [p.meaning.name for p, _ in self._resolver.list_places(place.name)]
            chosen = self._resolver.places.share(*types, now)
        if chosen is None:
            said = f"{self.name_term(theme)} {preposition} {self.name_term(place)}"
            raise Unresolved(f"{said}: no relation says that")
        return chosen

    def name_term(self, term: Term) -> str:
        """Return how a message names a term."""
        if isinstance(term, Constant):
            return term.name
        if isinstance(term, Referent):
            return term.noun.said if term.noun is not None else "something"
        return "several things" if isinstance(term, TermGroup) else f'"{term.value}"'

    def type_variable(self, term: Term, type_: str) -> None:
        """Type a variable whose kind was not said by the slot that it fills.

        Of all things of a kind, those count that fit the slot: of "the electronics go on the table"
        the laptop, not the fridge.
        """
        for part in term.parts if isinstance(term, TermGroup) else (term,):
            if not isinstance(part, Referent) or not type_:
                continue
            if not part.type:
                part.type = type_
                if not part.types:
                    part.types = frozenset((type_,))
            elif part.quantifier is Quantifier.FORALL and self._fits_in_part(part.type, type_):
                part.restrictions.insert(0, Atom(IS_A, (Variable(part.name), Text(part.type))))
                part.type, part.types = type_, frozenset((type_,))

    def _fits_in_part(self, type_: str, wanted: str) -> bool:
        """Return True if some things of a type are of another one, and some are not."""
        schema = self._schema
        if type_ not in schema.types or wanted not in schema.types:
            return False
        if schema.is_subtype(type_, wanted) or schema.is_subtype(wanted, type_):
            return False
        return bool(common_subtypes(schema.types, (type_, wanted)))

    def fill(
        self,
        meaning: Meaning,
        terms: Mapping[str, Term],
        additions: Sequence[Meaning] = (),
        *,
        leaving: bool = False,  # the robot goes elsewhere afterwards
    ) -> list[Statement]:
        """Fill the slots of a meaning: one statement for each combination of joined things."""
        bound = dict(terms)
        for slot, type_ in meaning.types.items():
            if slot in bound:
                continue
            if meaning.source in (MeaningSource.RULE, MeaningSource.RELATION):
                bound[slot] = self.find_actor(slot, type_)
            elif meaning.task is not None and slot in meaning.task.defaults:
                self._add_default(bound, slot, meaning.task.defaults[slot])
        self._rate_places(meaning, bound)
        if any(isinstance(term, TermGroup) and term.alternative for term in bound.values()):
            return [Statement((), self._alternate(meaning, bound, additions))]
        if meaning.task is not None:
            several = any(map(_is_plural, bound.values()))
            meaning = choose_goal(meaning, meaning.task, several=several, leaving=leaving)
        slots = list(bound)
        choices = [
            list(term.parts) if isinstance(term, TermGroup) else [term] for term in bound.values()
        ]
        combined = list(product(*choices))
        if len(combined) > MOST_STATEMENTS:
            raise Unresolved(f"{len(combined)} combinations of things", Refusal.AMOUNT)
        found: list[Statement] = []
        for chosen in combined:
            each = dict(zip(slots, chosen, strict=True))
            if any(isinstance(term, TermGroup) for term in chosen):  # a group within a group
                found += self.fill(meaning, each, additions)
            else:
                found.append(self._fill_one(meaning, each, additions))
        return found

    def _add_default(self, bound: dict[str, Term], slot: str, default: str) -> None:
        """Fill a slot of a task that was not named with the speaker or the robot."""
        if default not in (SPEAKER, ADDRESSEE):
            return
        speaker = default == SPEAKER
        name = self._resolver.find_speaker() if speaker else self._resolver.find_robot()
        if not name:
            raise Unresolved(f'who "{default}" is')
        bound[slot] = Constant(name)

    def _alternate(
        self, meaning: Meaning, terms: Mapping[str, Term], additions: Sequence[Meaning]
    ) -> Expression:
        slot = next(s for s, t in terms.items() if isinstance(t, TermGroup) and t.alternative)
        group = terms[slot]
        assert isinstance(group, TermGroup)
        parts = [
            join([s.close() for s in self.fill(meaning, {**terms, slot: part}, additions)])
            for part in group.parts
        ]
        return Or(tuple(parts)) if len(parts) > 1 else parts[0]

    def find_actor(self, slot: str, type_: str) -> Term:
        """Return the robot that is spoken to; of several, any one of a type."""
        robot = self._resolver.find_robot()
        if robot and self._resolver.places.rate_types(
            frozenset((self._resolver.type_of(robot),)), type_
        ):
            return Constant(robot)
        actor = Referent(f"{slot}_any", Quantifier.EXISTS, type_)
        actor.types = frozenset((type_,))
        return actor

    def _fill_one(
        self, meaning: Meaning, terms: Mapping[str, Term], additions: Sequence[Meaning]
    ) -> Statement:
        goal = self._fill_goal(meaning, terms, additions)
        free = set(free_variables(goal))
        found = [t for t in terms.values() if isinstance(t, Referent) and t.name in free]
        for slot, term in terms.items():
            self.type_variable(term, meaning.types.get(slot, ""))
        apart = {id(r): r for referent in found for r in referent.apart}
        prefix = (*(r for r in apart.values() if r not in found), *_order_prefix(found))
        if any(referent.further for referent in found):
            already = drop_guides(goal, self._resolver.context.domain)
            goal = And((goal, Not(Initially(already))))
        loose = [name for name in free if name not in {r.name for r in prefix}]
        for name in loose:  # slots of a task that nobody named: anything that fits
            if name in meaning.types:
                goal = Exists((TypedVariable(name, meaning.types[name]),), goal)
        for referent in prefix:
            self._resolver.matrices[referent.name] = goal
        return Statement(prefix, goal)

    def _fill_goal(
        self, meaning: Meaning, terms: Mapping[str, Term], additions: Sequence[Meaning]
    ) -> Expression:
        values = {slot: to_goal_term(term) for slot, term in terms.items()}
        if meaning.task is None or (meaning.goal is not None and not additions):
            assert meaning.goal is not None
            goal = self._rename_apart(meaning.goal)
            plain: dict[str, GoalTerm] = {}
            for slot, value in values.items():
                if isinstance(value, (int, str)):
                    value = Text(str(value))
                plain[slot] = value
            return substitute(goal, plain)
        filled: dict[str, SlotValue] = dict(values)
        said = [a.addition for a in additions if a.addition is not None]
        try:
            return fill_goal(meaning.task, filled, said)
        except ValueError as error:
            raise Unresolved(str(error)) from None

    def _rename_apart(self, goal: Expression) -> Expression:
        """Give bound variables names that nothing else in this reading has."""
        names: dict[str, str] = {}

        def rename(formula: Expression) -> Expression:
            if isinstance(formula, Atom):
                terms = tuple(
                    Variable(names[t.name]) if isinstance(t, Variable) and t.name in names else t
                    for t in formula.arguments
                )
                return replace(formula, arguments=terms)
            if isinstance(formula, (And, Or, TrajectoryConstraint)):
                return replace(formula, parts=tuple(map(rename, formula.parts)))
            if isinstance(formula, (Exists, Forall, Count)):
                for variable in formula.variables:
                    names[variable.name] = self._make_name(variable.name)
                variables = tuple(TypedVariable(names[v.name], v.type) for v in formula.variables)
                return replace(formula, variables=variables, body=rename(formula.body))
            return replace(formula, body=rename(formula.body))

        return rename(goal)

    def _make_name(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names.add(name)
        return name


def choose_goal(meaning: Meaning, task: TaskTemplate, *, several: bool, leaving: bool) -> Meaning:
    """Return the meaning of a task with the goal that fits what else is asked for."""
    other = (task.left if leaving else "") or (task.several if several else "")
    return replace(meaning, goal=None, task=task.with_goal(other)) if other else meaning


def _is_plural(term: Term) -> bool:
    """Return True for more than one thing, each of which is meant."""
    if isinstance(term, TermGroup):
        return not term.alternative
    if not isinstance(term, Referent):
        return False
    count = term.quantifier is Quantifier.COUNT and term.number != 1
    return count or term.quantifier is Quantifier.FORALL


def _is_several(place: Term) -> bool:
    """Return True for all of several places."""
    if isinstance(place, TermGroup):
        return not place.alternative
    return isinstance(place, Referent) and place.quantifier is Quantifier.FORALL


def _is_single(theme: Term) -> bool:
    """Return True for things that are known, so that they can't be others in each place."""
    if isinstance(theme, TermGroup):
        return any(map(_is_single, theme.parts))
    universal = isinstance(theme, Referent) and theme.quantifier is Quantifier.FORALL
    return isinstance(theme, Constant) or universal


def _order_prefix(found: Sequence[Referent]) -> tuple[Referent, ...]:
    """Order variables by scope: all and no before others; of these the theme is innermost."""
    unique = list({id(referent): referent for referent in found}.values())
    single = [referent for referent in unique if referent.single]
    unique = [referent for referent in unique if not referent.single]
    wide = [r for r in unique if r.quantifier is Quantifier.FORALL]
    none = [r for r in unique if r.quantifier is Quantifier.NONE]
    rest = [r for r in unique if r not in wide and r not in none]
    return (*single, *wide, *none, *rest[1:], *rest[:1])


def to_goal_term(term: Term) -> SlotValue:
    """Return a term as goals have it.

    Raises:
        Unresolved: it is several things.
    """
    if isinstance(term, Referent):
        return Variable(term.name)
    if isinstance(term, Value):
        return term.value
    if isinstance(term, TermGroup):
        raise Unresolved("several things in one place")
    return term
