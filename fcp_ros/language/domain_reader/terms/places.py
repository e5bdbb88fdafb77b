# SPDX-License-Identifier: Apache-2.0
"""The relation that says where something is, chosen by the types of the thing and the place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Text,
    TypedVariable,
    Variable,
    children,
    list_conjuncts,
    substitute,
)
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.language.english.function_words import FITS
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.language.parsing.meanings import PatternTable, PlaceRelation
from fcp_ros.language.parsing.trees import PLACE, THEME

EXACT = 0.75
"""Least degree of what a preposition says, where nothing is read into it."""
_SIDE_TYPE = 0.94
"""Degree of a type that is not the first one above: a fridge is a container, and a surface."""
_BESIDE = 0.9
"""Degree of "beside" as on the same thing, or in the same room."""
_CHAIN = 0.97
"""Degree of a place that is said through another one: the mug on a table is in its room."""


@dataclass(frozen=True)
class ChosenPlace:
    """A relation between `THEME` and `PLACE`, and how well it fits."""

    meaning: Meaning
    degree: float


class PlaceChooser:
    """A chooser of place relations for a domain."""

    def __init__(self, domain: Domain, patterns: PatternTable) -> None:
        self._vocabulary = Vocabulary.of(domain)
        self._schema = domain.schema
        self._actors = {
            rule.parameters[0].type for rule in domain.rules.values() if rule.parameters
        }
        self._places = patterns.places
        self._rated: dict[tuple[frozenset[str], str], float] = {}
        self._chosen: dict[tuple[str, frozenset[str], frozenset[str]], ChosenPlace | None] = {}

    def rate_types(self, types: frozenset[str], wanted: str) -> float:
        """Rate how well something of one of these types fits; no types fit everything."""
        key = (types, wanted)
        if key not in self._rated:
            self._rated[key] = self._rate_types(types, wanted)
        return self._rated[key]

    def _rate_types(self, types: frozenset[str], wanted: str) -> float:
        if not types or not wanted or wanted not in self._vocabulary.parents:
            return 1.0
        if all(self._vocabulary.is_subtype(type_, wanted) for type_ in types):
            return 1.0 if all(self._is_mainly(type_, wanted) for type_ in types) else _SIDE_TYPE
        if any(self._vocabulary.is_subtype(type_, wanted) for type_ in types):
            return 0.95
        meets = any(self._vocabulary.common_subtypes((type_, wanted)) for type_ in types)
        return 0.8 if meets else 0.0

    def _is_mainly(self, type_: str, wanted: str) -> bool:
        """Return True if a type is reached by the first of its parents, and so on."""
        for _ in range(32):
            if type_ == wanted:
                return True
            above = self._vocabulary.parents.get(type_, ())
            if not above:
                return False
            type_ = above[0]
        return False

    def choose(
        self, preposition: str, theme: frozenset[str], place: frozenset[str]
    ) -> ChosenPlace | None:
        """Choose the relation for a preposition; None if there is none for these types."""
        key = (preposition, theme, place)
        if key not in self._chosen:
            self._chosen[key] = self._choose(preposition, theme, place)
        return self._chosen[key]

    def _choose(
        self, preposition: str, theme: frozenset[str], place: frozenset[str]
    ) -> ChosenPlace | None:
        if preposition == "from":
            return self._choose_any(theme, place)
        found = max(
            self._rate_direct(preposition, theme, place), key=lambda c: c.degree, default=None
        )
        whole = found is not None and self._is_for_all(theme, found.meaning.types[THEME])
        if found is not None and found.degree >= EXACT and whole:
            return found
        chained = self._chain(preposition, theme, place)
        if chained is not None and found is not None and not whole:
            return _join_ways(found, chained)
        if chained is not None and (found is None or chained.degree > found.degree):
            return chained
        return found

    def _is_for_all(self, theme: frozenset[str], wanted: str) -> bool:
        """Return False where some things fit a slot, and others don't: devices and a fixture."""
        fits = {self._vocabulary.is_subtype(type_, wanted) for type_ in theme if wanted}
        shared = (self._vocabulary.common_subtypes((type_, wanted)) for type_ in theme if wanted)
        return fits <= {True} or (fits == {False} and not any(shared))

    def _choose_any(self, theme: frozenset[str], place: frozenset[str]) -> ChosenPlace | None:
        """Choose the relation by which a thing can be at a place at all."""
        options = [self._choose(p, theme, place) for p in ("on", "in", "at")]
        known = [option for option in options if option is not None]
        return max(known, key=lambda c: c.degree, default=None)

    def _rate_direct(
        self, preposition: str, theme: frozenset[str], place: frozenset[str]
    ) -> Iterator[ChosenPlace]:
        for known in self._places:
            if self._is_fixed(known) and self._moves(theme):
                continue  # "the pallets in the hall": where racks are fixed says nothing of them
            degree = self._rate_preposition(preposition, known.preposition)
            types = known.meaning.types
            degree *= self.rate_types(theme, types.get(known.theme, ""))
            degree *= self.rate_types(place, types.get(known.place, ""))
            if degree > 0.0:
                yield ChosenPlace(_rename(known), degree)

    def _is_fixed(self, place: PlaceRelation) -> bool:
        """Return True for a relation that no action changes."""
        plain = isinstance(place.meaning.goal, Atom)
        return plain and self._schema.relation(place.meaning.name).static

    def _moves(self, types: frozenset[str]) -> bool:
        """Return True if actions change the places of all things of these types."""
        movable = {
            known.meaning.types[known.theme]
            for known in self.list_theme_relations()
            if not self._is_fixed(known)
        }
        return bool(types) and all(
            any(self._vocabulary.is_subtype(type_, wanted) for wanted in movable) for type_ in types
        )

    @staticmethod
    def _rate_preposition(said: str, known: str) -> float:
        return 1.0 if said == known else FITS.get((said, known), 0.0)

    def _chain(
        self, preposition: str, theme: frozenset[str], place: frozenset[str]
    ) -> ChosenPlace | None:
        """Choose a place through another one: on something that is in the room."""
        if preposition not in ("in", "at", "to"):
            return None
        parts: list[Expression] = []
        types = {THEME: "", PLACE: ""}
        for inner in self._places:
            if (
                inner.preposition not in ("on", "in")
                or inner.meaning.source is not MeaningSource.RELATION
            ):
                continue
            if not self.rate_types(theme, inner.meaning.types.get(inner.theme, "")):
                continue
            for outer in self._places:
                link = self._link(inner, outer, place)
                if link is None or link in parts:
                    continue
                parts.append(link)
                types = {
                    THEME: types[THEME] or inner.meaning.types[inner.theme],
                    PLACE: types[PLACE] or outer.meaning.types[outer.place],
                }
        if not parts:
            return None
        goal = Or(tuple(parts)) if len(parts) > 1 else parts[0]
        return ChosenPlace(Meaning("in", MeaningSource.RELATION, types, goal), _CHAIN)

    def _link(
        self, inner: PlaceRelation, outer: PlaceRelation, place: frozenset[str]
    ) -> Expression | None:
        static = outer.preposition in ("in", "at") and inner.meaning.name != outer.meaning.name
        if not static or not self.rate_types(place, outer.meaning.types.get(outer.place, "")):
            return None
        middle = (inner.meaning.types[inner.place], outer.meaning.types[outer.theme])
        common = self._vocabulary.common_subtypes(middle)
        if not common or (self._is_fixed(outer) and self._moves(frozenset(middle[:1]))):
            return None
        name = f"{inner.place}_of"
        first = _apply(inner, Variable(THEME), Variable(name))
        second = _apply(outer, Variable(name), Variable(PLACE))
        type_ = common[0] if len(common) == 1 else middle[0]
        return Exists((TypedVariable(name, type_),), And((first, second)))

    def share(
        self, theme: frozenset[str], place: frozenset[str], preferred: Sequence[str]
    ) -> ChosenPlace | None:
        """Choose what "beside" means: on the same thing, or in the same room.

        Args:
            place: types of the other one, which is somewhere already.
            preferred: relations by which that one is somewhere now.
        """
        options: list[tuple[bool, bool, float, PlaceRelation]] = []
        for known in self.list_theme_relations():
            wanted = known.meaning.types[known.theme]
            degree = self.rate_types(theme, wanted) * self.rate_types(place, wanted)
            if degree > 0.0:
                now = known.meaning.name in preferred
                options.append((now, known.preposition == "on", degree, known))
        where, types = Variable("beside"), {THEME: "", PLACE: ""}
        if options:
            known = max(options, key=lambda option: option[:3])[3]
            both = (_apply(known, Variable(THEME), where), _apply(known, Variable(PLACE), where))
            type_ = known.meaning.types[known.place]
            goal: Expression = Exists((TypedVariable(where.name, type_),), And(both))
            return ChosenPlace(Meaning("near", MeaningSource.RELATION, types, goal), _BESIDE)
        for outer in self.list_theme_relations():
            type_ = outer.meaning.types[outer.place]
            inner = self.choose("in", theme, frozenset((type_,)))
            if not self.rate_types(place, outer.meaning.types[outer.theme]) or inner is None:
                continue
            assert inner.meaning.goal is not None
            there = substitute(inner.meaning.goal, {PLACE: where})
            both = (_apply(outer, Variable(PLACE), where), there)
            goal = Exists((TypedVariable(where.name, type_),), And(both))
            return ChosenPlace(Meaning("near", MeaningSource.RELATION, types, goal), _BESIDE)
        return None

    def list_theme_relations(self) -> Iterator[PlaceRelation]:
        """Yield the plain relations on, in and at that say where something is."""
        for place in self._places:
            if place.preposition in ("on", "in", "at") and isinstance(place.meaning.goal, Atom):
                yield place

    def find_movable(self) -> str:
        """Return the type of things that most relations say the changing place of.

        What acts comes last: "leave nothing in the hall" sends nobody out.
        """
        relations: dict[str, set[str]] = {}
        for place in self.list_theme_relations():
            if not self._is_fixed(place):
                type_ = place.meaning.types[place.theme]
                relations.setdefault(type_, set()).add(place.meaning.name)

        def rate(type_: str) -> tuple[bool, int]:
            acts = any(self._vocabulary.is_subtype(actor, type_) for actor in self._actors)
            return not acts, len(relations[type_])

        return max(relations, key=rate, default="")


def _join_ways(direct: ChosenPlace, chained: ChosenPlace) -> ChosenPlace:
    """Say that things are at a place, some by themselves and some on other things."""
    goals = [one.meaning.goal for one in (direct, chained) if one.meaning.goal is not None]
    types = {**chained.meaning.types, THEME: ""}
    return ChosenPlace(replace(chained.meaning, types=types, goal=Or(tuple(goals))), chained.degree)


def _apply(place: PlaceRelation, theme: Variable, where: Variable) -> Expression:
    assert place.meaning.goal is not None
    return substitute(place.meaning.goal, {place.theme: theme, place.place: where})


def _rename(place: PlaceRelation) -> Meaning:
    """Call the slots of a place `THEME` and `PLACE`."""
    types = place.meaning.types
    renamed = {THEME: types[place.theme], PLACE: types[place.place]}
    goal = _apply(place, Variable(THEME), Variable(PLACE))
    return Meaning(place.meaning.name, place.meaning.source, renamed, goal)


class PresentState:
    """Crisp conditions decided in the present state, through the indexes of its relations."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def holds(self, condition: Expression, binding: Mapping[str, str]) -> bool:
        """Decide a condition; graded predicates hold."""
        if isinstance(condition, Atom):
            return self._occurs(condition, binding)
        if isinstance(condition, Not):
            return not self.holds(condition.body, binding)
        if isinstance(condition, And):
            return all(self.holds(part, binding) for part in condition.parts)
        if isinstance(condition, Or):
            return any(self.holds(part, binding) for part in condition.parts)
        if isinstance(condition, Exists):
            return any(
                self.holds(condition.body, b) for b in self.list_bindings(condition, binding)
            )
        if isinstance(condition, Forall):
            return all(
                self.holds(condition.body, b) for b in self.list_bindings(condition, binding)
            )
        if isinstance(condition, Count) and condition.bound is not Bound.MOST:
            found = sum(
                self.holds(condition.body, b) for b in self.list_bindings(condition, binding)
            )
            enough = found >= condition.number or condition.bound is Bound.AT_MOST
            return enough and (found <= condition.number or condition.bound is Bound.AT_LEAST)
        return all(self.holds(part, binding) for part in children(condition))

    def _occurs(self, atom: Atom, binding: Mapping[str, str]) -> bool:
        names = [_find_name(term, binding) for term in atom.arguments]
        instance = self._instance
        if atom.predicate == IS_A:
            return instance.has(names[0]) and is_a(instance, instance.id_of(names[0]), names[1])
        if atom.predicate == SAME:
            return names[0] == names[1]
        if not instance.schema.has_relation(atom.predicate):
            return True
        if not all(instance.has(name) for name in names):
            return False
        ids = tuple(instance.id_of(name) for name in names)
        return instance.find_tuple(atom.predicate, ids) is not None

    def list_bindings(
        self, condition: Exists | Forall | Count, binding: Mapping[str, str]
    ) -> Iterator[dict[str, str]]:
        """Yield the values of the variables of a quantifier, beside those that are bound."""
        chosen = [dict(binding)]
        for variable in condition.variables:
            chosen = [
                {**one, variable.name: name}
                for one in chosen
                for name in self._list_values(variable, condition, one)
            ]
        yield from chosen

    def _list_values(
        self,
        variable: TypedVariable,
        condition: Exists | Forall | Count,
        binding: Mapping[str, str],
    ) -> Sequence[str]:
        """List the values that matter: those related to what is bound, if an atom says so."""
        instance = self._instance
        schema = instance.schema
        if isinstance(condition, (Exists, Count)):
            for atom in list_conjuncts(condition.body):
                if not isinstance(atom, Atom):
                    continue
                found = self._follow(atom, variable.name, binding)
                if found is not None:
                    named = dict.fromkeys(found)
                    return [name for name in named if self._is_of_type(name, variable.type)]
        if not schema.has_type(variable.type):
            return [name for name in instance.names() if self._is_of_type(name, variable.type)]
        return [instance.name_of(id_) for id_ in instance.elements(variable.type)]

    def _is_of_type(self, name: str, type_: str) -> bool:
        """Return True if an element has a type of the schema, or a kind."""
        id_ = self._instance.id_of(name)
        schema = self._instance.schema
        if schema.has_type(type_):
            return schema.is_subtype(self._instance.type_of(id_), type_)
        return is_a(self._instance, id_, type_)

    def _follow(
        self, atom: Atom, variable: str, binding: Mapping[str, str]
    ) -> Sequence[str] | None:
        instance = self._instance
        if not instance.schema.has_relation(atom.predicate):
            return None
        legs = instance.schema.relation(atom.predicate).legs
        wanted = [
            i
            for i, t in enumerate(atom.arguments)
            if isinstance(t, Variable) and t.name == variable
        ]
        if not wanted:
            return None
        for place, term in enumerate(atom.arguments):
            bound = not isinstance(term, Variable) or term.name in binding
            if place in wanted or not bound:
                continue
            name = _find_name(term, binding)
            if not instance.has(name):
                return ()
            rows = instance.tuples_at(atom.predicate, legs[place][0], instance.id_of(name))
            tuples = instance.tuples(atom.predicate)
            return [instance.name_of(tuples[row][wanted[0]]) for row in rows]
        return None


def _find_name(term: Variable | Constant | Text, binding: Mapping[str, str]) -> str:
    if isinstance(term, Variable):
        return binding.get(term.name, "")
    return term.name if isinstance(term, Constant) else term.value
