# SPDX-License-Identifier: Apache-2.0
"""The nouns, names and adjectives of noun phrases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.language.english.connectives import SEQUENCE
from fcp_ros.language.english.function_words import ARTICLES, FILLERS
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.lexicon import NounMatch
from fcp_ros.language.parsing.noun_phrases.quantities import (
    MANY_CLOSED,
    NounOpening,
    match_words,
)
from fcp_ros.language.parsing.noun_phrases.set_parser import SetParser
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    ElementName,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
)
from fcp_ros.language.reading import WordRole, WordUse

UNKNOWN_ADJECTIVE = 0.3
"""Degree of a noun phrase with an adjective that is not known."""
_ABSENT = 0.93
"""Degree of a kind of thing that the scene lacks."""
_STATE_IN_LABEL = 0.85
"""Degree of "dirty pants" as a label where "dirty" is a state."""
_PART_OF_NOTHING = 0.8
"""Degree of "the necessary parts" as any parts, beside those of the only set."""
_CONTENTS = "contents"
_MEASURES = gather_words(
    "piece item article bit unit carton bottle glass cup mug can tin box bag packet pack jar tube "
    "bowl plate slice loaf bar stick sheet roll pair set portion kind type sort copy"
)
"""Nouns before "of" that say in which form something is there."""
_KINDS = ("kind", "kinds", "type", "types", "sort", "sorts")
_MEASURED = 0.97
_MEASURE_PRESENT = 0.8
"""Degree of "a bowl of fruit" as fruit, where there are bowls."""
_EMPTY_ADJECTIVES = gather_words(
    "necessary needed required respective corresponding usual actual "
    "available existing present whole entire various individual appropriate"
)
_LOCATED = 0.95
"""Degree of "bedroom table" as the table in the bedroom."""
_NO_PLURAL = 0.3
"""Degree of "one of the mug"."""
_EMPTY_DEGREE = 0.97
"""Degree of an adjective that says nothing of a thing."""
UNKNOWN_NOUN = 0.1
"""Degree of a noun phrase whose noun is not known."""
PRONOUNS = {
    "it": Reference.IT,
    "this": Reference.IT,
    "that": Reference.IT,
    "itself": Reference.IT,
    "them": Reference.THEM,
    "they": Reference.THEM,
    "these": Reference.THEM,
    "those": Reference.THEM,
    "me": Reference.SPEAKER,
    "i": Reference.SPEAKER,
    "us": Reference.SPEAKER,
    "myself": Reference.SPEAKER,
    "you": Reference.ADDRESSEE,
    "yourself": Reference.ADDRESSEE,
    "him": Reference.IT,
    "her": Reference.IT,
}
THINGS = {
    "something": Determiner.A,
    "anything": Determiner.ANY,
    "everything": Determiner.ALL,
    "nothing": Determiner.NO,
    "whatever": Determiner.ALL,
    "what": Determiner.ALL,
    "whichever": Determiner.ALL,
}
_PARTITIVE_PRONOUNS = ("them", "these", "those", "it")
_ALONE = (Determiner.ALL, Determiner.BOTH, Determiner.EACH, Determiner.REST, Determiner.NO)
"""Determiners that stand without a noun."""
_GENERAL_NOUNS = gather_words(
    "item items thing things object objects product products article articles piece pieces"
)
"""Nouns behind another one that add nothing: "food items"."""
THING_NOUNS = gather_words("thing things stuff object objects")
"""Nouns that mean anything."""
_FURNITURE = ("furniture",)
"""Nouns that mean what other things are on, where nothing is called so."""
_NO_FURNITURE = 0.6
"""Degree of furniture as a kind of its own where nothing is called so."""
PART_NOUNS = gather_words("piece pieces part parts component components element elements")
"""Nouns that mean any thing where a domain has no such nouns."""


@dataclass(frozen=True, slots=True)
class _Adjectives:
    qualities: tuple[Predication, ...] = ()
    attributes: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()
    degree: float = 1.0


class HeadParser(SetParser):
    """A reader of adjectives and heads."""

    def _read_head(
        self, start: int, place: int, opening: NounOpening
    ) -> Iterator[tuple[int, NounPhrase]]:
        blank = NounPhrase(
            start,
            place,
            Reference.ONE,
            opening.determiner,
            opening.number,
            False,
            other=opening.other,
        )
        yield from self.read_set_head(start, place, opening)
        if place < len(self.tokens):
            yield from self._read_nouns(place, opening, blank)
            if place > start and self._is_unknown(place):
                use = self.describe_use(place, place + 1, WordRole.UNREAD, "", 0.0)
                yield (
                    place + 1,
                    replace(blank, head=Reference.THING, uses=(use,), degree=UNKNOWN_NOUN),
                )
            yield from self._read_general_noun(place, opening, blank)
            if self.get_text(place + 1) == "of":
                yield from self._read_measure(place, opening, blank)
            if _CONTENTS in (self.get_text(place), self.get_text(place + 1)):
                yield from self._read_contents(place, blank)
            yield from self._read_pronoun_head(place, opening, blank)
        if place == opening.end and opening.end > start and not opening.partitive:
            yield from self._read_no_head(place, opening, blank)

    def _read_nouns(
        self, place: int, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read the nouns and names of the domain and the scene."""
        for match in self.lexicon.find_nouns(self.tokens, place, self._similarity):
            head = match.head
            if match.end == place + 1 and self._is_thing_noun(place):
                continue
            degree = match.degree * self._rate_head(match, place)
            if self.is_set_needed(opening.end, place) and self.is_part_noun(head):
                degree *= _PART_OF_NOTHING
            if opening.definite and not match.plural and _takes_plural(opening):
                degree *= _NO_PLURAL
            yield from self._read_named(place, match, blank)
            shown = head.name if isinstance(head, ElementName) else head.said
            meaning = f"{shown}, {match.note}" if match.note else shown
            use = self.describe_use(place, match.end, WordRole.THING, meaning, match.degree)
            yield from self._close_many(
                match.end,
                replace(blank, head=head, plural=match.plural, uses=(use,), degree=degree),
                opening,
            )

    def _read_general_noun(
        self, place: int, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "thing", and "furniture" and "part" where nothing is called so: anything."""
        text = self.get_text(place)
        use = self.describe_use(place, place + 1, WordRole.THING, "thing")
        if self._is_thing_noun(place):
            plural = text.endswith("s") or text == "stuff"
            anything = replace(blank, head=Reference.THING, plural=plural, uses=(use,))
            yield from self._close_many(place + 1, anything, opening)
        if text in _FURNITURE and opening.determiner is Determiner.A:
            known = self.lexicon.find_noun(text)
            if known is None or not known.members:
                yield place + 1, replace(blank, head=Reference.THING, uses=(use,))
        if text in PART_NOUNS and not self.lexicon.find_nouns(self.tokens, place):
            plural = text.endswith("s")
            yield place + 1, replace(blank, head=Reference.THING, plural=plural, uses=(use,))

    def _read_pronoun_head(
        self, place: int, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "the other one", "some of them", "the two of them"."""
        text = self.get_text(place)
        use = self.describe_use(place, place + 1, WordRole.THING)
        if text in ("one", "ones", "others") and place > blank.start:
            determiner = Determiner.REST if text == "others" else opening.determiner
            yield (
                place + 1,
                replace(blank, determiner=determiner, plural=text != "one", uses=(use,)),
            )
        if opening.partitive and text in _PARTITIVE_PRONOUNS:
            yield place + 1, replace(blank, head=Reference.THEM, plural=True, uses=(use,))
        counted = text == "of" and opening.quantity and place == opening.end
        if counted and self.get_text(place + 1) in _PARTITIVE_PRONOUNS:
            use = self.describe_use(place, place + 2, WordRole.THING)
            yield place + 2, replace(blank, head=Reference.THEM, plural=True, uses=(use,))

    def _read_no_head(
        self, place: int, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "the other", "as many as possible", "all", "two" without a noun."""
        determiner, number = opening.determiner, opening.number
        them = replace(blank, head=Reference.THEM, plural=True, degree=0.9)
        if determiner is Determiner.REST:
            single = match_words(self.tokens, blank.start, ("the", "other"))
            yield place, replace(blank, plural=not single)
        elif opening.other and determiner is Determiner.A and number is None:  # on another
            yield place, blank
        elif opening.many:
            yield from self._close_many(place, them, opening)
        elif determiner in _ALONE or (number is not None and determiner is Determiner.A):
            yield place, them

    def _read_contents(self, start: int, blank: NounPhrase) -> Iterator[tuple[int, NounPhrase]]:
        """Read "contents", "contents of the shelf": all that is in something initially."""
        place = start if self.get_text(start) == _CONTENTS else start + 1
        if place > start and self.get_text(start) not in ("previous", "original", "former", "old"):
            return
        place += 1
        use = self.describe_use(start, place, WordRole.THING, "what is in it")
        anything = NounPhrase(place, place, Reference.THING, Determiner.A)
        inner: list[tuple[int, Phrase]] = [(place, anything)]
        if self.get_text(place) == "of":
            inner = self.parse_phrases(place + 1, 1)
        for end, where in inner:
            said = Predication(None, {PLACE: where}, THEME, "in")
            yield (
                end,
                replace(
                    blank,
                    head=Reference.THING,
                    determiner=Determiner.ALL,
                    qualities=(said,),
                    uses=(use, *list_phrase_uses(where)),
                    degree=where.degree,
                ),
            )

    def _read_measure(
        self, place: int, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "(two) pieces of clothing", "(the) carton of milk": the noun behind "of"."""
        text = self.get_text(place)
        singular = text if text in _MEASURES else next(iter(list_singulars(text)), "")
        if singular not in _MEASURES:
            return
        known = self.lexicon.find_noun(singular)
        present = known is not None and bool(known.members) and singular not in _KINDS
        degree = _MEASURE_PRESENT if present else _MEASURED
        use = self.describe_use(place, place + 2, WordRole.FILLER)
        inner = replace(opening, end=place + 2, many=False, partitive=False)
        for end, phrase in self._read_head(blank.start, place + 2, inner):
            if isinstance(phrase.head, Noun) or self.get_text(place + 2) in _FURNITURE:
                several = text != singular
                phrase = replace(
                    phrase,
                    plural=several,
                    uses=(use, *phrase.uses),
                    degree=phrase.degree * degree,
                )
                yield from self._close_many(end, phrase, opening)

    def _read_named(
        self, place: int, match: NounMatch, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "table O24": an element by its name, with its kind before it."""
        if isinstance(match.head, ElementName) or match.end >= len(self.tokens):
            return
        room = match.head.type == "room" and "floor" not in self.lexicon.words
        if room and self.get_text(match.end) in ("floor", "floors"):
            use = self.describe_use(place, match.end + 1, WordRole.THING, match.head.said)
            plural = self.get_text(match.end) == "floors"
            yield match.end + 1, replace(blank, head=match.head, plural=plural, uses=(use,))
        following = self.get_text(match.end)
        if following in _GENERAL_NOUNS:
            use = self.describe_use(place, match.end + 1, WordRole.THING, match.head.said)
            plural = following.endswith("s")
            yield match.end + 1, replace(blank, head=match.head, plural=plural, uses=(use,))
        for named in self.lexicon.find_nouns(self.tokens, match.end):
            if match.head.type == "room" and isinstance(named.head, Noun) and named.head.members:
                yield from self._make_located(place, match, named, blank)
            if isinstance(named.head, ElementName) and named.head.name in match.head.members:
                use = self.describe_use(place, named.end, WordRole.THING, named.head.name)
                yield named.end, replace(blank, head=named.head, uses=(use,))

    def _make_located(
        self, place: int, room: NounMatch, match: NounMatch, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "bedroom table": the one that is there."""
        if not isinstance(room.head, Noun) or not isinstance(match.head, Noun):
            return
        if not room.head.members or room.plural:
            return
        where = NounPhrase(place, room.end, room.head, Determiner.THE)
        said = Predication(None, {PLACE: where}, THEME, "in")
        use = self.describe_use(place, match.end, WordRole.THING, match.head.said)
        degree = room.degree * match.degree * _LOCATED
        yield (
            match.end,
            replace(
                blank,
                head=match.head,
                plural=match.plural,
                qualities=(said,),
                uses=(use,),
                degree=degree,
            ),
        )

    def _rate_head(self, match: NounMatch, place: int) -> float:
        """Rate a noun lower if the scene has none, or if its first word is a state."""
        if isinstance(match.head, ElementName):
            return 1.0
        degree = 1.0 if match.head.members else _ABSENT
        if not match.head.members and self.get_text(place) in _FURNITURE:
            degree = _NO_FURNITURE
        described = match.end > place + 1 and self.get_text(place) in self.patterns.states
        if described and self.lexicon.find_nouns(self.tokens, place + 1):
            degree *= _STATE_IN_LABEL
        return degree

    def _is_thing_noun(self, place: int) -> bool:
        """Return True for "thing" and the like, and "item" where the domain has no such type."""
        text = self.get_text(place)
        if text in ("item", "items"):
            noun = self.lexicon.find_noun("item")
            return not self.lexicon.has_type("item") and not (noun and noun.members)
        return text in THING_NOUNS

    def _is_unknown(self, place: int) -> bool:
        """Return True if a word is neither a noun nor one of the words of every domain."""
        token = self.tokens[place]
        if token.kind is not TokenKind.WORD or self.lexicon.find_nouns(self.tokens, place):
            return False
        text = token.text
        closed = text in FILLERS or (text,) in SEQUENCE or (text,) in PREPOSITIONS
        return not (closed or text in PRONOUNS or text in THINGS or text in THING_NOUNS)

    def _close_many(
        self, end: int, phrase: NounPhrase, opening: NounOpening
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "as possible" behind "as many mugs", also behind what is said of these."""
        if not opening.many:
            yield end, phrase
            return
        ends = [(end, phrase.qualities, phrase.uses)]
        for after, said, uses in self.read_behind(end, 1):
            if self.get_text(after) == "as" and not said.source and said.preposition != "to":
                ends.append((after, (*phrase.qualities, said), (*phrase.uses, *uses)))
        for place, qualities, uses in ends:
            after = MANY_CLOSED.find_end(self.tokens, place)
            if after > place:
                use = self.describe_use(place, after, WordRole.QUANTITY)
                yield after, replace(phrase, qualities=qualities, uses=(*uses, use))

    @abstractmethod
    def read_behind(
        self, start: int, depth: int
    ) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Yield what is said of something behind its noun: places, states, relative clauses."""

    def _read_adjectives(self, start: int, most: int) -> Iterator[tuple[int, _Adjectives]]:
        """Yield the adjectives that begin at a token: none, one, up to `most`."""
        none = _Adjectives()
        yield start, none
        if most == 0 or start >= len(self.tokens):
            return
        for end, one in self._read_adjective(start):
            joint = end + 1 if self.get_text(end) in (",", "and") else end
            for place in dict.fromkeys((end, joint)):
                for after, more in self._read_adjectives(place, most - 1):
                    if place > end and after == place:
                        continue
                    yield (
                        after,
                        _Adjectives(
                            (*one.qualities, *more.qualities),
                            (*one.attributes, *more.attributes),
                            (*one.uses, *more.uses),
                            one.degree * more.degree,
                        ),
                    )

    def _read_adjective(self, start: int) -> Iterator[tuple[int, _Adjectives]]:
        token = self.tokens[start]
        if token.kind is not TokenKind.WORD or token.text == "back":
            return
        known = False
        for pattern in self.patterns.modifiers.get(token.text, ()):
            if pattern.is_adjective and not pattern.finite:
                words = [p.text for p in pattern.parts if isinstance(p, PhraseWord)]
                if match_words(self.tokens, start, words):
                    known = True
                    end = start + len(words)
                    use = self.describe_use(start, end, WordRole.QUALITY, pattern.meaning.name)
                    said = Predication(
                        pattern.meaning,
                        {},
                        pattern.subject,
                        attributive=True,
                        degree=pattern.degree,
                        uses=(),
                    )
                    yield end, _Adjectives((said,), (), (use,))
        if self.lexicon.find_attribute(token.text):
            known = True
            use = self.describe_use(start, start + 1, WordRole.QUALITY, token.text)
            yield start + 1, _Adjectives((), (token.text,), (use,))
        if token.text in _EMPTY_ADJECTIVES:
            use = self.describe_use(start, start + 1, WordRole.FILLER)
            yield start + 1, _Adjectives((), (), (use,), _EMPTY_DEGREE)
            return
        closed = token.text in FILLERS or token.text in ARTICLES or (token.text,) in SEQUENCE
        if known or closed or (token.text,) in PREPOSITIONS or token.text in PRONOUNS:
            return
        if token.text in THINGS or not self._may_describe(start):
            return
        use = self.describe_use(start, start + 1, WordRole.UNREAD, "", 0.0)
        yield start + 1, _Adjectives((), (), (use,), UNKNOWN_ADJECTIVE)

    def _may_describe(self, start: int) -> bool:
        """Return True if an unknown word stands before a noun, and is no noun itself."""
        following = start + 1
        if following >= len(self.tokens):
            return False
        if self.lexicon.find_nouns(self.tokens, start):
            return False
        return bool(self.lexicon.find_nouns(self.tokens, following))


def _takes_plural(opening: NounOpening) -> bool:
    """Return True for "two of the", "each of the": several things have to follow."""
    single = (Determiner.EACH, Determiner.ANY, Determiner.NO, Determiner.BOTH)
    return opening.number is not None or opening.determiner in single


def list_argument_uses(said: Predication) -> tuple[WordUse, ...]:
    """List the uses of the words of what fills the slots of a predication."""
    found: list[WordUse] = []
    for argument in said.arguments.values():
        if not isinstance(argument, int):
            found.extend(list_phrase_uses(argument))
    return tuple(found)


def list_phrase_uses(phrase: Phrase) -> tuple[WordUse, ...]:
    """List the uses of the words of a noun phrase."""
    if isinstance(phrase, Coordination):
        return tuple(use for part in phrase.parts for use in list_phrase_uses(part)) + phrase.uses
    return phrase.uses
