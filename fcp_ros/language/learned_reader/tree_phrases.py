# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of a head in the tree, from the chart of noun phrases.

The chart offers all phrases that begin at a token; here those are chosen that have the words which
the tree gives to a head. What the chart doesn't know before a noun may be a state that was learned,
or a word of what things here are called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.parsing.noun_phrases.adjective_parser import UNKNOWN_ADJECTIVE
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.relative_parser import make_kind
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    THEME,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

_LEFT_OUT = 0.5
"""Degree of a phrase for each word of the tree that it leaves out."""
_LABELLED = 0.98
"""Degree of a word of labels as an adjective, below that of the whole label as a noun."""
_MOST = 8

FindState = Callable[[str, str], Predication | None]
"""Finds the state that an adjective says of things of a type."""


class TreePhrases:
    """A reader of the noun phrases of one instruction by their heads.

    Args:
        spans: of the tree whose heads are read; what belongs to a head is told by it.
    """

    def __init__(self, nouns: NounParser, spans: TreeSpans, find_state: FindState) -> None:
        self._nouns = nouns
        self._spans = spans
        self._find_state = find_state

    def read(
        self,
        head: int,
        without: frozenset[int] = frozenset(),
        beside: frozenset[int] = frozenset(),
    ) -> tuple[Phrase, ...]:
        """Return the phrases with a word of the tree as head, best first; none if it isn't known.

        Args:
            head: the place of a noun, pronoun, number or quantifier in the tree.
            without: places of subtrees that belong to something else.
            beside: places of subtrees right behind it that the tree gives to its verb, which are
                said of it nevertheless.
        """
        word = self._spans.tree.words[head]
        own = self._spans.list_own(word, without)
        for place in beside:
            own |= self._spans.list_tokens(place, without)
        own = {t for t in own if self._nouns.tokens[t].kind is not TokenKind.MARK}
        found: list[Phrase] = []
        for start in self._spans.list_starts(word):
            for end, phrase in self._nouns.parse_phrases(start):
                if word.token < end and self._has_only(word, range(start, end), own):
                    found.append(self._complete(phrase, own))
        found.sort(key=lambda one: -one.degree)
        return tuple(found[:_MOST])

    def _has_only(self, word: Word, said: range, own: set[int]) -> bool:
        """Return True if a phrase has no words of something else, but for some that count it."""
        first = min(own, default=word.token)
        others = (t for t in said if t >= first and t not in own)
        return all(self._nouns.tokens[t].kind is TokenKind.MARK for t in others)

    def _complete(self, phrase: Phrase, own: set[int]) -> Phrase:
        """Read what the chart didn't, and rate a phrase by what it leaves out."""
        phrase = self._describe_all(phrase)
        uses = list_phrase_uses(phrase)
        tokens = [self._nouns.tokens[t] for t in own]
        left = sum(not any(u.start <= t.start < u.end for u in uses) for t in tokens)
        return replace(phrase, degree=phrase.degree * _LEFT_OUT**left)

    def _describe_all(self, phrase: Phrase) -> Phrase:
        if isinstance(phrase, NounPhrase):
            return self._describe(phrase)
        parts, degree = list[Phrase](), phrase.degree
        for part in phrase.parts:
            known = self._describe_all(part)
            degree *= known.degree / part.degree
            parts.append(known)
        return replace(phrase, parts=tuple(parts), degree=degree)

    def _describe(self, phrase: NounPhrase) -> NounPhrase:
        """Read the words before a noun that were left unread."""
        noun = phrase.head
        if noun is Reference.ONE:  # "not the full one"
            noun = Noun("", (), "", self._nouns.lexicon.list_members(""))
        if not isinstance(noun, Noun):
            return phrase
        qualities, uses, degree = [*phrase.qualities], list[WordUse](), phrase.degree
        for use in phrase.uses:
            said = self._find_quality(use, noun) if use.role is WordRole.UNREAD else None
            if said is not None:
                qualities.append(said)
                degree *= said.degree / UNKNOWN_ADJECTIVE
                use = replace(use, role=WordRole.QUALITY, degree=1.0)
            uses.append(use)
        return replace(phrase, qualities=tuple(qualities), uses=tuple(uses), degree=degree)

    def _find_quality(self, use: WordUse, noun: Noun) -> Predication | None:
        """Find what an adjective says: a state, or what some of the things are labelled with."""
        text = next((t.text for t in self._nouns.tokens if t.start == use.start), "")
        state = self._find_state(text, noun.type) if noun.type else None
        labels = self._nouns.lexicon.list_labels_with(text, noun) if state is None else ()
        return Predication(make_kind(labels), {}, THEME, degree=_LABELLED) if labels else state
