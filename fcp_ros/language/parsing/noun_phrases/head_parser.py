# SPDX-License-Identifier: Apache-2.0
"""The nouns, names and adjectives of noun phrases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.language.english.connectives import SEQUENCE
from fcp_ros.language.english.function_words import ARTICLES, FILLERS
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.lexicon import NounMatch
from fcp_ros.language.parsing.noun_phrases.quantities import (
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
_EMPTY_ADJECTIVES = gather_words(
    "necessary needed required respective corresponding usual own actual following "
    "available existing present whole entire various different individual appropriate"
)
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
_THING_NOUNS = frozenset(["thing", "things", "stuff", "object", "objects"])


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
        determiner, number, other = opening.determiner, opening.number, opening.other
        blank = NounPhrase(start, place, Reference.ONE, determiner, number, False, other=other)
        yield from self.read_set_head(start, place, opening)
        if place < len(self.tokens):
            for match in self.lexicon.find_nouns(self.tokens, place, self._similarity):
                head = match.head
                if match.end == place + 1 and self.get_text(place) in _THING_NOUNS:
                    continue
                degree = match.degree * self._rate_head(match, place)
                if self.is_set_needed(opening.end, place) and self.is_part_noun(head):
                    degree *= _PART_OF_NOTHING
                yield from self._read_named(place, match, blank)
                shown = head.name if isinstance(head, ElementName) else head.said
                meaning = f"{shown}, {match.note}" if match.note else shown
                use = self.describe_use(place, match.end, WordRole.THING, meaning, match.degree)
                yield from self._close_many(
                    match.end,
                    replace(blank, head=head, plural=match.plural, uses=(use,), degree=degree),
                    opening,
                )
            text = self.get_text(place)
            if place > start and self._is_unknown(place):
                use = self.describe_use(place, place + 1, WordRole.UNREAD, "", 0.0)
                yield (
                    place + 1,
                    replace(blank, head=Reference.THING, uses=(use,), degree=UNKNOWN_NOUN),
                )
            if text in _THING_NOUNS:
                use = self.describe_use(place, place + 1, WordRole.THING, "thing")
                yield from self._close_many(
                    place + 1,
                    replace(blank, head=Reference.THING, plural=text.endswith("s"), uses=(use,)),
                    opening,
                )
            if _CONTENTS in (text, self.get_text(place + 1)):
                yield from self._read_contents(place, blank)
            if text in ("one", "ones", "others") and place > start:
                use = self.describe_use(place, place + 1, WordRole.THING)
                rest = Determiner.REST if text == "others" else determiner
                yield (
                    place + 1,
                    replace(blank, determiner=rest, plural=text != "one", uses=(use,)),
                )
            if opening.partitive and text in ("them", "these", "those", "it"):
                use = self.describe_use(place, place + 1, WordRole.THING)
                yield place + 1, replace(blank, head=Reference.THEM, plural=True, uses=(use,))
        if place == opening.end and opening.end > start and not opening.partitive:
            alone = determiner in (
                Determiner.ALL,
                Determiner.BOTH,
                Determiner.EACH,
                Determiner.REST,
                Determiner.NO,
            )
            if determiner is Determiner.REST:
                yield place, replace(blank, plural=True)
            elif alone or (number is not None and determiner is Determiner.A):
                yield place, replace(blank, head=Reference.THEM, plural=True, degree=0.9)

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
        if self.get_text(match.end) in ("items", "things", "objects", "products"):
            use = self.describe_use(place, match.end + 1, WordRole.THING, match.head.said)
            yield match.end + 1, replace(blank, head=match.head, plural=True, uses=(use,))
        for named in self.lexicon.find_nouns(self.tokens, match.end):
            if isinstance(named.head, ElementName) and named.head.name in match.head.members:
                use = self.describe_use(place, named.end, WordRole.THING, named.head.name)
                yield named.end, replace(blank, head=named.head, uses=(use,))

    def _rate_head(self, match: NounMatch, place: int) -> float:
        """Rate a noun lower if the scene has none, or if its first word is a state."""
        if isinstance(match.head, ElementName):
            return 1.0
        degree = 1.0 if match.head.members else _ABSENT
        described = match.end > place + 1 and self.get_text(place) in self.patterns.states
        if described and self.lexicon.find_nouns(self.tokens, place + 1):
            degree *= _STATE_IN_LABEL
        return degree

    def _is_unknown(self, place: int) -> bool:
        """Return True if a word is neither a noun nor one of the words of every domain."""
        token = self.tokens[place]
        if token.kind is not TokenKind.WORD or self.lexicon.find_nouns(self.tokens, place):
            return False
        text = token.text
        closed = text in FILLERS or (text,) in SEQUENCE or (text,) in PREPOSITIONS
        return not (closed or text in PRONOUNS or text in THINGS or text in _THING_NOUNS)

    def _close_many(
        self, end: int, phrase: NounPhrase, opening: NounOpening
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "as possible" behind "as many mugs"."""
        if not opening.many:
            yield end, phrase
        elif match_words(self.tokens, end, ("as", "possible")):
            use = self.describe_use(end, end + 2, WordRole.QUANTITY)
            yield end + 2, replace(phrase, uses=(*phrase.uses, use))
        elif match_words(self.tokens, end, ("as", "you", "can")):
            use = self.describe_use(end, end + 3, WordRole.QUANTITY)
            yield end + 3, replace(phrase, uses=(*phrase.uses, use))

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


def list_phrase_uses(phrase: Phrase) -> tuple[WordUse, ...]:
    """List the uses of the words of a noun phrase."""
    if isinstance(phrase, Coordination):
        return tuple(use for part in phrase.parts for use in list_phrase_uses(part)) + phrase.uses
    return phrase.uses
