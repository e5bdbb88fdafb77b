# SPDX-License-Identifier: Apache-2.0
"""Memory of what was said before in an instruction, for pronouns and what is named again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Initially,
    Not,
    Text,
    Variable,
    substitute,
)
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.domain_reader.terms.referents import Quantifier, Referent, Term, TermGroup
from fcp_ros.language.domain_reader.terms.spoken_scene import NotSpokenOf, SpokenScene, Unresolved
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.trees import Determiner, Noun, NounPhrase, Reference
from fcp_ros.language.reader import ReadingContext

_PLACE_AGAIN = 0.94
"""Degree of a pronoun that stands for a place, beside one for a thing."""


_ROOM = "room"
"""Type of the places where something may happen."""


@dataclass(frozen=True)
class Mention:
    """Something that was spoken of, for pronouns."""

    term: Term
    phrase: NounPhrase
    plural: bool
    place: bool


class MentionMemory(SpokenScene):
    """Memory of what was spoken of in one reading, and how sure it is what was meant.

    Args:
        context: domain, state, speaker.
    """

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
