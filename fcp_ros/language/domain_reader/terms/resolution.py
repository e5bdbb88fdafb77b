# SPDX-License-Identifier: Apache-2.0
"""Terms for noun phrases: looked up in the state, in what was said before, or left variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import Bound, Constant, Not
from fcp_ros.domain.model import TEXT
from fcp_ros.foundation.vetoes import find_veto
from fcp_ros.language.domain_reader.terms.descriptions import MOST_LISTED
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.domain_reader.terms.referents import (
    Ambiguity,
    Quantifier,
    Referent,
    Term,
    TermGroup,
    Value,
)
from fcp_ros.language.domain_reader.terms.remainders import PartitiveResolver, list_parts
from fcp_ros.language.domain_reader.terms.spoken_scene import NotSpokenOf, Unresolved
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.trees import (
    Coordination,
    Determiner,
    ElementName,
    HalfOf,
    Listed,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Quantity,
    Reference,
    Words,
    list_heads,
)
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Refusal, WordRole

_OF_NO_KIND = 0.9
"""Degree of "the ones on the table" where no kind of thing was spoken of."""


_UNKNOWN_THING = 0.7
"""Degree of "the banana" as any banana where there is none that is known."""
_NOT_SPOKEN_OF = 0.6
"""Degree of "it" where nothing was spoken of."""


class TermResolver(PartitiveResolver):
    """A resolver of the noun phrases of one reading; it remembers what was spoken of."""

    def __init__(
        self,
        context: ReadingContext,  # domain, state, speaker
        lexicon: Lexicon,
        places: PlaceChooser,
        # the element that is meant by a phrase that could be several, by its place
        choices: Mapping[tuple[int, int], str],
        asking: bool = False,  # True to ask what a pronoun means of which nobody has spoken
    ) -> None:
        super().__init__(context, lexicon, places)
        self.choices = choices
        self.asking = asking
        self.ambiguities: list[Ambiguity] = []

    # --- phrases

    def resolve(self, phrase: Phrase, slot_type: str, *, place: bool = False) -> Term:
        """Return what a noun phrase stands for, and remember it.

        Raises:
            Unresolved: it refers to nothing.
        """
        if isinstance(phrase, NounPhrase) and phrase.kinds:
            phrase = list_parts(phrase)
        if isinstance(phrase, Coordination):
            terms = tuple(self.resolve(part, slot_type, place=place) for part in phrase.parts)
            group = TermGroup(terms, phrase.alternative)
            self.remember(group, next(list_heads(phrase)), True, place)
            return group
        self.as_place = place
        term = self.resolve_simple(phrase, slot_type)
        plural = phrase.plural or isinstance(term, TermGroup)
        if place and isinstance(term, Referent) and phrase.number is not None:
            term.single = term.quantifier is Quantifier.EXISTS
        apart = isinstance(term, Referent) and term.apart
        rest = phrase.determiner is Determiner.REST and phrase.head is Reference.ONE
        if place and rest and not apart:
            self.degree *= 0.5
        if phrase.head not in (Reference.SPEAKER, Reference.ADDRESSEE):
            self.remember(term, phrase, plural, place)
        return term

    def resolve_simple(self, phrase: NounPhrase, slot_type: str) -> Term:
        """Return what a noun phrase with one head stands for."""
        head = phrase.head
        if isinstance(head, Words):
            return Value(head.text)
        if isinstance(head, ElementName):
            return Constant(head.name)
        if head is Reference.ADDRESSEE or head is Reference.SPEAKER:
            name = self.find_robot() if head is Reference.ADDRESSEE else self.find_speaker()
            if not name:
                raise Unresolved(f'who "{head.value}" is')
            if not self.rate(Constant(name), slot_type):  # "while | you | bring the milk"
                raise Unresolved(f"what {name} has to do with it")
            return Constant(name)
        if head in (Reference.IT, Reference.THEM, Reference.THERE, Reference.HERE):
            try:
                term = self._resolve_pronoun(phrase, slot_type)
            except Unresolved:
                if head is not Reference.IT or phrase.number is not None:
                    raise
                return self._ask(phrase, slot_type)
            if phrase.excluded:
                raise Unresolved("what is left out")
            if head is Reference.IT:
                term = self._ask_among(phrase, term, slot_type)
            single = phrase.number is None and phrase.determiner is Determiner.THE
            return term if single else self.take_some(phrase, term, slot_type)
        if isinstance(head, Listed):
            return self.resolve_listed(phrase, head, slot_type)
        noun = head if isinstance(head, Noun) else None
        if noun is not None:
            asked = tuple(q for q in phrase.qualities if not self._is_given(q, noun))
            if asked != phrase.qualities:
                phrase = replace(phrase, qualities=asked)
                fit = tuple(name for name in noun.members if not self._is_flawed(name, noun))
                noun = replace(noun, members=fit or noun.members)
        if head is Reference.ONE:
            noun = self._find_earlier_noun()
            if noun is None and phrase.determiner is not Determiner.REST:
                if phrase.determiner is Determiner.THE and not phrase.plural:
                    return self._ask(phrase, slot_type)
                if not (phrase.plural and phrase.qualities):
                    raise Unresolved("which kind of thing is meant")
                self.degree *= _OF_NO_KIND
        if noun is None and slot_type == TEXT:
            raise Unresolved("words")
        if noun is not None:
            earlier = self._find_same(phrase, noun)
            if earlier is not None:
                return earlier
        return self._quantify(phrase, noun, slot_type)

    def _ask(self, phrase: NounPhrase, slot_type: str) -> Term:
        """Ask which thing is meant by "it" or "that one", of which nobody has spoken.

        Raises:
            Unresolved: nothing says what kind of thing it is.
        """
        names = self.lexicon.list_members(slot_type) if slot_type else ()
        persons = (self.find_robot(), self.find_speaker())
        candidates = tuple(name for name in names if name not in persons)
        if len(candidates) < 2 or phrase.qualities or not self.asking:
            raise NotSpokenOf(f'what "{_name_head(phrase)}" means')
        self.degree *= _NOT_SPOKEN_OF
        place = (phrase.start, phrase.end)
        if place in self.choices:
            return Constant(self.choices[place])
        self.ambiguities.append(Ambiguity(place, "thing", candidates))
        return Constant(candidates[0])

    def _ask_among(self, phrase: NounPhrase, term: Term, slot_type: str) -> Term:
        """Ask which one is meant by "it" behind "the mug and the glass"."""
        last = next((m.term for m in reversed(self.mentions) if not m.place), None)
        if not isinstance(last, TermGroup) or last.alternative or term not in last.parts:
            return term
        fitting = [one for one in last.parts if isinstance(one, Constant)]
        names = tuple(one.name for one in fitting if self.rate(one, slot_type))
        if len(names) < 2 or len(fitting) < len(last.parts):
            return term
        place = (phrase.start, phrase.end)
        if place in self.choices:
            return Constant(self.choices[place])
        self.ambiguities.append(Ambiguity(place, "thing", names))
        return Constant(names[0])

    # --- quantifiers

    def _quantify(self, phrase: NounPhrase, noun: Noun | None, slot_type: str) -> Term:
        phrase = _count_excepted(phrase)
        determiner = phrase.determiner
        if determiner is Determiner.REST or (phrase.other and determiner is Determiner.THE):
            unsaid = not phrase.plural and phrase.other and not self.mentions
            if unsaid and noun is not None and len(noun.members) > 1:  # it is asked which one
                return self._resolve_definite(replace(phrase, other=False), noun)
            return self.resolve_rest(phrase, noun, slot_type)
        if determiner is Determiner.THE and noun is not None:
            if not phrase.plural and phrase.number is None:
                return self._resolve_definite(phrase, noun)
            if phrase.number is not None and phrase.number.share is None:
                return self._resolve_numbered(phrase, noun)
        if noun is not None and self._names_the_only_one(phrase, noun):
            return self._resolve_definite(phrase, noun)
        thing = phrase.head is Reference.THING and determiner is Determiner.THE
        unknown = any(use.role is WordRole.UNREAD for use in phrase.uses)
        if thing and not unknown and not phrase.plural and phrase.number is None:
            anything = Noun("thing", (), "", self.lexicon.list_members(slot_type))
            return self._resolve_definite(phrase, anything)
        quantifier = self.choose_quantifier(phrase, noun)
        return self._make_variable(phrase, noun, quantifier, slot_type)

    def _names_the_only_one(self, phrase: NounPhrase, noun: Noun) -> bool:
        """Return True for "mug to the counter" where there is one, not for expired "milk"."""
        bare = phrase.determiner is Determiner.BARE and not phrase.plural and phrase.number is None
        if bare and phrase.qualities and all(said.attributive for said in phrase.qualities):
            return sum(self._fits_qualities(phrase, name) for name in noun.members) == 1
        if not bare or len(noun.members) != 1:
            return False
        return not self._is_flawed(noun.members[0], noun)

    def _is_flawed(self, name: str, noun: Noun) -> bool:
        """Return True if a label says that something does not do for what was named."""
        element = self.instance.id_of(name)
        return bool(find_veto(str(self.instance.attribute(element, CATEGORY) or ""), noun.said))

    def choose_quantifier(self, phrase: NounPhrase, noun: Noun | None) -> Quantifier:
        """Choose the quantifier for what a noun phrase says of the number of things."""
        determiner = phrase.determiner
        if phrase.number is not None and determiner in (Determiner.A, Determiner.BARE):
            only_one = phrase.number.value == 1 and phrase.number.share is None
            plain = phrase.number.bound.value == "at least" and phrase.number.most is None
            return Quantifier.EXISTS if only_one and plain else Quantifier.COUNT
        universal = (Determiner.ALL, Determiner.EACH, Determiner.BOTH)
        if determiner in universal or (determiner is Determiner.THE and phrase.plural):
            nothing = noun is not None and not noun.members
            return Quantifier.EXISTS if nothing else Quantifier.FORALL
        if determiner is Determiner.NO:
            return Quantifier.NONE
        if determiner is Determiner.BARE and phrase.plural:
            if noun is not None and not noun.members:
                return Quantifier.EXISTS
            self.degree *= 0.95
            return Quantifier.FORALL
        return Quantifier.EXISTS

    def _is_given(self, quality: Predication, noun: Noun) -> bool:
        """Return True for what is always so: a bowl that nothing makes dirty is clean."""
        meaning = quality.meaning
        if meaning is None or not quality.attributive:
            return False
        if isinstance(meaning.goal, Not) == quality.negated:
            return False
        wanted = meaning.types.get(quality.subject, "")
        return not self.places.rate_types(frozenset(filter(None, (noun.type,))), wanted)

    def _make_variable(
        self, phrase: NounPhrase, noun: Noun | None, quantifier: Quantifier, slot_type: str
    ) -> Term:
        referent = self.maker.make(phrase, noun, quantifier)
        referent.plural = phrase.plural or quantifier is Quantifier.FORALL
        if not referent.type:
            referent.type = slot_type
        if noun is None and slot_type:
            referent.types = frozenset((slot_type,))
        several = phrase.number is not None and phrase.number != Quantity()
        fixed = quantifier is Quantifier.FORALL or several
        for quality in phrase.qualities:
            referent.restrictions.append(self._restrict(referent, quality, fixed))
        if phrase.other:
            self._leave_out_mentioned(referent)
        self._rate_restrictions(referent, noun)
        if phrase.excluded:
            self.exclude(phrase, referent)
        if phrase.attributes:
            return self._list_each(phrase, noun, referent)
        self.take_share(phrase, referent)
        return referent

    def _list_each(self, phrase: NounPhrase, noun: Noun | None, referent: Referent) -> Term:
        """Name the elements that have an attribute, as no formula can say that of a variable."""
        members = [
            name
            for name in self._list_with_attributes(phrase, noun)
            if all(self.state.holds(r, {referent.name: name}) for r in referent.restrictions)
        ]
        if len(members) > MOST_LISTED:
            raise Unresolved(
                f"the {len(members)} things that are {phrase.attributes[0]}", Refusal.AMOUNT
            )
        if not members:
            raise Unresolved("anything: nothing is left", Refusal.REMAINDER)
        if len(members) == 1 and referent.quantifier in (Quantifier.FORALL, Quantifier.EXISTS):
            return Constant(members[0])
        if referent.quantifier is Quantifier.FORALL:
            return TermGroup(tuple(map(Constant, members)))
        referent.listed = tuple(map(Constant, members))
        referent.types = frozenset(map(self.type_of, members))
        self.take_share(phrase, referent)
        return referent

    # --- definite things

    def _resolve_definite(self, phrase: NounPhrase, noun: Noun) -> Term:
        candidates = self._filter(phrase, noun)
        if not candidates:
            self.degree *= 0.4 if noun.members else _UNKNOWN_THING
            known = noun if noun.labels else None
            return self._make_variable(phrase, known, Quantifier.EXISTS, "")
        if len(candidates) == 1:
            return Constant(candidates[0])
        place = (phrase.start, phrase.end)
        if place in self.choices:
            return Constant(self.choices[place])
        salient = self._find_salient(candidates)
        if salient:
            self.degree *= 0.95
            return Constant(salient)
        self.ambiguities.append(Ambiguity(place, noun.said, tuple(candidates)))
        return Constant(candidates[0])

    def _resolve_numbered(self, phrase: NounPhrase, noun: Noun) -> Term:
        """Resolve "the two mugs": all of them if there are two, else at least two."""
        number = phrase.number
        assert number is not None
        candidates = self._filter(phrase, noun)
        if number.value == 1 and len(candidates) != 1:
            return self._resolve_definite(replace(phrase, number=None, plural=False), noun)
        if len(candidates) == number.value:
            whole = replace(phrase, number=None)
            return self._make_variable(whole, noun, Quantifier.FORALL, "")
        self.degree *= 0.85
        return self._make_variable(phrase, noun, Quantifier.COUNT, "")


def _count_excepted(phrase: NounPhrase) -> NounPhrase:
    """Read "all cups but one" as a number of cups."""
    if len(phrase.excluded) != 1 or phrase.determiner is not Determiner.ALL:
        return phrase
    left_out = phrase.excluded[0]
    if not isinstance(left_out, NounPhrase) or left_out.number is None:
        return phrase
    if left_out.head is not Reference.THEM or left_out.number.bound is not Bound.AT_LEAST:
        return phrase
    number = Quantity(Bound.EXACTLY, left_out.number.value, HalfOf.ALL_BUT)
    return replace(phrase, determiner=Determiner.A, number=number, excluded=())


def _name_head(phrase: NounPhrase) -> str:
    return phrase.head.value if isinstance(phrase.head, Reference) else ""
