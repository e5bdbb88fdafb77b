# SPDX-License-Identifier: Apache-2.0
"""Phrases of the domain that say something of a thing: "with a handle", "that I can drink from"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fcp_ros.domain.model import TEXT
from fcp_ros.domain.phrases import NUMBER, PhraseSlot, PhraseWord
from fcp_ros.language.english.function_words import ARTICLES
from fcp_ros.language.english.inflection import list_stems, write_gerund
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.meanings import SpokenPattern
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.quantities import MOST_NUMBER, read_number
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    Argument,
    Coordination,
    NounPhrase,
    Phrase,
    Predication,
    Words,
)
from fcp_ros.language.parsing.word_uses import list_phrase_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

PARTNERS = gather_words("i you we there one")
"""Subjects of clauses that say what things are good for, or that they can be found."""
_ABLE = frozenset(["can", "could", "may"])
_OPENING = gather_words("the a an my your this that these those")

Read = Callable[[Word, str, int], Phrase | None]
"""Reads the noun phrase of a head for a slot of a type, at a depth."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that is said of a thing.

    Attributes:
        tokens: the words that it accounts for.
    """

    qualities: tuple[Predication, ...] = ()
    attributes: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()
    tokens: frozenset[int] = frozenset()
    degree: float = 1.0

    def add_to(self, phrase: NounPhrase) -> NounPhrase:
        """Return a phrase of which this is said, too."""
        return replace(
            phrase,
            qualities=(*phrase.qualities, *self.qualities),
            attributes=(*phrase.attributes, *self.attributes),
            uses=(*phrase.uses, *self.uses),
            degree=phrase.degree * self.degree,
        )


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A match of tokens with all parts of a phrase of the domain."""

    arguments: dict[str, Argument]  # what fills its slots
    uses: tuple[WordUse, ...]  # of its own words
    degree: float  # how sure it is
    end: int  # the token behind it

    @property
    def all_uses(self) -> tuple[WordUse, ...]:
        """The uses of its own words, and of those in its slots."""
        phrases = (one for one in self.arguments.values() if not isinstance(one, int))
        return (*self.uses, *(use for one in phrases for use in list_phrase_uses(one)))


class DomainPhrases:
    """A reader of the domain's phrases behind nouns.

    Args:
        read_place: reads the place at a preposition, at a depth.
    """

    def __init__(
        self,
        nouns: NounParser,
        spans: TreeSpans,
        read: Read,
        read_place: Callable[[Word, int], Said | None],
    ) -> None:
        self._nouns = nouns
        self._use, self._get = nouns.describe_use, nouns.get_text
        self._spans = spans
        self._read = read
        self._read_place = read_place
        self._forms = [{token.text, *list_stems(token.text)} for token in nouns.tokens]

    def match(self, start: int, end: int, depth: int) -> Said | None:
        """Match the words of a constituent with a phrase of the domain; all of them or none."""
        negated = self._get(start) == "not"
        first = start + negated
        patterns = self._nouns.patterns.modifiers.get(self._get(first), ())
        best: Said | None = None
        for pattern in patterns:
            if pattern.is_place and pattern.meaning.source is MeaningSource.RELATION:
                continue
            found = self.match_pattern(pattern, first, end, depth)
            if found is None:
                continue
            rest = self._read_rest(found.end, end, depth) if found.end < end else Said()
            if rest is None:
                continue
            said = Predication(
                pattern.meaning,
                found.arguments,
                pattern.subject,
                negated=negated,
                attributive=pattern.is_adjective,
                degree=pattern.degree * found.degree,
                uses=found.uses,
            )
            if best is None or said.degree > best.degree:
                spans = frozenset(range(start, end))
                uses = (*found.all_uses, *rest.uses)
                best = Said((said, *rest.qualities), (), uses, spans, said.degree)
        return best

    def match_pattern(
        self, pattern: SpokenPattern, start: int, end: int, depth: int = 0
    ) -> PatternMatch | None:
        """Match the tokens from one on with all parts of a phrase; None if one is missing."""
        if not self._has_words(pattern, range(start, end)):
            return None
        place, degree = start, 1.0
        arguments: dict[str, Argument] = {}
        uses: list[WordUse] = []
        for part in pattern.parts:
            if place >= end:
                return None
            if isinstance(part, PhraseWord):
                if self._get(place) in ARTICLES and part.text not in ARTICLES:
                    place += 1
                if place >= end or part.text not in self._forms[place]:
                    return None
                uses.append(self._use(place, place + 1, WordRole.ACTION, part.text))
                place += 1
                continue
            assert isinstance(part, PhraseSlot)
            type_ = pattern.meaning.types.get(part.name, "")
            if type_ == NUMBER:
                number = read_number(self._nouns.tokens, place)
                if number is None or not 0 < number[1] <= MOST_NUMBER:
                    return None
                arguments[part.name] = number[1]
                uses.append(self._use(place, number[0], WordRole.QUANTITY, str(number[1])))
                place = number[0]
                continue
            if type_ == TEXT:
                if part is not pattern.parts[-1]:
                    return None
                after = self._find_purpose_end(place, end)
                text = self._write_purpose(place, after)
                if not text:
                    return None
                arguments[part.name] = NounPhrase(place, after, Words(text))
                uses.append(self._use(place, after, WordRole.QUALITY, f'"{text}"'))
                place = after
                continue
            phrase = self._read_at(place, type_, depth)
            if phrase is None:
                return None
            if isinstance(phrase, Coordination) and part is not pattern.parts[-1]:
                phrase = phrase.parts[0]  # "between the kitchen | and the hall"
            arguments[part.name] = phrase
            degree *= phrase.degree
            place = _find_end(phrase)
        return PatternMatch(arguments, tuple(uses), degree, place)

    def _has_words(self, pattern: SpokenPattern, tokens: range) -> bool:
        """Return True if the words of a phrase are there: that is known before nouns are read."""
        return all(
            any(part.text in self._forms[place] for place in tokens)
            for part in pattern.parts
            if isinstance(part, PhraseWord)
        )

    def _find_purpose_end(self, start: int, end: int) -> int:
        """Find where a purpose ends: before a place, "to eat | from the kitchen"."""
        for place in range(start + 1, end - 1):
            if (self._get(place),) in PREPOSITIONS and self._get(place + 1) in _OPENING:
                return place
        return end

    def _read_rest(self, start: int, end: int, depth: int) -> Said | None:
        """Read the place behind a purpose; None if it is none, or if more stands behind it."""
        prep = self._spans.words.get(start)
        found = self._read_place(prep, depth) if prep is not None else None
        last = max(self._spans.list_tokens(prep.place), default=-1) if prep is not None else -1
        return found if found is not None and last + 1 == end else None

    def _read_at(self, token: int, type_: str, depth: int) -> Phrase | None:
        for head in self._spans.list_heads(token):
            phrase = self._read(head, type_, depth + 1)
            if phrase is not None:
                return phrase
        return None

    def read_purpose(self, start: int, end: int) -> Said | None:
        """Read "I can drink from" as what something is good for."""
        able = self._get(start) in PARTNERS and self._get(start + 1) in _ABLE
        if not able:
            return None
        end = self._find_purpose_end(start + 2, end)
        for pattern in self._nouns.patterns.modifiers.get("to", ()):
            slot = pattern.parts[-1]
            if len(pattern.parts) != 2 or not isinstance(slot, PhraseSlot):
                continue
            text = self._write_purpose(start + 2, end)
            if pattern.meaning.types.get(slot.name) != TEXT or not text:
                continue
            words = NounPhrase(start + 2, end, Words(text))
            use = self._use(start, end, WordRole.QUALITY, f'"{text}"')
            said = Predication(
                pattern.meaning, {slot.name: words}, pattern.subject, degree=0.95, uses=(use,)
            )
            return Said((said,), (), (use,), frozenset(range(start, end)), 0.95)
        return None

    def _write_purpose(self, start: int, end: int) -> str:
        """Write a purpose: its verb as a gerund, without the preposition at its end."""
        words = [self._get(place) for place in range(start, end)]
        while len(words) > 1 and words[-1] in ("from", "with", "on", "out", "of", "in"):
            words.pop()
        words = [word for word in words if word not in ("it", "them")]
        if not words or any(word in (",", ".") for word in words):
            return ""
        if self._get(start - 1) in ("to", "can", "could", "may"):
            words[0] = write_gerund(words[0])
        return " ".join(words)


def _find_end(phrase: Phrase) -> int:
    if isinstance(phrase, Coordination):
        return max(_find_end(part) for part in phrase.parts)
    return phrase.end
