# SPDX-License-Identifier: Apache-2.0
"""Words and slots of the phrases of a domain matched with the tokens of a sentence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.model import TEXT
from fcp_ros.domain.phrases import NUMBER, PhraseSlot
from fcp_ros.language.english.function_words import ARTICLES, PREPOSITIONS
from fcp_ros.language.english.inflection import list_stems, write_gerund
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import Leaf, PatternTable, PatternTrie, match_word
from fcp_ros.language.parsing.noun_phrases.quantities import MOST_NUMBER, read_number
from fcp_ros.language.parsing.trees import (
    Argument,
    ElementName,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    Words,
)
from fcp_ros.language.reading import WordRole, WordUse

MOST_TREES = 10
"""Trees that are kept of a span's beginning."""
DEEPEST = 3
"""Noun phrases within one another."""
_NO_PURPOSE = gather_words(
    "stand lie sit stay remain go where its their be the a an me us my your each every all him "
    "her them it here find see spot get fit end become"
)
_IS_KIND = 0.5
"""Degree of "to drink" as what something is good for, where it is a kind: it is what is drunk."""
_SAYS_LITTLE = 0.6
"""Degree of "to put them in": what is put there isn't said."""
_ENDS_TEXT = gather_words(
    "should must shall will would may is are be has have "
    "and then on in into onto at to from for with please before after while , . ; : ! ?"
)


@dataclass(frozen=True, slots=True)
class PartsMatch:
    """Tokens that were matched with the parts of a pattern."""

    end: int
    arguments: Mapping[str, Argument]
    uses: tuple[WordUse, ...]
    degree: float


class PatternMatcher(ABC):
    """A matcher of patterns; the noun phrases in their slots may have patterns in them again."""

    def __init__(
        self,
        tokens: Sequence[Token],
        lexicon: Lexicon,
        patterns: PatternTable,
        # the degree to which a phrase may fill a slot of a type
        fits: Callable[[Phrase, str], float],
        check: Callable[[], None],
    ) -> None:
        self.tokens = tokens
        self.lexicon = lexicon
        self.patterns = patterns
        self._fits = fits
        self._check = check
        self._near_words: dict[int, tuple[str, ...]] = {}
        self._phrases: dict[tuple[int, int], list[tuple[int, Phrase]]] = {}
        self._simple: dict[tuple[int, int], list[tuple[int, NounPhrase]]] = {}
        self._modifiers: dict[tuple[int, int], list[tuple[int, Predication]]] = {}

    def describe_use(
        self, start: int, end: int, role: WordRole, meaning: str = "", degree: float = 1.0
    ) -> WordUse:
        """Return the use of the tokens from `start` up to before `end`."""
        first, last = self.tokens[start], self.tokens[end - 1]
        return WordUse(first.start, last.end, role, meaning, degree)

    def list_uses(self, places: Sequence[int], role: WordRole, meaning: str = "") -> list[WordUse]:
        """Return the use of single tokens."""
        return [self.describe_use(i, i + 1, role, meaning) for i in places]

    def get_text(self, place: int) -> str:
        """Return the text of a token; empty after the last one."""
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def match_preposition(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield the prepositions that begin at a token, the longest first."""
        for length in (3, 2, 1):
            words = tuple(token.text for token in self.tokens[start : start + length])
            if len(words) == length and words in PREPOSITIONS:
                yield start + length, PREPOSITIONS[words]

    def fit(self, phrase: Phrase, type_: str) -> float:
        """Return the degree to which a phrase may fill a slot of a type."""
        return self._fits(phrase, type_)

    def fits_person(self, phrase: NounPhrase) -> bool:
        """Return True if a phrase may be a person."""
        if phrase.head in (Reference.SPEAKER, Reference.ADDRESSEE):
            return True
        named = isinstance(phrase.head, (Noun, ElementName))
        known = [t for t in ("person", "human") if self.lexicon.has_type(t)]
        return named and any(self._fits(phrase, type_) >= 0.9 for type_ in known)

    def leads_somewhere(self, phrase: NounPhrase) -> bool:
        """Return True if "to" behind a noun may say which is meant: "the door to the kitchen"."""
        ways = [p for p in self.patterns.places if p.preposition == "to"]
        named = isinstance(phrase.head, (Noun, ElementName))
        return named and any(self._fits(phrase, p.meaning.types[p.theme]) >= 0.9 for p in ways)

    def _match_ability(self, start: int) -> int:
        """Return the end of "I can", as in "something I can drink from"."""
        able = self.get_text(start) in ("i", "we", "you", "one", "she", "he")
        able = able and self.get_text(start + 1) in ("can", "could", "may")
        return start + 2 if able else start

    def match_phrases(
        self, phrases: PatternTrie[Leaf], start: int, depth: int, first: bool = True
    ) -> Iterator[tuple[Leaf, PartsMatch]]:
        """Match phrases with the tokens from `start` on: what they stand for, and the match.

        Args:
            depth: of the noun phrases around them.
            first: their first word is the first one of what is said.
        """
        yield from self._match_on(phrases, [PartsMatch(start, {}, (), 1.0)], depth, first)

    def _match_on(
        self, node: PatternTrie[Leaf], states: list[PartsMatch], depth: int, first: bool
    ) -> Iterator[tuple[Leaf, PartsMatch]]:
        for leaf in node.leaves:
            for state in states:
                yield leaf, state
        for word, following in self._list_next_words(node, states, first):
            found = [match for state in states for match in self._match_word(word, state, first)]
            if found:
                yield from self._match_on(following, _keep_best(found), depth, False)
        for (slot, type_, more), following in node.slots.items():
            found = [
                match
                for state in states
                for match in self._match_slot(slot, type_, state, depth, more)
            ]
            if found:
                yield from self._match_on(following, _keep_best(found), depth, False)

    def _list_next_words(
        self, node: PatternTrie[Leaf], states: Sequence[PartsMatch], first: bool
    ) -> list[tuple[str, PatternTrie[Leaf]]]:
        """List the next words of phrases that may match: a superset, without trying all."""
        if not node.words:
            return []
        wanted: set[str] = set()
        for state in states:
            place = state.end
            for at in (place, place + 1) if self.get_text(place) in ARTICLES else (place,):
                if at not in self._near_words:
                    said = self.get_text(at)
                    near = self.lexicon.is_near_phrase_word(said) if said else ""
                    self._near_words[at] = (*list_stems(said), near)
                wanted.update(self._near_words[at])
        wanted.update(node.prepositions, ("to",) if first else ())
        return [(word, node.words[word]) for word in sorted(wanted) if word in node.words]

    def _match_word(self, word: str, state: PartsMatch, first: bool) -> Iterator[PartsMatch]:
        place = state.end
        if not first and self.get_text(place) in ARTICLES and word not in ARTICLES:
            place += 1
        if place >= len(self.tokens):
            return
        said = self.tokens[place]
        if said.kind is TokenKind.QUOTED:
            return
        degree = 1.0 if match_word(said.text, word) else 0.0
        end = place + 1
        if not degree and word == "to" and first and self._match_ability(place) > place:
            end, degree = self._match_ability(place), 0.95
        if not degree and (word,) in PREPOSITIONS:
            for after, preposition in self.match_preposition(place):
                if preposition == PREPOSITIONS[(word,)]:
                    end, degree = after, 0.93
                    break
        if not degree and self.lexicon.is_near_phrase_word(said.text) == word:
            degree = 0.85
        if degree:
            meaning = word if degree == 1.0 else f'spelled "{word}"'
            use = self.describe_use(place, end, WordRole.ACTION, meaning, degree)
            skipped = []
            if place > state.end:
                skipped.append(self.describe_use(state.end, place, WordRole.FILLER))
            yield PartsMatch(
                end, state.arguments, (*state.uses, *skipped, use), state.degree * degree
            )

    def _match_slot(
        self, slot: PhraseSlot, type_: str, state: PartsMatch, depth: int, more: bool
    ) -> Iterator[PartsMatch]:
        if slot.name in state.arguments or state.end >= len(self.tokens):
            return
        if type_ == NUMBER:
            found = read_number(self.tokens, state.end)
            if found is not None and 0 < found[1] <= MOST_NUMBER:
                use = self.describe_use(state.end, found[0], WordRole.QUANTITY, str(found[1]))
                yield PartsMatch(
                    found[0],
                    {**state.arguments, slot.name: found[1]},
                    (*state.uses, use),
                    state.degree,
                )
            return
        if type_ == TEXT:
            yield from self._match_text(slot, state, more)
            return
        for end, phrase in self.parse_phrases(state.end, depth + 1 if depth else 0):
            degree = self._fits(phrase, type_) * phrase.degree
            if degree > 0.0:
                yield PartsMatch(
                    end, {**state.arguments, slot.name: phrase}, state.uses, state.degree * degree
                )

    def _match_text(self, slot: PhraseSlot, state: PartsMatch, more: bool) -> Iterator[PartsMatch]:
        """Match free words: a quoted text, or up to four words; a verb in its -ing form."""
        start = state.end
        verb = start > 0 and self.get_text(start - 1) in ("to", "can", "could", "may")
        if self.tokens[start].kind is TokenKind.QUOTED:
            ends = [start + 1]
        else:
            ends = []
            for end in range(start + 1, min(start + 5, len(self.tokens) + 1)):
                token = self.tokens[end - 1]
                if token.kind is not TokenKind.WORD or token.text in _ENDS_TEXT:
                    break
                ends.append(end)
        for end in ends:
            words = [token.text for token in self.tokens[start:end]]
            if not words or self.get_text(start) in _NO_PURPOSE:
                continue
            named = [word for word in words if word not in ("it", "them")]
            empty = len(named) < len(words) and words[0] in PUT_VERBS and len(named) == 1
            if verb:
                named[0] = write_gerund(named[0])
            text = " ".join(named)
            after = end
            while not more and self.get_text(after) in ("from", "with", "on", "out", "of", "in"):
                if after + 1 < len(self.tokens) and self.parse_phrases(after + 1, DEEPEST):
                    break
                after += 1
            degree = 1.0 if end == ends[-1] else 0.9
            degree *= _SAYS_LITTLE if empty else 1.0
            if verb and after == end and self.lexicon.find_noun(f"to {words[0]}"):
                degree *= _IS_KIND
            use = self.describe_use(start, after, WordRole.QUALITY, f'"{text}"')
            words_phrase = NounPhrase(start, after, Words(text))
            yield PartsMatch(
                after,
                {**state.arguments, slot.name: words_phrase},
                (*state.uses, use),
                state.degree * degree,
            )

    @abstractmethod
    def parse_phrases(self, start: int, depth: int = 0) -> list[tuple[int, Phrase]]:
        """Return the noun phrases, also joined ones, that begin at a token."""


def _keep_best(found: list[PartsMatch]) -> list[PartsMatch]:
    found.sort(key=lambda match: (-match.degree, -match.end))
    return found[: 2 * MOST_TREES]
