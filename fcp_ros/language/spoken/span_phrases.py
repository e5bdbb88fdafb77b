# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of spans of tokens; words that say nothing here are left unread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fcp_ros.language.english.function_words import ARTICLES, COMMON
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import (
    Coordination,
    Listed,
    NounPhrase,
    Phrase,
    Predication,
)
from fcp_ros.language.syntax import Tree, Word

_MOST = 3
"""Readings of one span."""
_ENDS = (",", "and", "or", "please")
MakeNouns = Callable[[Sequence[Token], Tree], NounParser]


class SpanPhrases:
    """A reader of the noun phrases that fill spans of tokens.

    Args:
        nouns: the chart of the whole sentence.
        make_nouns: makes a chart of fewer tokens.
        words: the word of each token in its tree.
    """

    def __init__(self, nouns: NounParser, make_nouns: MakeNouns, words: dict[int, Word]) -> None:
        self.nouns = nouns
        self._make_nouns = make_nouns
        self._words = words
        self._known: dict[tuple[int, int], tuple[Phrase, ...]] = {}

    def read(self, start: int, end: int) -> tuple[Phrase, ...]:
        """Return the phrases that fill a span, best first."""
        while end > start and self.nouns.get_text(end - 1) in _ENDS:
            end -= 1
        key = (start, end)
        if key not in self._known:
            self._known[key] = self._read(start, end)
        return self._known[key]

    def _read(self, start: int, end: int) -> tuple[Phrase, ...]:
        if start >= end:
            return ()
        found = [phrase for stop, phrase in self.nouns.parse_phrases(start) if stop == end]
        if not found:
            found = [phrase for stop, phrase in self.nouns.parse_list(start) if stop == end]
        best = max((phrase.degree for phrase in found), default=0.0)
        if best < 0.5:
            found += self._read_less(start, end)
        found.sort(key=lambda phrase: -phrase.degree)
        return tuple(found[:_MOST])

    def _read_less(self, start: int, end: int) -> list[Phrase]:
        """Read a span without the words that name nothing here."""
        unknown = [place for place in range(start, end) if self._is_omissible(place)]
        tails = self._list_tails(start, end)
        for left_out in (unknown, *(sorted({*unknown, *tail}) for tail in tails)):
            if not left_out or len(left_out) > end - start - 1:
                continue
            kept = [place for place in range(start, end) if place not in left_out]
            found = self._read_kept(kept)
            if found:
                return found
        return []

    def _read_kept(self, kept: list[int]) -> list[Phrase]:
        tokens = self.nouns.tokens
        tree = _keep_words(self.nouns.spans.tree, kept)
        chart = self._make_nouns([tokens[place] for place in kept], tree)
        bounds = [*kept, kept[-1] + 1]
        left_out = [tokens[place] for place in range(kept[0], kept[-1]) if place not in kept]
        found: list[Phrase] = []
        for stop, phrase in chart.parse_phrases(0):
            # One use over a word that was left out would say that it was understood.
            if stop == len(kept) and not _is_over(phrase, left_out):
                found.append(_renumber(phrase, bounds))
        return found

    def _is_omissible(self, place: int) -> bool:
        """Return True for a word before a noun that nothing here is called by."""
        token, word = self.nouns.tokens[place], self._words.get(place)
        if token.kind is not TokenKind.WORD or word is None or self._says_something(place):
            return False
        return word.role in ("amod", "compound", "nmod", "advmod", "npadvmod", "poss", "appos") or (
            word.role in ("conj", "cc") and self._is_beside_adjective(word)
        )

    def _is_beside_adjective(self, word: Word) -> bool:
        above = next((w for w in self._words.values() if w.place == word.head), None)
        return above is not None and above.role == "amod"

    def _says_something(self, place: int) -> bool:
        text = self.nouns.get_text(place)
        if text in COMMON or text in ARTICLES:
            return True
        lexicon = self.nouns.lexicon
        if text in self.nouns.patterns.states or lexicon.find_attribute(text):
            return True
        return bool(lexicon.find_nouns(self.nouns.tokens, place))

    def _names_something(self, place: int) -> bool:
        text = self.nouns.get_text(place)
        known = bool(self.nouns.lexicon.find_nouns(self.nouns.tokens, place))
        return text not in COMMON and text not in ARTICLES and known

    def _list_tails(self, start: int, end: int) -> list[list[int]]:
        """List what may be left out behind the head: relative clauses and places, last first."""
        tails = []
        for place in range(end - 1, start, -1):
            word = self._words.get(place)
            if word is None or word.role not in ("prep", "relcl", "acl"):
                continue
            if word.text == "of" and word.role == "prep" and place == start + 1:
                continue
            tail = list(range(place, end))
            if not any(map(self._names_something, tail)):
                tails.append(tail)
        return tails


def _is_over(phrase: Phrase, left_out: Sequence[Token]) -> bool:
    return any(
        use.start <= token.start < use.end for use in list_phrase_uses(phrase) for token in left_out
    )


def _keep_words(tree: Tree, kept: Sequence[int]) -> Tree:
    """Return the tree over some tokens, which are numbered anew."""
    places = {token: number for number, token in enumerate(kept)}
    words = [word for word in tree.words if word.token in places]
    numbers = {word.place: number for number, word in enumerate(words)}
    moved = []
    for number, word in enumerate(words):
        head = tree.words[word.head]
        while head.place not in numbers and head.head != head.place:
            head = tree.words[head.head]
        above = numbers.get(head.place, number)
        role = word.role if above != number else "ROOT"
        moved.append(replace(word, place=number, head=above, token=places[word.token], role=role))
    return Tree(tuple(moved))


def _renumber(phrase: Phrase, bounds: Sequence[int]) -> Phrase:
    """Give a phrase of fewer tokens the places that it has among all of them."""
    if isinstance(phrase, Coordination):
        return replace(phrase, parts=tuple(_renumber(part, bounds) for part in phrase.parts))
    head = phrase.head
    if isinstance(head, Listed):
        parts = [_renumber(part, bounds) for part in head.parts]
        head = Listed(tuple(part for part in parts if isinstance(part, NounPhrase)))
    return replace(
        phrase,
        start=bounds[min(phrase.start, len(bounds) - 1)],
        end=bounds[min(phrase.end, len(bounds) - 1)],
        head=head,
        qualities=tuple(_renumber_said(said, bounds) for said in phrase.qualities),
        excluded=tuple(_renumber(one, bounds) for one in phrase.excluded),
    )


def _renumber_said(said: Predication, bounds: Sequence[int]) -> Predication:
    arguments = {
        slot: argument if isinstance(argument, int) else _renumber(argument, bounds)
        for slot, argument in said.arguments.items()
    }
    return replace(said, arguments=arguments)
