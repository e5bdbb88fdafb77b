# SPDX-License-Identifier: Apache-2.0
"""The words between the opening of a noun phrase and its noun: states, attributes, owners."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.meanings import SpokenPattern
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import PatternMatcher
from fcp_ros.language.parsing.noun_phrases.quantities import match_words
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import NounPhrase, Predication
from fcp_ros.language.reading import WordRole, WordUse

UNKNOWN_ADJECTIVE = 0.3
"""Degree of a phrase with a word before its noun that is not known."""
_EMPTY = 0.97
"""Degree of an adjective that says nothing of a thing."""
_EMPTY_WORDS = gather_words(
    "necessary needed required respective corresponding usual actual available existing present "
    "whole entire various individual appropriate very really"
)

_CUTS = {
    "slice": ("sliced", "cut"),
    **dict.fromkeys(("piece", "chunk", "wedge"), ("cut", "sliced")),
}
"""Nouns for what was cut off, and the states that a domain may have for it."""


@dataclass(frozen=True, slots=True)
class Adjectives:
    """The things that words before a noun say of a thing.

    Attributes:
        qualities, attributes: as of a `NounPhrase`.
    """

    qualities: tuple[Predication, ...] = ()
    attributes: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()
    degree: float = 1.0

    def add_to(self, phrase: NounPhrase, end: int) -> NounPhrase:
        """Return a phrase that ends at a token, with these adjectives."""
        return replace(
            phrase,
            end=end,
            qualities=(*phrase.qualities, *self.qualities),
            attributes=(*phrase.attributes, *self.attributes),
            uses=(*phrase.uses, *self.uses),
            degree=phrase.degree * self.degree,
        )

    def join(self, other: Adjectives) -> Adjectives:
        """Return these adjectives and more."""
        return Adjectives(
            (*self.qualities, *other.qualities),
            (*self.attributes, *other.attributes),
            (*self.uses, *other.uses),
            self.degree * other.degree,
        )


class AdjectiveParser:
    """A reader of adjectives.

    Args:
        chart: knows the tokens and the domain.
    """

    def __init__(self, chart: PatternMatcher, spans: TreeSpans) -> None:
        self._chart = chart
        self._spans = spans
        self._tokens = chart.tokens
        self._lexicon = chart.lexicon
        self._get = chart.get_text
        self._use = chart.describe_use

    def describe(self, start: int, end: int, most: int = 4) -> Iterator[Adjectives]:
        """Yield what the words from one token up to another one say of a thing."""
        if start == end:
            yield Adjectives()
            return
        if most == 0:
            return
        if self._get(start) in (",", "and"):
            use = self._use(start, start + 1, WordRole.FILLER)
            for more in self.describe(start + 1, end, most):
                yield Adjectives(uses=(use,)).join(more)
            return
        for after, one in self.read(start):
            if after <= end:
                for more in self.describe(after, end, most - 1):
                    yield one.join(more)

    def read(self, start: int) -> Iterator[tuple[int, Adjectives]]:
        """Yield what the words that begin at a token may say as one adjective, and their end."""
        text, known = self._get(start), False
        negated = text == "not"
        first = start + negated
        for pattern in self._chart.patterns.modifiers.get(self._get(first), ()):
            words = [p.text for p in pattern.parts if isinstance(p, PhraseWord)]
            fits = pattern.is_adjective and not pattern.finite
            if fits and match_words(self._tokens, first, words):
                known, end = True, first + len(words)
                yield end, self._describe_state(pattern, start, end, negated)
        if self._lexicon.find_attribute(text):
            known = True
            use = self._use(start, start + 1, WordRole.QUALITY, text)
            yield start + 1, Adjectives((), (text,), (use,))
        if known:
            return
        if text in _EMPTY_WORDS:
            use = self._use(start, start + 1, WordRole.FILLER)
            yield start + 1, Adjectives(uses=(use,), degree=_EMPTY)
            return
        if text not in FILLERS and self._tokens[start].kind is TokenKind.WORD:
            use = self._use(start, start + 1, WordRole.UNREAD, "", 0.0)
            yield start + 1, Adjectives(uses=(use,), degree=UNKNOWN_ADJECTIVE)

    def read_cut(self, noun: str, start: int, end: int) -> Adjectives | None:
        """Read the tokens of "slice (of)" as the state that the domain calls sliced or cut."""
        states = self._chart.patterns.states
        known = (states[word] for word in _CUTS.get(noun, ()) if word in states)
        pattern = next(known, None)
        return None if pattern is None else self._describe_state(pattern, start, end)

    def _describe_state(
        self, pattern: SpokenPattern, start: int, end: int, negated: bool = False
    ) -> Adjectives:
        use = self._use(start, end, WordRole.QUALITY, pattern.meaning.name)
        said = Predication(
            pattern.meaning,
            {},
            pattern.subject,
            negated=negated,
            attributive=True,
            degree=pattern.degree,
        )
        return Adjectives((said,), (), (use,))
