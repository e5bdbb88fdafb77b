# SPDX-License-Identifier: Apache-2.0
"""States, places and purposes that are said of something."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from fcp_ros.language.english.function_words import PREPOSITIONS, SEQUENCE
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.meanings import match_word
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import (
    DEEPEST,
    MOST_TREES,
    PatternMatcher,
)
from fcp_ros.language.parsing.noun_phrases.quantities import match_words
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    NounPhrase,
    Predication,
    Reference,
)
from fcp_ros.language.reading import WordRole

_WHOLE_PLACE = 0.8
"""Degree of "inside" for a place that was said itself, not what is there."""
_LOOSE = gather_words("somewhere anywhere someplace right straight directly safely up down over")
"""Words before a preposition without a meaning of their own."""
_VAGUE_HEADS = (Reference.THING, Reference.ONE)
_STANDING = PhraseSet("(standing|lying|sitting|placed|located|kept)")
NOW = PhraseSet(
    "[right] now",
    "at (the moment|present|the beginning)",
    "(so far|currently|already|before)",
    "(initially|originally)",
)
WHERE = "where"
"""Preposition of a place that is that of something else."""
_PLACE_NOUNS = PhraseSet("[old|current|present] place", "(spot|position|location)")
_PLACE_NAMES = PhraseSet(
    "[the [same|very]] [old|current|present] place", "[the [same|very]] (spot|position|location)"
)
_EXCEPT = PhraseSet("[but] not", "(except [for]|but|other than|apart from|besides)")
_IS_SOMEWHERE = BEING | gather_words("stands stand lies lie sits sit stood lay sat 's")
_BE = BEING | gather_words("be been being 's")


class ModifierParser(PatternMatcher):
    """A chart of what may be said of something from a token on."""

    def parse_modifiers(self, start: int, depth: int = 0) -> list[tuple[int, Predication]]:
        """Return what may be said of something from a token on: states, places, purposes."""
        key = (start, depth)
        if start >= len(self.tokens) or depth > DEEPEST + 1:
            return []
        if key not in self._modifiers:
            self._modifiers[key] = []
            self._check()
            found = list(self._parse_places(start, depth))
            found += self._parse_patterns(start, depth)
            found.sort(key=lambda pair: (-pair[1].degree, -pair[0]))
            self._modifiers[key] = found[: 2 * MOST_TREES]
        return self._modifiers[key]

    def _parse_places(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        yield from self._parse_loose_place(start, depth)
        yield from self._parse_there(start)
        yield from self._parse_bare_preposition(start)
        yield from self._parse_places_of(start, depth)
        yield from self._parse_elsewhere(start, depth)
        yield from self._parse_either_place(start, depth)
        yield from self._parse_prepositional(start, depth)

    def _parse_loose_place(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "somewhere in the kitchen" and the like."""
        following = self.get_text(start + 1)
        placed = (following,) in PREPOSITIONS or following in _LOOSE
        if self.get_text(start) in _LOOSE and placed:
            use = self.describe_use(start, start + 1, WordRole.FILLER)
            for end, said in self.parse_modifiers(start + 1, depth):
                if said.preposition:
                    yield end, replace(said, uses=(use, *said.uses))

    def _parse_there(self, start: int) -> Iterator[tuple[int, Predication]]:
        """Read "there", "back there", "in here with me"."""
        for word, reference in (("there", Reference.THERE), ("here", Reference.HERE)):
            before = next(
                (w for w in ("back", "in", "on") if match_words(self.tokens, start, (w, word))), ""
            )
            if self.get_text(start) != word and not before:
                continue
            end = start + (2 if before else 1)
            if word == "here" and match_words(self.tokens, end, ("with", "me")):
                end += 2
            use = self.describe_use(start, end, WordRole.THING, word)
            place = NounPhrase(start, end, reference, Determiner.THE)
            preposition = before if before in ("in", "on") else "at"
            said = Predication(None, {PLACE: place}, THEME, preposition, uses=(use,))
            yield end, replace(said, degree=0.97)

    def _parse_bare_preposition(self, start: int) -> Iterator[tuple[int, Predication]]:
        """Read "inside", "in", "on" at the end of a clause: in or on what was spoken of."""
        if self.get_text(start) in ("inside", "in", "on") and self.ends_clause(start + 1):
            use = self.describe_use(start, start + 1, WordRole.THING, "there")
            preposition = PREPOSITIONS[(self.get_text(start),)]
            # a shelf that was brought somewhere, rather than the room where it was brought
            for head, degree in ((Reference.IT, 0.9), (Reference.THERE, _WHOLE_PLACE)):
                place = NounPhrase(start, start + 1, head, Determiner.THE)
                said = Predication(None, {PLACE: place}, THEME, preposition, uses=(use,))
                yield start + 1, replace(said, degree=degree)

    def _parse_prepositional(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read a preposition of place with its noun phrase."""
        for after, preposition in self.match_preposition(start):
            if preposition in ("for", "with"):
                continue
            use = self.describe_use(start, after, WordRole.ACTION, self.get_text(start))
            for end, phrase in self.parse_phrases(after, depth + 1):
                is_vague = isinstance(phrase, NounPhrase) and phrase.head in _VAGUE_HEADS
                if is_vague and preposition == "to":
                    continue
                yield (
                    end,
                    Predication(
                        None,
                        {PLACE: phrase},
                        THEME,
                        preposition,
                        source=preposition == "from",
                        degree=phrase.degree,
                        uses=(use,),
                    ),
                )

    def _parse_either_place(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "(either) on the couch or on the table"."""
        if not self._has_alternative:
            return
        opened = start + (self.get_text(start) == "either")
        for after, preposition in self.match_preposition(opened):
            if preposition in ("for", "with", "from"):
                continue
            for end, first in self.parse_simple(after, depth + 1):
                if self.get_text(end) != "or":
                    continue
                for again, same in self.match_preposition(end + 1):
                    if same != preposition:
                        continue
                    for last, second in self.parse_simple(again, depth + 1):
                        where = Coordination(
                            (first, second), True, (), first.degree * second.degree
                        )
                        use = self.describe_use(opened, after, WordRole.ACTION, preposition)
                        joint = self.describe_use(end, again, WordRole.ACTION, "or")
                        said = Predication(None, {PLACE: where}, THEME, preposition)
                        yield last, replace(said, uses=(use, joint), degree=where.degree)

    @cached_property
    def _has_alternative(self) -> bool:
        return any(token.text == "or" for token in self.tokens)

    def _parse_elsewhere(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "anywhere except on the table": not there."""
        if self.get_text(start) not in ("anywhere", "somewhere", "elsewhere"):
            return
        place = start + 1 + (self.get_text(start + 1) == "else")
        end = _EXCEPT.find_end(self.tokens, place)
        if end == place:
            return
        use = self.describe_use(start, end, WordRole.LIMIT, "not")
        for after, said in self._parse_places(end, depth):
            if said.preposition and not said.source:
                yield after, replace(said, negated=True, uses=(use, *said.uses))
        for after, phrase in self.parse_phrases(end, depth + 1):
            said = Predication(None, {PLACE: phrase}, THEME, "from", True, uses=(use,))
            yield after, replace(said, degree=phrase.degree)

    def _parse_places_of(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "where the mug is now", "in the mug's place", "to the place of the mug"."""
        prepositions = [after for after, _ in self.match_preposition(start)]
        for place in dict.fromkeys((start, *prepositions)):
            named = _PLACE_NAMES.find_end(self.tokens, place)
            if named > place and self.get_text(named) in ("of", "as"):
                for end, phrase in self.parse_simple(named + 1, depth + 1):
                    yield from self._make_place_of(start, end, phrase)
            if self.get_text(named) == "where":
                for end, phrase, _ in self.parse_whereabouts(named + 1, depth):
                    yield from self._make_place_of(start, end, phrase)
            if place > start and self._has_genitive:
                for end, phrase in self.parse_simple(place, depth + 1):
                    owned = _PLACE_NOUNS.find_end(self.tokens, end + 1)
                    if self.get_text(end) == "'s" and owned > end + 1:
                        yield from self._make_place_of(start, owned, phrase)

    @cached_property
    def _has_genitive(self) -> bool:
        return any(token.text == "'s" for token in self.tokens)

    def _make_place_of(
        self, start: int, end: int, phrase: NounPhrase
    ) -> Iterator[tuple[int, Predication]]:
        if phrase.head in (Reference.IT, Reference.THEM, Reference.ONE, Reference.SPEAKER):
            return  # back to its own place; to who speaks
        use = self.describe_use(start, end, WordRole.ACTION, "where something is")
        yield (
            end,
            Predication(
                None, {PLACE: phrase}, THEME, WHERE, degree=phrase.degree * 0.98, uses=(use,)
            ),
        )

    def parse_whereabouts(self, start: int, depth: int) -> Iterator[tuple[int, NounPhrase, str]]:
        """Yield "the mug is now", "the mug stands on": its end, the thing and the preposition."""
        for end, phrase in self.parse_simple(start, depth + 1):
            if self.get_text(end) not in _IS_SOMEWHERE:
                continue
            place = _STANDING.find_end(self.tokens, end + 1)
            yield place, phrase, ""
            if NOW.find_end(self.tokens, place) > place:
                yield NOW.find_end(self.tokens, place), phrase, ""
            for after, preposition in self.match_preposition(place):
                if preposition in ("in", "on", "at"):
                    yield after, phrase, preposition

    @abstractmethod
    def parse_simple(self, start: int, depth: int = 0) -> list[tuple[int, NounPhrase]]:
        """Return the noun phrases with one head that begin at a token."""

    def ends_clause(self, place: int) -> bool:
        """Return True if a clause may end before a token."""
        if place >= len(self.tokens) or self.tokens[place].kind is TokenKind.MARK:
            return True
        return (self.get_text(place),) in SEQUENCE

    def _parse_patterns(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        negated = self.get_text(start) == "not"
        first = start + negated
        for word in self._list_first_words(first):
            phrases = self.patterns.find_modifiers(word)
            for pattern, match in self.match_phrases(phrases, first, depth):
                uses = match.uses
                if negated:
                    use = self.describe_use(start, first, WordRole.LIMIT, "not")
                    uses = (use, *uses)
                yield (
                    match.end,
                    Predication(
                        pattern.meaning,
                        match.arguments,
                        pattern.subject,
                        negated=negated,
                        # "I want the mug washed" says what it shall be, not which one it is
                        attributive=pattern.is_adjective and self.get_text(start - 1) in _BE,
                        degree=pattern.degree * match.degree,
                        uses=uses,
                    ),
                )

    def _list_first_words(self, start: int) -> list[str]:
        """List the words that a modifier may begin with at a token."""
        text = self.get_text(start)
        if not text or self.tokens[start].kind is not TokenKind.WORD:
            return []
        found = [text] if text in self.patterns.modifiers else []
        if self._match_ability(start) > start and "to" in self.patterns.modifiers:
            found.append("to")
        if not found:
            found = [w for w in self.patterns.modifiers if w != text and match_word(text, w)]
            near = self.lexicon.is_near_phrase_word(text)
            if not found and near in self.patterns.modifiers:
                found = [near]
        return found
