# SPDX-License-Identifier: Apache-2.0
"""Noun phrases and what is said of them, as a chart: all trees of a span, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fcp_ros.language.english.word_lists import PhraseSet, gather_phrases
from fcp_ros.language.parsing.noun_phrases.head_parser import (
    PART_NOUNS,
    PRONOUNS,
    THING_NOUNS,
    THINGS,
    list_phrase_uses,
)
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import DEEPEST, MOST_TREES
from fcp_ros.language.parsing.noun_phrases.quantities import (
    NounOpening,
    match_words,
    read_count,
    read_number,
    read_openings,
)
from fcp_ros.language.parsing.noun_phrases.relative_parser import RelativeParser
from fcp_ros.language.parsing.trees import (
    Coordination,
    Determiner,
    ElementName,
    Listed,
    NounPhrase,
    Phrase,
    Reference,
)
from fcp_ros.language.reading import WordRole, WordUse

MOST_OF_LENGTH = 4
"""Trees that are kept of one span."""
_REST_JOINED = 0.85
"""Degree of "the mug and the others" as one phrase."""
_PLACED_JOINED = 0.9
"""Degree of "the cups in the kitchen and the dishes" as one phrase."""
_ASIDE = ", along with"
"""A joint between commas."""
_ALSO = gather_phrases("as well as", "along with", "together with", "and also")
"""Words that join things like "and"."""
_WHERE_I_AM = PhraseSet(
    "where (i am|we are) [now|right now|sitting|standing|lying|at|waiting|working]"
)
_AnyPhrase = TypeVar("_AnyPhrase", bound=Phrase)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Phrases in a row, and the words between them."""

    end: int
    parts: tuple[Phrase, ...]
    joints: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()

    def add(self, end: int, part: Phrase, joint: str, uses: tuple[WordUse, ...]) -> _Chain:
        """Return the chain with one more phrase, and the words before it."""
        return _Chain(end, (*self.parts, part), (*self.joints, joint), (*self.uses, *uses))


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

    def parse_list(self, start: int, depth: int = 0) -> list[tuple[int, Phrase]]:
        """Return the lists that begin behind a colon; they may lack an "and"."""
        found = list(self._join_phrases(start, depth, open_ended=True))
        found += self.parse_simple(start, depth)
        return _keep_best(found)

    def _join_phrases(
        self, start: int, depth: int, open_ended: bool = False
    ) -> Iterator[tuple[int, Phrase]]:
        """Yield phrases that are joined by commas, "and" and "or"."""
        opened = self.get_text(start)
        skipped = opened in ("both", "either", "neither")
        chains = [_Chain(end, (one,)) for end, one in self.parse_simple(start + skipped, depth)]
        for _ in range(24):
            longer = []
            for chain in chains:
                for place, joint in self._read_joint(chain.end):
                    uses: tuple[WordUse, ...] = ()
                    if place > chain.end + 1:
                        uses = (self.describe_use(chain.end, place, WordRole.FILLER),)
                    for after, part in self._parse_part(place, depth):
                        closing = joint == _ASIDE and self.get_text(after) == ","
                        word = "and" if joint == _ASIDE else joint
                        longer.append(chain.add(after + closing, part, word, uses))
            if not longer:
                return
            longer.sort(key=lambda c: (-_multiply(p.degree for p in c.parts), -c.end))
            chains = longer[:MOST_TREES]
            for chain in chains:
                closed = chain.joints[-1] != ","
                if not closed and not (open_ended and self.ends_clause(chain.end)):
                    continue
                for phrase in _group(chain, opened):
                    yield chain.end, phrase

    def _parse_part(self, start: int, depth: int) -> Iterator[tuple[int, Phrase]]:
        """Yield the parts of a list: phrases, and groups that begin with "either" or "both"."""
        yield from self.parse_simple(start, depth)
        if self.get_text(start) in ("either", "both"):
            yield from self._join_phrases(start, depth)

    def _read_joint(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield where the next part begins, and the word that joins it."""
        text, following = self.get_text(start), self.get_text(start + 1)
        if text == "," and following in ("and", "or", "nor"):
            yield start + 2, following
        elif text == ",":
            yield start + 1, ","
        elif text in ("and", "or", "nor"):
            skip = 2 if following == "also" else 1
            yield start + skip, text
        elif text in ("&", "plus"):
            yield start + 1, "and"
        for words in _ALSO:
            comma = text == ","
            if match_words(self.tokens, start + comma, words):
                yield start + comma + len(words), _ASIDE if comma else "and"

    def parse_simple(self, start: int, depth: int = 0) -> list[tuple[int, NounPhrase]]:
        """Return the noun phrases with one head that begin at a token."""
        key = (start, depth)
        if start >= len(self.tokens) or depth > DEEPEST:
            return []
        if key not in self._simple:
            self._simple[key] = []
            self._check()
            found = list(self._parse_pronoun(start, depth))
            found += self._parse_announced(start)
            for opening in read_openings(self.tokens, start):
                found += self._parse_opened(start, opening, depth)
            self._simple[key] = _keep_best(found)
        return self._simple[key]

    def _parse_pronoun(self, start: int, depth: int) -> Iterator[tuple[int, NounPhrase]]:
        text = self.get_text(start)
        here = _WHERE_I_AM.find_end(self.tokens, start)
        if here > start:
            use = self.describe_use(start, here, WordRole.THING, "me")
            yield here, NounPhrase(start, here, Reference.SPEAKER, Determiner.THE, uses=(use,))
        if text in PRONOUNS and not self._begins_noun(start):
            use = self.describe_use(start, start + 1, WordRole.THING)
            plural = PRONOUNS[text] is Reference.THEM
            phrase = NounPhrase(
                start, start + 1, PRONOUNS[text], Determiner.THE, None, plural, uses=(use,)
            )
            yield phrase.end, phrase
            if plural and self.get_text(start + 1) in ("all", "both", "each"):
                use = self.describe_use(start, start + 2, WordRole.THING)
                yield start + 2, replace(phrase, end=start + 2, uses=(use,))
            if text in ("those", "these"):
                ones = replace(phrase, head=Reference.ONE)
                for end, described in self.extend_phrase(ones, depth):
                    if described.qualities:
                        yield end, described
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
            yield from self.extend_phrase(phrase, depth)
            if determiner is Determiner.ALL and not other:
                for after, parts in self.read_set_behind(start, end):
                    yield from self.extend_phrase(replace(parts, end=after), depth)
            for after, adjectives in self._read_adjectives(end + other, 1):
                if after > end + other:
                    yield from self.extend_phrase(
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
        uses += [
            self.describe_use(i, i + 1, WordRole.FILLER)
            for i in range(start, opening.end)
            if i not in opening.quantity
        ]
        if opening.partitive or self.get_text(opening.end) == "of":
            yield from self._parse_listed(start, opening, uses, depth)
        for place, adjectives in self._read_adjectives(opening.end, 3):
            for end, phrase in self._read_head(start, place, opening):
                whole = replace(
                    phrase,
                    start=start,
                    end=end,
                    qualities=(*adjectives.qualities, *phrase.qualities),
                    attributes=adjectives.attributes,
                    only=opening.only,
                    uses=(*uses, *adjectives.uses, *phrase.uses),
                    degree=phrase.degree * adjectives.degree,
                )
                yield from self.extend_phrase(whole, depth)

    def _parse_listed(
        self, start: int, opening: NounOpening, uses: list[WordUse], depth: int
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Read "(one of) the mug and the bowl", "(two of) these three: the mug, ..."."""
        place = opening.end + (not opening.partitive)
        found = [(end, one) for end, one in self.parse_phrases(place, depth + 1)]
        near = range(place, min(place + 6, len(self.tokens)))
        colon = next((i for i in near if self.get_text(i) in (":", ",")), 0)
        if colon and self._is_announced(place, colon):
            found += self.parse_list(colon + 1, depth + 1)
            uses = [*uses, self.describe_use(place, colon + 1, WordRole.FILLER)]
        for end, group in found:
            if not isinstance(group, Coordination):
                continue
            parts = [part for part in group.parts if isinstance(part, NounPhrase)]
            plurals = sum(part.plural for part in parts)
            every = len(parts) if opening.number is not None else 0
            if len(parts) < len(group.parts) or plurals not in (0, every):
                continue
            if colon and self.get_text(colon) == "," == self.get_text(end):
                end += 1
            yield (
                end,
                NounPhrase(
                    start,
                    end,
                    Listed(tuple(replace(part, uses=()) for part in parts)),
                    opening.determiner,
                    opening.number,
                    True,
                    uses=(*uses, *list_phrase_uses(group)),
                    degree=group.degree,
                ),
            )

    def _parse_announced(self, start: int) -> Iterator[tuple[int, NounPhrase]]:
        """Read "the following parts", "two of the following": a list comes later."""
        for opening in read_openings(self.tokens, start):
            place = opening.end
            place += self.get_text(place) in ("the", "these")
            if self.get_text(place) != "following":
                continue
            determiner, number, place = opening.determiner, opening.number, place + 1
            count = read_count(self.tokens, place)
            if count is not None:
                place, number = count[0], number or count[1]
            nouns = self.lexicon.find_nouns(self.tokens, place) if place < len(self.tokens) else []
            ends = [place, *(match.end for match in nouns if match.plural)]
            if self.get_text(place) in THING_NOUNS | PART_NOUNS:
                ends.append(place + 1)
            definite = determiner if number is not None else Determiner.THE
            for end in ends:
                use = self.describe_use(start, end, WordRole.QUANTITY)
                head = Reference.FOLLOWING
                phrase = NounPhrase(start, end, head, definite, number, True, uses=(use,))
                yield end, replace(phrase, degree=0.9 if end == place else 1.0)

    def _is_announced(self, start: int, end: int) -> bool:
        """Return True for "these two", "the following parts" before a colon or comma."""
        text = self.get_text(start)
        if text not in ("these", "those", "the", "them", "following"):
            return False
        place = start + (text != "following")
        number = read_number(self.tokens, place)
        if number is not None:
            place = number[0]
        if place == end and (number is not None or text != "the"):
            return True
        known = self.parse_simple(start, 1)
        return any(stop == end and (one.plural or one.number) for stop, one in known)


def _group(chain: _Chain, opened: str) -> Iterator[Phrase]:
    """Yield what a chain means: one group, or two where "and" and "or" are mixed."""
    parts = _share_determiner(chain.parts)
    joints = list(chain.joints)
    last = "and"
    for place in reversed(range(len(joints))):  # a comma stands for what comes next
        last = joints[place] = last if joints[place] == "," else joints[place]
    degree = _multiply(part.degree for part in parts)
    simple = [part for part in parts if isinstance(part, NounPhrase)]
    if any(map(_is_placed, simple[:-1])):
        degree *= _PLACED_JOINED
    if any(part.determiner is Determiner.REST for part in simple[1:]):
        degree *= _REST_JOINED
    if opened == "neither":
        uses = tuple(use for part in parts for use in list_phrase_uses(part))
        listed = tuple(replace(part, uses=()) for part in simple)
        yield NounPhrase(
            simple[0].start - 1,
            chain.end,
            Listed(listed),
            Determiner.NO,
            plural=True,
            uses=uses,
            degree=degree,
        )
        return
    if "or" not in joints or (simple and simple[0].determiner is Determiner.NO):
        yield Coordination(parts, False, chain.uses, degree)
        return
    if "and" not in joints:
        yield Coordination(parts, True, chain.uses, degree)
        return
    for outer in ("and", "or"):
        groups: list[list[Phrase]] = [[parts[0]]]
        for joint, part in zip(joints, parts[1:], strict=True):
            if joint == outer:
                groups.append([part])
            else:
                groups[-1].append(part)
        inner = tuple(
            Coordination(tuple(group), outer == "and") if len(group) > 1 else group[0]
            for group in groups
        )
        yield Coordination(inner, outer == "or", chain.uses, degree)


def _is_placed(phrase: NounPhrase) -> bool:
    """Return True if it is said where something is."""
    return any(said.preposition for said in phrase.qualities)


def _share_determiner(parts: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """Give a determiner to parts that have none: "the kitchen and living room"."""
    given: list[Phrase] = []
    first = before = parts[0]
    for part in parts:
        if given and isinstance(part, NounPhrase) and isinstance(first, NounPhrase):
            bare = part.determiner is Determiner.BARE and part.number is None
            singular = not part.plural and not isinstance(part.head, ElementName)
            sharing = (Determiner.THE, Determiner.ALL, Determiner.NO)
            if bare and (singular or first.determiner in sharing):
                known = before.determiner if isinstance(before, NounPhrase) else first.determiner
                part = replace(part, determiner=known)
        given.append(part)
        before = part
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
