# SPDX-License-Identifier: Apache-2.0
"""Parts of an instruction beside its requests: remarks, companions, things named first."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.english.remark_words import ABOUT
from fcp_ros.language.parsing.clause_parser import ClauseParser
from fcp_ros.language.parsing.clauses.remarks import RemarkParser, asks
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.partial_sentences import (
    PartialSentence,
    Steps,
    add_clause,
    begins_sentence,
)
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Link,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse

_TOPIC = 0.95
"""Degree of a thing that is named before the clause about it."""


class AsideReader:
    """A reader of what stands beside the requests of an instruction.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser, clauses: ClauseParser) -> None:
        self._nouns = nouns
        self._clauses = clauses
        self._tokens = nouns.tokens
        self._remarks = RemarkParser(nouns)

    def read_aside(self, place: int, partial: PartialSentence) -> Steps:
        """Yield readings that go on with a remark, a companion or a thing named first."""
        yield from self._read_remark(place, partial)
        yield from self._read_companion(place, partial)
        yield from self._read_topic(place, partial)

    def _read_remark(self, place: int, partial: PartialSentence) -> Steps:
        """Read what nothing is asked by: "I'm thirsty.", "because the news is on"."""
        for remark in self._remarks.parse_remarks(place):
            sentence = add_clause(partial.sentence, remark.clause, Link.AND)
            yield remark.end, replace(partial, sentence=sentence, separated=False)

    def _read_companion(self, place: int, partial: PartialSentence) -> Steps:
        """Read "with the door closed", "(come to me) with it"."""
        sentence = partial.sentence
        if not sentence.clauses or not asks(sentence.clauses[-1]):
            return
        for companion in self._clauses.parse_companions(place, sentence.clauses[-1]):
            if not companion.ahead:
                added = add_clause(sentence, companion.clause, Link.AND)
            else:
                *clauses, last = sentence.clauses
                *links, link = sentence.links
                added = replace(
                    sentence,
                    clauses=(*clauses, companion.clause, last),
                    links=(*links, link, Link.AND),
                    degree=sentence.degree * companion.clause.degree,
                )
            yield companion.end, replace(partial, sentence=added, separated=False)

    def _read_topic(self, place: int, partial: PartialSentence) -> Steps:
        """Read "the mug and the glass, (I want both on the table)": named first, then spoken of."""
        if not begins_sentence(self._tokens, place):
            return
        start = ABOUT.find_end(self._tokens, place)
        marks = (",", ":") if start == place else (",", ":", "?", ".", "!")
        uses: tuple[WordUse, ...] = ()
        if start > place:
            uses = (self._nouns.describe_use(place, start, WordRole.FILLER),)
        for end, phrase in self._nouns.parse_phrases(start):
            if self._nouns.get_text(end) not in marks:
                continue
            pronoun = isinstance(phrase, NounPhrase) and isinstance(phrase.head, Reference)
            if pronoun and not _names_things(phrase):
                continue
            said = Predication(None, {THEME: phrase}, uses=list_phrase_uses(phrase))
            topic = SpokenClause(Act.TOPIC, (said,), uses=uses, degree=phrase.degree * _TOPIC)
            yield (
                end + 1,
                replace(partial, sentence=add_clause(partial.sentence, topic, Link.AND)),
            )


def _names_things(phrase: Phrase) -> bool:
    """Return True for "the things on the counter"."""
    return (
        isinstance(phrase, NounPhrase) and phrase.head is Reference.THING and bool(phrase.qualities)
    )
