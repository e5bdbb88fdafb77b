# SPDX-License-Identifier: Apache-2.0
"""Clauses that begin with the place: "on the table I need ...", "the table should have ..."."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.function_words import PREPOSITIONS
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.remark_words import DEMANDS, UNWANTED, WANTS, WISHES
from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.adverbial_parser import DEEPEST_CLAUSE
from fcp_ros.language.parsing.clauses.ellipsis import EllipsisParser
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Determiner,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_argument_uses,
)
from fcp_ros.language.reading import WordRole

_LOCATED = 0.93
"""Degree of "in the kitchen, wipe the counter": where the thing is."""
_LISTED = 0.8
"""Degree of "on the table: two plates", without a verb."""
_INVERSE = 0.95
"""Degree of "the table should have two plates"."""
_HAVING = PhraseSet(
    "[should|must|shall|ought to|has to|have to|needs to|need to|will|is to|are to|to] "
    "(have|contain|hold|carry|get)",
    "(needs|need|requires|require|wants)",
    "(could|can) (use|do with)",
)
"""Words between a place and what shall be there."""
_ON_IT = PhraseSet(
    "(on|in|inside|upon|within) (it|them|there)", "on top [of it]", "inside", "there"
)


class FrontingParser(EllipsisParser, ABC):
    """A reader of clauses whose place comes first, and of what is said of places."""

    def _parse_places_first(self, start: int, depth: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read clauses that begin with a place, or with a thing in which others shall be."""
        if (self._get(start),) in PREPOSITIONS or self._get(start) in ("out", "next", "back"):
            for end, said in self._nouns.parse_modifiers(start):
                if said.preposition and said.preposition not in ("to", "for", "with"):
                    yield from self._parse_fronted(end, said, depth)
        for end, theme in self._nouns.parse_phrases(start):
            if not _is_person(theme):
                yield from self._parse_inverse(end, theme)

    # --- a place, then a clause

    def _parse_fronted(
        self, start: int, said: Predication, depth: int
    ) -> Iterator[tuple[int, SpokenClause]]:
        mark = self._get(start)
        place = start + 1 if mark in (",", ":") else start
        if depth < DEEPEST_CLAUSE:
            for end, clause in self.parse_clauses(place, depth + 1):
                located = _locate(clause, said)
                if located is not None:
                    yield end, located
        if said.source:
            return
        for begin, opened in self._read_openings(place):
            unwanted = UNWANTED.find_end(self._tokens, begin) > begin
            for after in self._list_placing(begin):
                for end, theme in self._nouns.parse_phrases(after):
                    clause = self._make_placed(theme, said, "put")
                    use = self._nouns.describe_use(begin, after, WordRole.ACTION, "there")
                    yield (
                        end,
                        replace(
                            clause,
                            act=Act.STATE if unwanted else clause.act,
                            negated=opened.negated != unwanted,
                            preferred=opened.preferred,
                            uses=(*opened.uses, use, *clause.uses),
                        ),
                    )
        if mark == ":":
            for end, theme in self._nouns.parse_phrases(place):
                clause = self._make_placed(theme, said, "put")
                yield end, replace(clause, act=Act.STATE, degree=clause.degree * _LISTED)

    def _list_placing(self, start: int) -> list[int]:
        """List the ends of "I need", "make sure there is", "put" at a token."""
        ends = [table.find_end(self._tokens, start) for table in (WANTS, WISHES, DEMANDS, UNWANTED)]
        if set(list_stems(self._get(start))) & PUT_VERBS:
            ends.append(start + 1)
        return [end for end in dict.fromkeys(ends) if end > start]

    # --- a thing, then what shall be on or in it

    def _parse_inverse(self, start: int, where: Phrase) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(the table) should have two plates on it"."""
        place = _HAVING.find_end(self._tokens, start)
        if place == start:
            return
        use = self._nouns.describe_use(start, place, WordRole.ACTION, "there")
        for end, theme in self._nouns.parse_phrases(place):
            after = _ON_IT.find_end(self._tokens, end)
            preposition, uses = "to", [use]
            if after > end:
                uses.append(self._nouns.describe_use(end, after, WordRole.FILLER))
                preposition = "on" if self._get(end) in ("on", "upon") else "in"
            said = Predication(None, {PLACE: where}, THEME, preposition, degree=_INVERSE)
            clause = replace(self._make_placed(theme, said, "put"), act=Act.STATE)
            yield after, replace(clause, uses=(*uses, *clause.uses))


def _is_person(phrase: Phrase) -> bool:
    """Return True for who speaks or is spoken to, and for "it"."""
    pronouns = (Reference.SPEAKER, Reference.ADDRESSEE)
    return isinstance(phrase, NounPhrase) and phrase.head in pronouns


def _locate(clause: SpokenClause, said: Predication) -> SpokenClause | None:
    """Say of the first thing of a clause where it is: "in the kitchen, wipe the counter"."""
    if len(clause.predications) != 1 or clause.act in (Act.REMARK, Act.TOPIC, Act.GO):
        return None
    first = clause.predications[0]
    slots = [THEME] if THEME in first.arguments else list(first.arguments)[:1]
    for slot in slots:
        thing = first.arguments[slot]
        if not isinstance(thing, NounPhrase) or not isinstance(thing.head, Noun):
            return None
        known = thing.determiner in (Determiner.THE, Determiner.ALL, Determiner.EACH)
        if not (known or thing.number is not None or said.source):
            return None
        longer = replace(thing, qualities=(*thing.qualities, said))
        uses = [*said.uses, *list_argument_uses(said)]
        located = replace(first, arguments={**first.arguments, slot: longer})
        degree = clause.degree * said.degree * (1.0 if said.source else _LOCATED)
        return replace(clause, predications=(located,), uses=(*clause.uses, *uses), degree=degree)
    return None
