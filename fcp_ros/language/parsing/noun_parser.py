# SPDX-License-Identifier: Apache-2.0
"""Noun phrases and what is said of them, as a chart: all trees of a span, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from fcp_ros.domain.expressions.syntax import Atom, Expression, Or, Text, Variable
from fcp_ros.domain.model import IS_A
from fcp_ros.language.english.function_words import ARTICLES
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.head_parser import PRONOUNS, THINGS, HeadParser, list_phrase_uses
from fcp_ros.language.parsing.meanings import (
    Meaning,
    MeaningSource,
)
from fcp_ros.language.parsing.pattern_matcher import DEEPEST, MOST_TREES
from fcp_ros.language.parsing.quantities import (
    NounOpening,
    match_words,
    read_openings,
)
from fcp_ros.language.parsing.trees import (
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

MOST_OF_LENGTH = 4
"""Trees that are kept of one span."""
_FROM = 0.93
"""Degree of a thing "from" a place, beside a verb of taking away."""
_REST_JOINED = 0.85
"""Degree of "the mug and the others" as one phrase."""
_DISAGREEING = 0.5
"""Degree of a relative clause whose verb does not fit the number of the noun."""
_PLACED_JOINED = 0.9
"""Degree of "the cups in the kitchen and the dishes" as one phrase."""
_RELATIVES = frozenset(("that", "which", "is", "are"))
_SPOKEN_OF = frozenset(["put", "took", "brought", "set", "found", "got", "left"])
_ATTACHED = 0.98
"""Degree of a place that is said of the thing before it, beside one of the whole clause."""
EXCEPT: tuple[tuple[str, ...], ...] = (
    ("with", "the", "exception", "of"),
    ("except", "for"),
    ("apart", "from"),
    ("aside", "from"),
    ("other", "than"),
    ("but", "not"),
    ("and", "not"),
    ("not",),
    ("except",),
    ("excluding",),
    ("besides",),
    ("but",),
    ("save",),
)
"""Words before what is left out."""
_POSTURES = gather_words(
    "originally initially previously before just recently now lying standing sitting "
    "located placed left stored kept found resting hanging situated lie lies stand stands "
    "sit sits currently still already"
)
_AnyPhrase = TypeVar("_AnyPhrase", bound=Phrase)


class NounParser(HeadParser):
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

    def _extend(
        self, phrase: NounPhrase, depth: int, bare: bool = False
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Yield a noun phrase, and with what is said of it behind its head."""
        yield phrase.end, phrase
        if depth >= DEEPEST:
            return
        frontier, seen = [phrase], [phrase]
        for _ in range(2):
            longer: list[NounPhrase] = []
            for current in frontier:
                agreeing = self._rate_agreement(current)
                for end, said, uses in self._read_behind(current.end, depth, bare):
                    longer.append(
                        replace(
                            current,
                            end=end,
                            qualities=(*current.qualities, said)
                            if said.arguments or said.meaning
                            else current.qualities,
                            uses=(*current.uses, *uses),
                            degree=current.degree
                            * said.degree
                            * agreeing
                            * (_FROM if said.source else _ATTACHED),
                        )
                    )
            longer.sort(key=lambda p: (-p.degree, -p.end))
            frontier = longer[:6]
            seen += frontier
            for longer_phrase in frontier:
                yield longer_phrase.end, longer_phrase
            if not frontier:
                break
        for current in seen:
            yield from self._read_exception(current, depth)

    def _rate_agreement(self, phrase: NounPhrase) -> float:
        """Rate "the counter that are ..." lower: something else is meant."""
        comma = self.get_text(phrase.end) == ","
        said, verb = (self.get_text(phrase.end + comma + i) for i in range(2))
        if said not in ("that", "which", "who", "and") or not isinstance(phrase.head, Noun):
            return 1.0
        wrong = ("is", "was", "has") if phrase.plural else ("are", "were", "have")
        return _DISAGREEING if verb in wrong else 1.0

    def _read_behind(
        self, start: int, depth: int, bare: bool
    ) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        comma = self.get_text(start) == "," and self.get_text(start + 1) in ("that", "which")
        start += comma
        place, uses = start, list[WordUse]()
        again = self.get_text(start) == "and" and self.get_text(start + 1) in _RELATIVES
        if again and not bare:
            start += self.get_text(start + 1) in ("that", "which")
            place = start + 1
        elif self.get_text(start) in ("that", "which", "who", "whatever"):
            place = start + 1
        elif bare:
            return
        if place > start or self.get_text(place) in ("is", "are"):
            if self.get_text(place) in ("is", "are", "was", "were", "has", "have", "been"):
                place += 1
                if self.get_text(place) == "been":
                    place += 1
            elif self.get_text(start) in ("is", "are"):
                return
        negated = False
        while self.get_text(place) in ("not", *_POSTURES):
            if self.get_text(place) == "not":
                negated = True
                uses.append(self.describe_use(place, place + 1, WordRole.LIMIT, "not"))
            place += 1
        if place > start:
            uses.append(self.describe_use(start, place, WordRole.FILLER))
        if self.get_text(start) == "that" and self.get_text(start + 1) in ("you", "i", "we"):
            yield from self._read_mention(start)
        if place > start + 1:
            yield from self._read_kind(place, negated, uses)
        for end, said in self.parse_modifiers(place, depth + 1):
            if comma and self.get_text(end) == ",":
                end += 1
            direction = said.preposition == "to" or self.get_text(place) == "back"
            if direction and place == start:
                continue  # not where something is
            one = replace(said, negated=said.negated != negated)
            yield end, one, (*uses, *said.uses, *_collect_uses(said))

    def _read_kind(
        self, start: int, negated: bool, uses: Sequence[WordUse]
    ) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Read "(that are) not cups", "(that is) a mug"."""
        place = start + (self.get_text(start) in ARTICLES)
        if place >= len(self.tokens):
            return
        for match in self.lexicon.find_nouns(self.tokens, place):
            if isinstance(match.head, ElementName) or not (match.plural or place > start):
                continue
            atoms = tuple(Atom(IS_A, (Variable(THEME), Text(n))) for n in match.head.labels)
            goal: Expression = Or(atoms) if len(atoms) > 1 else atoms[0]
            meaning = Meaning(IS_A, MeaningSource.RELATION, {THEME: ""}, goal)
            said = Predication(meaning, {}, THEME, negated=negated, degree=match.degree)
            use = self.describe_use(start, match.end, WordRole.THING, match.head.said)
            yield match.end, said, (*uses, use)

    def _read_mention(self, start: int) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Read "that you just moved": it was spoken of before."""
        place = start + 2
        while self.get_text(place) in ("just", "have", "already", "had", "recently"):
            place += 1
        if self.get_text(place).endswith("ed") or self.get_text(place) in _SPOKEN_OF:
            use = self.describe_use(start, place + 1, WordRole.FILLER)
            yield place + 1, Predication(None, {}, THEME, "", degree=0.97), (use,)

    def _read_exception(self, phrase: NounPhrase, depth: int) -> Iterator[tuple[int, NounPhrase]]:
        start = phrase.end
        if self.get_text(start) == ",":
            start += 1
        single = phrase.determiner in (Determiner.THE, Determiner.A) and not phrase.plural
        if single or isinstance(phrase.head, ElementName):
            return  # nothing can be left out of it
        for words in EXCEPT:
            if match_words(self.tokens, start, words):
                place = start + len(words)
                use = self.describe_use(start, place, WordRole.LIMIT, "except")
                for end, excluded in self.parse_phrases(place, depth + 1):
                    yield (
                        end,
                        replace(
                            phrase,
                            end=end,
                            excluded=(*phrase.excluded, excluded),
                            uses=(*phrase.uses, use, *list_phrase_uses(excluded)),
                            degree=phrase.degree * excluded.degree,
                        ),
                    )
                return


def _collect_uses(said: Predication) -> tuple[WordUse, ...]:
    """Collect the uses of the words of the arguments."""
    found: list[WordUse] = []
    for argument in said.arguments.values():
        if not isinstance(argument, int):
            found.extend(list_phrase_uses(argument))
    return tuple(found)


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
