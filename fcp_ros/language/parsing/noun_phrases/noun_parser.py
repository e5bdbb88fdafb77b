# SPDX-License-Identifier: Apache-2.0
"""Noun phrases and what is said of them, as a chart: all trees of a span, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from fcp_ros.language.parsing.noun_phrases.head_parser import PRONOUNS, THINGS
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import DEEPEST, MOST_TREES
from fcp_ros.language.parsing.noun_phrases.quantities import (
    NounOpening,
    match_words,
    read_openings,
)
from fcp_ros.language.parsing.noun_phrases.relative_parser import RelativeParser
from fcp_ros.language.parsing.trees import (
    Coordination,
    Determiner,
    ElementName,
    NounPhrase,
    Phrase,
    Reference,
)
from fcp_ros.language.reading import WordRole

MOST_OF_LENGTH = 4
"""Trees that are kept of one span."""
_REST_JOINED = 0.85
"""Degree of "the mug and the others" as one phrase."""
_PLACED_JOINED = 0.9
"""Degree of "the cups in the kitchen and the dishes" as one phrase."""
_AnyPhrase = TypeVar("_AnyPhrase", bound=Phrase)


class NounParser(RelativeParser):
    """A chart of the noun phrases of one sentence."""

    def parse_phrases(self, start: int, depth: int = 0) -> list[tuple[int, Phrase]]:
        """Return the noun phrases, also joined ones, that begin at a token."""
        key = (start, depth)
        if key not in self._phrases:
            self._phrases[key] = []  # a circle finds nothing
            self._check()
            found: list[tuple[int, Phrase]] = list(self.parse_simple(start, depth))
            found += self._join_phrases(start, depth)
            self._phrases[key] = _keep_best(found)
        return self._phrases[key]

    def _join_phrases(self, start: int, depth: int) -> Iterator[tuple[int, Phrase]]:
        """Yield phrases that are joined by commas, "and" and "or"."""
        skipped = 1 if self.get_text(start) in ("both", "either") else 0
        chains: list[tuple[int, tuple[NounPhrase, ...], bool, bool]] = [
            (end, (first,), False, False)
            for end, first in self.parse_simple(start + skipped, depth)
        ]
        for _ in range(24):
            longer = []
            for end, parts, closed, alternative in chains:
                if closed:
                    continue
                for place, last, either in self._read_joint(end):
                    for after, part in self.parse_simple(place, depth):
                        longer.append((after, (*parts, part), last, either or alternative))
            if not longer:
                return
            longer.sort(key=lambda c: (-_multiply(p.degree for p in c[1]), -c[0]))
            chains = longer[:MOST_TREES]
            for end, parts, closed, alternative in chains:
                if closed:
                    shared = _share_determiner(parts)
                    degree = _multiply(part.degree for part in parts)
                    alternative = alternative and parts[0].determiner is not Determiner.NO
                    if any(_is_placed(part) for part in parts[:-1]):
                        degree *= _PLACED_JOINED
                    if any(part.determiner is Determiner.REST for part in parts[1:]):
                        degree *= _REST_JOINED
                    yield end, Coordination(shared, alternative, (), degree)
            chains += [
                (end, parts, False, alternative)
                for end, parts, closed, alternative in chains
                if closed and self.get_text(end) in ("and", "or")
            ]

    def _read_joint(self, start: int) -> Iterator[tuple[int, bool, bool]]:
        """Yield where the next part begins, True if it is the last one, True for "or"."""
        text, following = self.get_text(start), self.get_text(start + 1)
        if text == "," and following in ("and", "or"):
            yield start + 2, True, following == "or"
        elif text == ",":
            yield start + 1, False, False
        elif text in ("and", "or", "&"):
            skip = 2 if following == "also" else 1
            yield start + skip, True, text == "or"
        elif match_words(self.tokens, start, ("as", "well", "as")):
            yield start + 3, True, False
        elif text == "plus":
            yield start + 1, True, False

    def parse_simple(self, start: int, depth: int = 0) -> list[tuple[int, NounPhrase]]:
        """Return the noun phrases with one head that begin at a token."""
        key = (start, depth)
        if start >= len(self.tokens) or depth > DEEPEST:
            return []
        if key not in self._simple:
            self._simple[key] = []
            self._check()
            found = list(self._parse_pronoun(start, depth))
            for opening in read_openings(self.tokens, start):
                found += self._parse_opened(start, opening, depth)
            self._simple[key] = _keep_best(found)
        return self._simple[key]

    def _parse_pronoun(self, start: int, depth: int) -> Iterator[tuple[int, NounPhrase]]:
        text = self.get_text(start)
        if text in PRONOUNS and not self._begins_noun(start):
            use = self.describe_use(start, start + 1, WordRole.THING)
            plural = PRONOUNS[text] is Reference.THEM
            phrase = NounPhrase(
                start, start + 1, PRONOUNS[text], Determiner.THE, None, plural, uses=(use,)
            )
            yield from self._extend(phrase, depth, bare=True)
        if text in THINGS:
            end = start + 1
            determiner = THINGS[text]
            other = self.get_text(end) == "else"
            use = self.describe_use(start, end + other, WordRole.THING, "")
            if other and determiner is Determiner.ALL:
                determiner = Determiner.REST
            phrase = NounPhrase(
                start,
                end + other,
                Reference.THING,
                determiner,
                None,
                False,
                other=other,
                uses=(use,),
            )
            yield from self._extend(phrase, depth)
            if determiner is Determiner.ALL and not other:
                for after, parts in self.read_set_behind(start, end):
                    yield from self._extend(replace(parts, end=after), depth)
            for after, adjectives in self._read_adjectives(end + other, 1):
                if after > end + other:
                    yield from self._extend(
                        replace(
                            phrase,
                            end=after,
                            qualities=adjectives.qualities,
                            uses=(*phrase.uses, *adjectives.uses),
                            degree=adjectives.degree,
                        ),
                        depth,
                    )

    def _begins_noun(self, start: int) -> bool:
        """Return True if "this", "that", "her" ... has a noun behind it."""
        text = self.get_text(start)
        if text not in ("this", "that", "these", "those", "her"):
            return False
        return any(
            self.lexicon.find_nouns(self.tokens, place)
            for place in range(start + 1, min(start + 3, len(self.tokens)))
        )

    def _parse_opened(
        self, start: int, opening: NounOpening, depth: int
    ) -> Iterator[tuple[int, NounPhrase]]:
        uses = self.list_uses(opening.quantity, WordRole.QUANTITY)
        if opening.determiner is Determiner.ONLY:  # no goal says that nothing else is done
            use = self.describe_use(start, start + 1, WordRole.UNREAD, "", 0.0)
            uses = [use, *uses[1:]]
            opening = replace(opening, determiner=Determiner.THE)
        uses += [
            self.describe_use(i, i + 1, WordRole.FILLER)
            for i in range(start, opening.end)
            if i not in opening.quantity
        ]
        for place, adjectives in self._read_adjectives(opening.end, 3):
            for end, phrase in self._read_head(start, place, opening):
                whole = replace(
                    phrase,
                    start=start,
                    end=end,
                    qualities=(*adjectives.qualities, *phrase.qualities),
                    attributes=adjectives.attributes,
                    uses=(*uses, *adjectives.uses, *phrase.uses),
                    degree=phrase.degree * adjectives.degree,
                )
                yield from self._extend(whole, depth)


def _is_placed(phrase: NounPhrase) -> bool:
    """Return True if it is said where something is."""
    return any(said.preposition for said in phrase.qualities)


def _share_determiner(parts: tuple[NounPhrase, ...]) -> tuple[NounPhrase, ...]:
    """Give a determiner to parts that have none: "the kitchen and living room"."""
    first, *rest = parts
    given: list[NounPhrase] = [first]
    for part in rest:
        bare = part.determiner is Determiner.BARE and part.number is None
        singular = not part.plural and not isinstance(part.head, ElementName)
        sharing = (Determiner.THE, Determiner.ALL, Determiner.NO)
        if bare and (singular or first.determiner in sharing):
            part = replace(part, determiner=given[-1].determiner)
        given.append(part)
    return tuple(given)


def _multiply(degrees: Iterator[float] | Sequence[float]) -> float:
    product = 1.0
    for degree in degrees:
        product *= degree
    return product


def _keep_best(found: list[tuple[int, _AnyPhrase]]) -> list[tuple[int, _AnyPhrase]]:
    """Keep the best phrases, and of each length at least a few."""
    found.sort(key=lambda pair: (-pair[1].degree, -pair[0]))
    kept: list[tuple[int, _AnyPhrase]] = []
    of_end: dict[int, int] = {}
    for end, phrase in found:
        if of_end.get(end, 0) < MOST_OF_LENGTH and len(kept) < 2 * MOST_TREES:
            of_end[end] = of_end.get(end, 0) + 1
            kept.append((end, phrase))
    return kept
