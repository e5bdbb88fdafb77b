# SPDX-License-Identifier: Apache-2.0
"""Clauses that ask for two things to change places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.noun_phrases.modifier_parser import WHERE
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Coordination,
    Determiner,
    ElementName,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Quantity,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole

_SWAP_VERBS = gather_words("swap exchange interchange switch trade change")
_ONLY_WITH_PLACES = gather_words("switch trade change")
"""Verbs that mean this only beside "places"."""
_PLACES = PhraseSet("[their] (places|positions)", "(place|spots)")
_PLACES_OF = PhraseSet("[the] (places|positions) of")
_AROUND = PhraseSet("(around|round|over)", "with (each other|one another)")
_BEFORE_VERB = gather_words("should must shall have has had to need needs be can could get got to")


def parse_swap(nouns: NounParser, start: int) -> Iterator[tuple[int, SpokenClause]]:
    """Yield the clauses at a token that ask for two things to change places.

    Args:
        nouns: the chart of noun phrases.
    """
    if set(list_stems(nouns.get_text(start))) & _SWAP_VERBS:
        yield from _parse_request(nouns, start)
    if not any(set(list_stems(token.text)) & _SWAP_VERBS for token in nouns.tokens[start:]):
        return
    for end, pair in nouns.parse_phrases(start):
        verb = end
        while nouns.get_text(verb) in _BEFORE_VERB:
            verb += 1
        swapping = set(list_stems(nouns.get_text(verb))) & _SWAP_VERBS
        if verb == end or not swapping:
            continue
        after = _PLACES.find_end(nouns.tokens, verb + 1)
        if after > verb + 1 or not swapping & _ONLY_WITH_PLACES:
            after = _AROUND.find_end(nouns.tokens, after)
            yield from _make_swap(nouns, end, after, list(_split(pair)))


def _parse_request(nouns: NounParser, start: int) -> Iterator[tuple[int, SpokenClause]]:
    """Read "swap the mug and the bowl", "exchange the mug for the bowl"."""
    named = _PLACES_OF.find_end(nouns.tokens, start + 1)
    plain = not set(list_stems(nouns.get_text(start))) & _ONLY_WITH_PLACES
    for end, first in nouns.parse_phrases(named):
        after = max(one.find_end(nouns.tokens, end) for one in (_PLACES, _AROUND))
        if plain or named > start + 1:
            yield from _make_swap(nouns, start, after, list(_split(first)), named)
        if plain and nouns.get_text(end) in ("with", "for"):
            for last, second in nouns.parse_simple(end + 1):
                yield from _make_swap(nouns, start, last, [first, second], named)


def _make_swap(
    nouns: NounParser, start: int, end: int, pair: list[Phrase], named: int = 0
) -> Iterator[tuple[int, SpokenClause]]:
    if len(pair) != 2 or not all(isinstance(one, NounPhrase) for one in pair):
        return
    one, two = (_make_definite(part) for part in pair if isinstance(part, NounPhrase))
    use = nouns.describe_use(start, named or end, WordRole.ACTION, "swap")
    uses = [use, *list_phrase_uses(one), *list_phrase_uses(two)]
    if named and end > two.end:
        uses.append(nouns.describe_use(two.end, end, WordRole.FILLER))
    said = (
        Predication(None, {THEME: one, PLACE: two}, preposition=WHERE),
        Predication(None, {THEME: two, PLACE: one}, preposition=WHERE),
    )
    yield end, SpokenClause(Act.ACHIEVE, said, uses=tuple(uses), degree=one.degree * two.degree)


def _make_definite(phrase: NounPhrase) -> NounPhrase:
    """Make the bare "shelf" of "swap locker and shelf" the one that there is."""
    bare = phrase.determiner is Determiner.BARE and not phrase.plural
    return replace(phrase, determiner=Determiner.THE) if bare else phrase


def _split(pair: Phrase) -> Iterator[Phrase]:
    if isinstance(pair, Coordination) and not pair.alternative:
        yield from pair.parts
    elif isinstance(pair, NounPhrase) and pair.plural and isinstance(pair.head, Noun):
        described = pair.qualities or pair.attributes or pair.excluded
        two = pair.number is None or pair.number == Quantity(value=2)
        for name in pair.head.members if two and not described else ():  # "the two pillows"
            yield replace(pair, head=ElementName(name), number=None, plural=False)
