# SPDX-License-Identifier: Apache-2.0
"""Noun phrases up to their head: pronouns, nouns of the lexicon, sets, and heads without a noun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.noun_phrases.descriptions import DescriptionReader
from fcp_ros.language.parsing.lexicon import NounMatch
from fcp_ros.language.parsing.noun_phrases.head_parser import ALONE, MEASURES, THINGS
from fcp_ros.language.parsing.noun_phrases.head_parser import PRONOUNS as SINGLE_PRONOUNS
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.quantities import NounOpening
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Determiner,
    ElementName,
    Noun,
    NounPhrase,
    Predication,
    Quantity,
    Reference,
)
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.tree import Word

PRONOUNS = {**SINGLE_PRONOUNS, "there": Reference.THERE, "here": Reference.HERE}
_THING_NOUNS = gather_words("thing things stuff object objects item items")
_GENERAL = gather_words("item items thing things object objects product products floor floors")
"""Nouns behind another one that add nothing: "food items"."""
_ABSENT, UNKNOWN, _PRONOUN_ONE, _THERE = 0.93, 0.1, 0.9, 0.97
"""Degrees: of a kind that the scene lacks, of a noun that is not known, of "those" as things of a
kind, of "there"."""
_STATE_IN_LABEL = 0.85
"""Degree of "dirty pants" as a label."""
_MEASURED, _MEASURE_PRESENT, _NO_PLURAL = 0.97, 0.8, 0.3
"""Of "two pieces of" before what is meant, of "a bowl of fruit" as fruit where there are bowls, of
"one of the mug"."""


@dataclass(frozen=True, slots=True)
class PhraseStart:
    """The beginning of a phrase, and the word at its core."""

    start: int
    opening: NounOpening
    core: Word
    word: Word  # the head in the tree


class HeadReader:
    """A reader of phrases from their opening to their head."""

    def __init__(self, nouns: NounParser, spans: TreeSpans, said: DescriptionReader) -> None:
        self._nouns = nouns
        self._use, self._get = nouns.describe_use, nouns.get_text
        self._tokens = nouns.tokens
        self._spans = spans
        self._lexicon = nouns.lexicon
        self._said = said

    def open(self, begun: PhraseStart) -> NounPhrase:
        """Make the phrase of an opening that has no head yet."""
        start, opening = begun.start, begun.opening
        uses = [
            self._use(i, i + 1, WordRole.QUANTITY if i in opening.quantity else WordRole.FILLER)
            for i in range(start, opening.end)
        ]
        return NounPhrase(
            start,
            opening.end,
            Reference.ONE,
            opening.determiner,
            opening.number,
            other=opening.other,
            only=opening.only,
            uses=tuple(uses),
        )

    def read(self, begun: PhraseStart, blank: NounPhrase) -> Iterator[NounPhrase]:
        """Yield the phrases from an opening to its core."""
        opening, core, start = begun.opening, begun.core, begun.start
        if core.token == start and opening.end == start:
            yield from self._read_pronoun(core)
        if opening.end > start and not opening.partitive and core.token < opening.end:
            yield from self._read_headless(blank, opening)
            described = self._spans.tree.find_child(core.place, "relcl") is not None
            if described and opening.determiner is Determiner.ALL:  # "all that is there"
                yield replace(blank, head=Reference.THING, plural=True)
        if core.token < opening.end:
            return
        found = False
        for place in range(opening.end, core.token + 1):
            for phrase, noun in self._read_nouns(place, core, opening, blank):
                said = self._said.read_adjectives(opening.end, place, noun)
                found = found or said.degree == 1.0
                yield said.add_to(phrase)
            for end, phrase in self._nouns.read_set_head(start, place, opening):
                if end > max(core.token, place):
                    said = self._said.read_adjectives(opening.end, place, None)
                    uses = (*blank.uses, *phrase.uses)
                    found = found or said.degree == 1.0
                    yield said.add_to(replace(phrase, end=end, uses=uses))
        yield from self._read_measure(core, opening, blank)
        if found:
            return
        yield from self._read_vague(core, opening, blank)

    def _read_pronoun(self, word: Word) -> Iterator[NounPhrase]:
        text, start = word.text, word.token
        use = self._use(start, start + 1, WordRole.THING)
        if text in PRONOUNS:
            head = PRONOUNS[text]
            plural = head is Reference.THEM
            degree = _THERE if head in (Reference.THERE, Reference.HERE) else 1.0
            the = Determiner.THE
            phrase = NounPhrase(start, start + 1, head, the, None, plural, uses=(use,))
            if plural and self._get(start + 1) in ("all", "both", "each"):
                more = self._use(start + 1, start + 2, WordRole.QUANTITY)
                phrase = replace(phrase, end=start + 2, uses=(use, more))
            yield replace(phrase, degree=degree)
            if text in ("those", "these", "that"):
                yield replace(phrase, head=Reference.ONE, degree=_PRONOUN_ONE)
        if text in THINGS:
            other = self._get(start + 1) == "else"
            rest = other and THINGS[text] is Determiner.ALL
            determiner = Determiner.REST if rest else THINGS[text]
            end = start + 1 + other
            use = self._use(start, end, WordRole.THING)
            yield NounPhrase(
                start, end, Reference.THING, determiner, None, other=other, uses=(use,)
            )
            if determiner is Determiner.ALL:
                for after, parts in self._nouns.read_set_behind(start, end):
                    yield replace(parts, end=after, uses=(use, *parts.uses))

    def _read_headless(self, blank: NounPhrase, opening: NounOpening) -> Iterator[NounPhrase]:
        """Read "the other", "all", "two" without a noun."""
        determiner, number = opening.determiner, opening.number
        if determiner is Determiner.REST:
            single = [self._get(blank.start), self._get(blank.start + 1)] == [
                "the",
                "other",
            ]
            yield replace(blank, plural=not single or self._get(blank.end) == "others")
        elif opening.other and determiner is Determiner.A and number is None:
            yield blank
        elif determiner in ALONE or (number is not None and determiner is Determiner.A):
            yield replace(blank, head=Reference.THEM, plural=True, degree=0.9)

    def _read_nouns(
        self, place: int, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[NounPhrase, Noun | None]]:
        """Yield what the lexicon knows by the words from a token to the core."""
        for match in self._lexicon.find_nouns(self._tokens, place):
            if match.end <= core.token and not self._adds_nothing(match, core):
                yield from self._read_located(match, core, blank, place)
                continue
            if match.end == place + 1 and self._means_anything(place):
                continue
            end = max(match.end, core.token + 1)
            named = self._name_following(match, end)
            if named is not None:
                after, name = named
                use = self._use(place, after, WordRole.THING, name.name)
                yield replace(blank, end=after, head=name, uses=(*blank.uses, use)), None
            plural = match.plural if end == match.end else self._get(end - 1).endswith("s")
            degree = match.degree * (1.0 if _is_here(match) else _ABSENT)
            degree *= self._rate_described(match, place)
            several = opening.number is not None or opening.determiner in (
                Determiner.EACH,
                Determiner.ANY,
                Determiner.NO,
                Determiner.BOTH,
            )
            if opening.definite and not plural and several:
                degree *= _NO_PLURAL
            head = match.head
            shown = head.name if isinstance(head, ElementName) else head.said
            meaning = f"{shown}, {match.note}" if match.note else shown
            use = self._use(place, end, WordRole.THING, meaning, match.degree)
            phrase = replace(
                blank,
                end=end,
                head=head,
                plural=plural,
                uses=(*blank.uses, use),
                degree=blank.degree * degree,
            )
            if phrase.determiner is Determiner.BOTH and phrase.number is None and plural:
                two = Quantity(value=2)
                phrase = replace(phrase, determiner=Determiner.THE, number=two)
            yield self._move_rest(phrase, core), head if isinstance(head, Noun) else None

    def _rate_described(self, match: NounMatch, place: int) -> float:
        """Rate a label that begins with a state lower: the dirty plate need not be called so."""
        if match.end <= place + 1 or self._get(place) not in self._nouns.patterns.states:
            return 1.0
        inner = self._lexicon.find_nouns(self._tokens, place + 1)
        return _STATE_IN_LABEL if any(map(_is_here, inner)) else 1.0

    def _means_anything(self, place: int) -> bool:
        """Return True for "thing" and the like, and "item" where nothing is called so."""
        text = self._get(place)
        if text not in ("item", "items"):
            return text in _THING_NOUNS
        noun = self._lexicon.find_noun("item")
        return not self._lexicon.has_type("item") and not (noun and noun.members)

    def _adds_nothing(self, match: NounMatch, core: Word) -> bool:
        """Return True for the items of "food items"."""
        return match.end == core.token and core.text in _GENERAL

    def _read_located(
        self, match: NounMatch, core: Word, blank: NounPhrase, place: int
    ) -> Iterator[tuple[NounPhrase, Noun | None]]:
        """Read "bedroom table"."""
        room = isinstance(match.head, Noun) and match.head.type == "room" and match.head.members
        if not room or match.end > core.token:
            return
        for named in self._lexicon.find_nouns(self._tokens, match.end):
            head = named.head
            if named.end <= core.token or not isinstance(head, Noun) or not head.members:
                continue
            where = NounPhrase(place, match.end, match.head, Determiner.THE)
            said = Predication(None, {PLACE: where}, THEME, "in")
            use = self._use(place, named.end, WordRole.THING, head.said)
            yield (
                replace(
                    blank,
                    end=named.end,
                    head=head,
                    plural=named.plural,
                    qualities=(*blank.qualities, said),
                    uses=(*blank.uses, use),
                    degree=blank.degree * match.degree * named.degree * 0.95,
                ),
                head,
            )

    def _name_following(self, match: NounMatch, end: int) -> tuple[int, ElementName] | None:
        """Find the name behind a noun: "table O24"."""
        if not isinstance(match.head, Noun) or end >= len(self._tokens):
            return None
        for named in self._lexicon.find_nouns(self._tokens, end):
            if isinstance(named.head, ElementName) and named.head.name in match.head.members:
                return named.end, named.head
        return None

    def _move_rest(self, phrase: NounPhrase, core: Word) -> NounPhrase:
        """Read "the rest of the table" as the other things that are there, not as the table."""
        noun = phrase.head
        if phrase.determiner is not Determiner.REST or not isinstance(noun, Noun):
            return phrase
        if phrase.plural or core.tag != "NN" or len(noun.members) > 1:
            return phrase
        if not any(self._get(place) == "of" for place in range(phrase.start, phrase.end)):
            return phrase
        where = replace(phrase, determiner=Determiner.THE, qualities=(), attributes=(), uses=())
        said = Predication(None, {PLACE: where}, THEME, "at")
        qualities = (*phrase.qualities, said)
        return replace(phrase, head=Reference.THING, plural=True, qualities=qualities)

    def _read_measure(
        self, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "(two) pieces of clothing", "(the) carton of milk": the noun behind "of"."""
        inner = self._spans.find_of(core)
        singular = core.text if core.text in MEASURES else core.lemma
        if inner is None or singular not in MEASURES or core.token < opening.end:
            return
        known = self._lexicon.find_noun(singular)
        present = known is not None and bool(known.members) and singular not in ("kind", "sort")
        use = self._use(core.token, core.token + 2, WordRole.FILLER)
        several = core.text != singular
        measured = replace(
            blank,
            uses=(*blank.uses, use),
            degree=blank.degree * (_MEASURE_PRESENT if present else _MEASURED),
        )
        if opening.determiner is Determiner.BOTH and several:
            measured = replace(measured, determiner=Determiner.THE, number=Quantity(value=2))
        after = replace(opening, end=core.token + 2, definite=False, partitive=False, many=False)
        for place in range(core.token + 2, inner.token + 1):
            for phrase, noun in self._read_nouns(place, inner, after, measured):
                before = self._said.read_adjectives(opening.end, core.token, noun)
                said = self._said.read_adjectives(core.token + 2, place, noun)
                yield replace(said.add_to(before.add_to(phrase)), plural=several)

    def _read_vague(
        self, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "thing", "one", "others", "them", an adjective alone, and what is not known."""
        text, end = core.text, core.token + 1
        use = self._use(core.token, end, WordRole.THING)
        said = self._said.read_adjectives(opening.end, core.token, None)
        uses = (*blank.uses, use)
        if self._means_anything(core.token):
            plural = text.endswith("s") or text == "stuff"
            thing = replace(blank, end=end, head=Reference.THING, plural=plural, uses=uses)
            yield said.add_to(thing)
        elif text in ("one", "ones", "others") and core.token > blank.start:
            determiner = Determiner.REST if text == "others" else opening.determiner
            one = replace(blank, end=end, determiner=determiner, plural=text != "one", uses=uses)
            anything = Noun("", (), "", self._lexicon.list_members(""))
            yield self._said.read_adjectives(opening.end, core.token, anything).add_to(one)
        elif text in ("what", "everything") and self._get(core.token - 1) == "of":
            yield replace(blank, end=end, head=Reference.THING, plural=True, uses=uses)
        elif text in ("them", "these", "those", "it") and opening.end > blank.start:
            yield replace(blank, end=end, head=Reference.THEM, plural=True, uses=uses)
        elif core.tag.startswith("JJ") and core.token > blank.start:
            described = self._said.read_adjectives(opening.end, end, None)
            if described.degree == 1.0 and (described.qualities or described.attributes):
                yield described.add_to(replace(blank, end=end, degree=_MEASURED))
        elif core.is_noun and core.text not in PRONOUNS and core.token > blank.start:
            unread = self._use(core.token, end, WordRole.UNREAD, "", 0.0)
            yield replace(
                blank,
                end=end,
                head=Reference.THING,
                uses=(*blank.uses, unread),
                degree=blank.degree * UNKNOWN,
            )


def _is_here(match: NounMatch) -> bool:
    return isinstance(match.head, ElementName) or bool(match.head.members)
