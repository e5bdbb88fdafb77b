# SPDX-License-Identifier: Apache-2.0
"""The state that noun phrases are looked up in: persons, places and types of things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcp_ros.domain.expressions.syntax import Constant, substitute
from fcp_ros.domain.holding import find_holding
from fcp_ros.domain.model import TEXT
from fcp_ros.language.domain_reader.terms.places import PlaceChooser, PresentState
from fcp_ros.language.domain_reader.terms.referents import Referent, Term, TermGroup, Value
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PlaceRelation
from fcp_ros.language.parsing.trees import PLACE, THEME
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Refusal


class Unresolved(Exception):
    """Something that was said and can't be expressed; the message says what.

    Args:
        refusal: the reason why no other reading of the same words would do; None if one may.
    """

    def __init__(self, message: str, refusal: Refusal | None = None) -> None:
        super().__init__(message)
        self.refusal = refusal


class NotSpokenOf(Unresolved):
    """A word such as "it" that refers to something of which nobody has spoken."""


class SpokenScene:
    """The things of a state, and who speaks to whom."""

    def __init__(self, context: ReadingContext, lexicon: Lexicon, places: PlaceChooser) -> None:
        self.context = context
        self.instance = context.instance
        self.lexicon = lexicon
        self.places = places
        self.state = PresentState(context.instance)

    # --- persons

    def find_robot(self) -> str:
        """Return the robot that is spoken to; empty if there are several."""
        known = self.context.robot or self._find_single(("robot",))
        if known:
            return known
        holding = find_holding(self.context.domain)
        return self._find_single(("agent",) if holding is None else (holding.robot_type, "agent"))

    def find_speaker(self) -> str:
        """Return the person who speaks; empty if that is not known."""
        return self.context.speaker or self._find_single(("person", "human", "user"))

    def _find_single(self, types: Sequence[str]) -> str:
        for type_ in types:
            if self.context.domain.schema.has_type(type_):
                found = self.lexicon.list_members(type_)
                if len(found) == 1:
                    return found[0]
        return ""

    # --- places

    def find_place_of(self, name: str) -> str:
        """Return where an element is now; empty if that is not known."""
        return next((where for _, where in self.list_places(name)), "") if name else ""

    def list_places(self, name: str) -> Iterator[tuple[PlaceRelation, str]]:
        """Yield where an element is now: the relations that say so, and the places."""
        instance = self.instance
        id_ = instance.id_of(name)
        for place in self.places.list_theme_relations():
            relation = place.meaning.name
            legs = [leg for leg, _ in instance.schema.relation(relation).legs]
            types = dict(instance.schema.relation(relation).legs)
            fits = instance.schema.is_subtype(instance.type_of(id_), types[place.theme])
            if not fits or len(legs) != 2:
                continue
            for row in instance.tuples_at(relation, place.theme, id_):
                names = [instance.name_of(e) for e in instance.tuples(relation)[row]]
                yield place, names[legs.index(place.place)]

    def is_at(self, name: str, where: str) -> bool:
        """Return True if an element is in or on another one now."""
        types = [frozenset((self.type_of(n),)) for n in (name, where)]
        chosen = self.places.choose("in", *types) or self.places.choose("on", *types)
        if chosen is None or chosen.meaning.goal is None:
            return False
        goal = substitute(chosen.meaning.goal, {THEME: Constant(name), PLACE: Constant(where)})
        return self.state.holds(goal, {})

    # --- types

    def type_of(self, name: str) -> str:
        """Return the type of an element."""
        return self.instance.type_of(self.instance.id_of(name))

    def rate(self, term: Term, type_: str) -> float:
        """Rate how well a term fits a slot of a type."""
        if isinstance(term, Value):
            return 1.0 if type_ in (TEXT, "number") else 0.0
        if isinstance(term, TermGroup):
            return min((self.rate(part, type_) for part in term.parts), default=0.0)
        return self.places.rate_types(self.list_types(term), type_)

    def list_types(self, term: Term) -> frozenset[str]:
        """List the types that a term may have; none: any."""
        if isinstance(term, Constant):
            return frozenset((self.type_of(term.name),))
        if isinstance(term, Referent):
            return term.types
        if isinstance(term, TermGroup) and term.parts:
            return frozenset().union(*(self.list_types(part) for part in term.parts))
        return frozenset()
