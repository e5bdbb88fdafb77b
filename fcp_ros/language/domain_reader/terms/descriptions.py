# SPDX-License-Identifier: Apache-2.0
"""Descriptions of things, and what was spoken of before: which elements of a state are meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Initially,
    Not,
    Text,
    Variable,
    atoms,
    substitute,
)
from fcp_ros.domain.model import SAME
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    Term,
    TermGroup,
    VariableMaker,
    list_constants,
)
from fcp_ros.language.domain_reader.terms.spoken_scene import NotSpokenOf, SpokenScene, Unresolved
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.trees import (
    PLACE,
    Determiner,
    Noun,
    NounPhrase,
    Predication,
    Reference,
)
from fcp_ros.language.reader import ReadingContext

_PLACE_AGAIN = 0.94
"""Degree of a pronoun that stands for a place, beside one for a thing."""
_ROOM = "room"
"""Type of the places where something may happen."""
MOST_PLACES = 8
"""Places spoken of last that tell which thing is meant."""
_NO_FIRST = 0.8
"""Degree of "another mug" where no mug was spoken of."""
MOST_LISTED = 40
"""Most elements that are named one by one in a goal."""
Describe = Callable[[Predication, Term], Expression]
"""Makes the condition that a quality says of the thing in a slot."""


@dataclass(frozen=True)
class Mention:
    """Something that was spoken of, for pronouns."""

    term: Term
    phrase: NounPhrase
    plural: bool
    place: bool


class DescriptionMatcher(SpokenScene):
    """A matcher of descriptions with the elements of a state, and with what was spoken of."""

    def __init__(self, context: ReadingContext, lexicon: Lexicon, places: PlaceChooser) -> None:
        super().__init__(context, lexicon, places)
        self.mentions: list[Mention] = []
        self.degree = 1.0
        self.matrices: dict[str, Expression] = {}
        """What was asked of a variable so far, for "the rest"."""
        self.as_place = False
        """Whether what is looked up is a place."""
        self.described: list[Term] = []
        """What was named within the description of something else."""
        self.beside: list[Term] = []
        """What was named as beside which something is: "there" is beside it, too."""
        self.maker = VariableMaker(context.domain, context.instance, context.check)
        self.describe: Describe | None = None

    # --- what was spoken of

    def remember(self, term: Term, phrase: NounPhrase, plural: bool, place: bool) -> None:
        """Remember what was spoken of."""
        self.mentions.append(Mention(term, phrase, plural, place))

    def find_there(self, theme: Term, preposition: str) -> Term:
        """Find the last place that was spoken of where a thing can be.

        Raises:
            Unresolved: there is none.
        """
        types = self.list_types(theme)
        last = next((m.term for m in reversed(self.mentions) if m.place), None)
        if last is not None and last in self.beside and last is not theme:
            return last
        ranked = [m for m in reversed(self.mentions) if m.place]
        ranked += [m for m in reversed(self.mentions) if not m.place and m.term is not theme]
        best, degree = None, 0.0
        for mention in ranked:
            found = self.places.choose(preposition, types, self.list_types(mention.term))
            if found is not None and found.degree > degree:
                best, degree = mention.term, found.degree
            if best is not None and preposition == "at":
                break
        if best is None:
            raise Unresolved('where "there" is')
        return best

    def _resolve_pronoun(self, phrase: NounPhrase, slot_type: str) -> Term:
        head = phrase.head
        if head is Reference.HERE:
            speaker = self.find_speaker() or self.find_robot()
            room = self.find_place_of(speaker)
            if room:
                return Constant(room)
            raise Unresolved('where "here" is')
        if head is Reference.THERE:
            found = next((m.term for m in reversed(self.mentions) if m.place), None)
            if found is None and self.lexicon.has_type(_ROOM):  # "the baby sleeps in the hall"
                rooms = (m.term for m in reversed(self.mentions) if self.rate(m.term, _ROOM) > 0.9)
                found = next(rooms, None)
            if found is None:
                raise Unresolved('where "there" is')
            return found
        plural = head is Reference.THEM
        fitting = [
            mention
            for mention in self.mentions
            if self.rate(mention.term, slot_type) > 0.0 and mention.plural == plural
        ]
        themes = [mention for mention in fitting if not mention.place]
        if self.as_place and not plural:  # "clear the table, but leave a vase on it"
            single = [m for m in fitting if not _is_universal(m.term)]
            themes = [m for m in single if not m.place] if single else themes
            fitting = single or fitting
        if not themes:  # a place, and not what was done something with
            themes = fitting
            self.degree *= _PLACE_AGAIN
        if not themes:
            themes = [m for m in self.mentions if self.rate(m.term, slot_type) > 0.0]
            self.degree *= 0.8 if themes else 1.0
        if not themes:
            raise NotSpokenOf(f'what "{head.value if isinstance(head, Reference) else ""}" means')
        term = themes[-1].term
        self._restrict_removed(term)
        none = isinstance(term, Referent) and term.quantifier is Quantifier.NONE
        return _make_universal(term) if none else term

    def _restrict_removed(self, term: Term) -> None:
        """Restrict "it" behind "take everything off the table" to what is there initially."""
        if not isinstance(term, Referent) or term.quantifier is Quantifier.NONE:
            return
        asked = self.matrices.get(term.name)
        if isinstance(asked, Not) and isinstance(asked.body, Atom):
            relations = {known.meaning.name for known in self.places.list_theme_relations()}
            placed = asked.body.predicate in relations
            if placed and all(
                isinstance(t, Constant) or t == Variable(term.name) for t in asked.body.arguments
            ):
                term.restrictions.append(Initially(asked.body))

    def _find_earlier_noun(self) -> Noun | None:
        """Find the kind of thing that was spoken of last, of places where a place is meant."""
        for mention in reversed(self.mentions):
            if isinstance(mention.phrase.head, Noun) and mention.place == self.as_place:
                return mention.phrase.head
        for mention in reversed(self.mentions):
            if isinstance(mention.phrase.head, Noun):
                return mention.phrase.head
        return None

    def _find_same(self, phrase: NounPhrase, noun: Noun) -> Term | None:
        """Find what "the mug" means if a mug was spoken of."""
        if phrase.determiner is not Determiner.THE or phrase.other or phrase.qualities:
            return None
        for mention in reversed(self.mentions):
            head = mention.phrase.head
            same = isinstance(head, Noun) and head.labels == noun.labels
            if same and mention.plural == phrase.plural and not isinstance(mention.term, TermGroup):
                term = mention.term
                if isinstance(term, Constant) or not phrase.plural:
                    return term
        return None

    # --- elements that fit

    def _filter(self, phrase: NounPhrase, noun: Noun) -> list[str]:
        """List the elements that a definite phrase may mean."""
        members = self._list_with_attributes(phrase, noun)
        if phrase.other:
            said = {m.term.name for m in self.mentions if isinstance(m.term, Constant)}
            members = [name for name in members if name not in said]
        if not phrase.qualities:
            return members
        return self._list_fitting(phrase, members)

    def _list_with_attributes(self, phrase: NounPhrase, noun: Noun | None) -> list[str]:
        members = list(noun.members if noun is not None else self.instance.names())
        for attribute in phrase.attributes:
            having = self.lexicon.find_attribute(attribute)
            members = [name for name in members if name in having]
        return members

    def _list_fitting(self, phrase: NounPhrase, members: Sequence[str]) -> list[str]:
        """List the elements that a description fits; it is spoken of, and rated, once for all."""
        known, degree = len(self.mentions), self.degree
        spoken, found = list[Mention](), list[str]()
        best = {True: 0.0, False: 0.0}
        for name in members:
            self.degree = degree
            fits = self._fits_qualities(phrase, name)
            if fits:
                found.append(name)
            best[fits] = max(best[fits], self.degree)
            spoken = spoken or self.mentions[known:]
            del self.mentions[known:]
        self.mentions += spoken
        self.degree = best[bool(found)] if members else degree
        return found

    def _fits_qualities(self, phrase: NounPhrase, name: str) -> bool:
        assert self.describe is not None
        self.context.check()
        for quality in phrase.qualities:
            try:
                condition = self.describe(quality, Constant(name))
            except Unresolved:
                return False
            if not self.state.holds(condition, {}):
                return False
        return True

    def _find_salient(self, candidates: Sequence[str]) -> str:
        """Find the only candidate that is in a place that was spoken of."""
        spoken = [m.term.name for m in self.mentions if isinstance(m.term, Constant)]
        rivals = frozenset(candidates)
        named = [name for name in dict.fromkeys(reversed(spoken)) if name not in rivals]
        for where in named[:MOST_PLACES]:
            self.context.check()
            near = [name for name in candidates if self.is_at(name, where)]
            if len(near) == 1:
                return near[0]
        return ""

    def _list_known(self, noun: Noun | None, referent: Referent) -> list[str]:
        """List the elements that a variable may be now."""
        schema = self.context.domain.schema
        type_ = referent.type if schema.has_type(referent.type) else ""
        names = noun.members if noun is not None else self.lexicon.list_members(type_)
        return [
            name
            for name in names
            if all(self.state.holds(r, {referent.name: name}) for r in referent.restrictions)
        ]

    # --- conditions of variables

    def _restrict(self, referent: Referent, quality: Predication, fixed: bool) -> Expression:
        """State what is said of a variable: as it is initially, unless it can't change.

        A state of something that is chosen ("a clean mug") has to hold when it is there.
        """
        assert self.describe is not None
        asked = {m.term.name for m in self.mentions if isinstance(m.term, Constant) and not m.place}
        condition = self.describe(quality, referent)
        if quality.attributive and not fixed:
            return condition
        if quality.subject == PLACE and asked & {t.name for t in list_constants(condition)}:
            return condition  # "the mug there, and the book on the same table as the mug"
        return self._hold_initially(condition)

    def _hold_initially(self, condition: Expression) -> Expression:
        schema = self.context.domain.schema
        named = any(schema.has_relation(atom.predicate) for atom in atoms(condition))
        if not named or self._is_fixed(condition):
            return condition
        if isinstance(condition, Not):
            return Not(Initially(condition.body))
        return Initially(condition)

    def _rate_restrictions(self, referent: Referent, noun: Noun | None) -> None:
        """Rate a reading lower if nothing is so: "an apple in the bin", and there is none."""
        fixed = [r for r in referent.restrictions if self._is_fixed(r)]
        placed = [r for r in referent.restrictions if isinstance(r, Initially)]
        if noun is None or not (placed or fixed):
            return
        if not noun.members:
            self.degree *= 0.5
            return
        if fixed and not self._is_any_so(noun, referent, fixed):
            raise Unresolved(f'nothing that is called "{noun.said}" fits what was said of it')
        if placed and not self._is_any_so(noun, referent, placed):
            self.degree *= 0.3

    def _is_fixed(self, condition: Expression) -> bool:
        """Return True for what no action changes: that a door is between two rooms."""
        schema = self.context.domain.schema
        named = [a.predicate for a in atoms(condition) if schema.has_relation(a.predicate)]
        return bool(named) and all(schema.relation(name).static for name in named)

    def _is_any_so(self, noun: Noun, referent: Referent, parts: Sequence[Expression]) -> bool:
        return any(
            all(self.state.holds(part, {referent.name: name}) for part in parts)
            for name in noun.members
        )

    def _leave_out_mentioned(self, referent: Referent) -> None:
        """State that something is none of the elements that were spoken of."""
        names = {m.term.name for m in self.mentions if isinstance(m.term, Constant)}
        known = len(referent.restrictions)
        for other in self._list_single(referent.noun):
            referent.apart = (*referent.apart, other)
            same = Atom(SAME, (Variable(referent.name), Variable(other.name)))
            referent.restrictions.append(Not(same))
        for name in sorted(names):
            if referent.noun is None or name in referent.noun.members:
                same = Atom(SAME, (Variable(referent.name), Constant(name)))
                referent.restrictions.append(Not(same))
        if len(referent.restrictions) == known:
            referent.further = True
            self.degree *= _NO_FIRST

    def _list_single(self, noun: Noun | None) -> list[Referent]:
        """List the single things of a kind that were spoken of and not named ("one mug")."""
        found = [
            mention.term
            for mention in self.mentions
            if isinstance(mention.term, Referent)
            and mention.term.quantifier is Quantifier.EXISTS
            and mention.term not in self.described
            and noun is not None
            and mention.term.noun is not None
            and mention.term.noun.labels == noun.labels
        ]
        return list(dict.fromkeys(found))


def _is_universal(term: Term) -> bool:
    wide = (Quantifier.FORALL, Quantifier.NONE)
    return isinstance(term, Referent) and term.quantifier in wide


def _make_universal(none: Term) -> Term:
    """Return what "them" means behind "no vases": all of them."""
    assert isinstance(none, Referent)
    name = f"{none.name}_all"
    renamed: dict[str, Variable | Constant | Text] = {none.name: Variable(name)}
    restrictions = [substitute(part, renamed) for part in none.restrictions]
    return replace(
        none, name=name, quantifier=Quantifier.FORALL, restrictions=restrictions, plural=True
    )
