# SPDX-License-Identifier: Apache-2.0
"""The words of a sentence that a reading has used, and the price of those that it has not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.trees import (
    Coordination,
    NounPhrase,
    Phrase,
    Predication,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole, WordUse

SKIPPED = Confidence.NOT.degree
"""Degree of a reading for each word that it has no use for (see `confirmation`)."""
_LOGICAL = frozenset(["then", "there", "here", "or"])
"""Fillers that say something where nothing has read them."""
_PLAIN = FILLERS | gather_words(
    "ready but you i we me us please kindly now then could would can will thanks thank okay ok hey "
    "hi hello robot also too so let go going come want need like get got been being were"
)


def account_words(
    sentence: Sentence,
    tokens: Sequence[Token],
    places: range,
    matters: Callable[[int], bool],
) -> Sentence:
    """Rate the words that a reading has no use for.

    Args:
        sentence: the reading.
        tokens: of the sentence.
        places: of the tokens that are accounted for now.
        matters: True for the place of a word that names something of the domain.
    """
    uses = list(collect_uses(sentence))
    degree, unread, fillers = sentence.degree, list(sentence.unread), list[WordUse]()
    for place in places:
        token = tokens[place]
        covered = any(use.start <= token.start and token.end <= use.end for use in uses)
        if covered or token.kind is TokenKind.MARK:
            continue
        said = token.text in _LOGICAL or matters(place)
        if token.text in _PLAIN and not said:
            fillers.append(WordUse(token.start, token.end, WordRole.FILLER))
        else:
            unread.append(place)
            degree *= SKIPPED
    return replace(sentence, degree=degree, unread=tuple(unread), uses=(*sentence.uses, *fillers))


def collect_uses(sentence: Sentence) -> list[WordUse]:
    """Collect the uses of all words of a sentence."""
    found = list(sentence.uses)
    for clause in sentence.clauses:
        found += _collect_clause(clause)
    return found


def _collect_clause(clause: SpokenClause) -> Iterator[WordUse]:
    yield from clause.uses
    for said in (*clause.predications, *clause.condition):
        yield from _collect_predication(said)
    for inner in (*clause.never, *clause.via):
        yield from _collect_clause(inner)
    for proviso in clause.provisos:
        yield from proviso.uses
        yield from _collect_clause(proviso.clause)
    if clause.each is not None:
        yield from _collect_phrase(clause.each)


def _collect_predication(said: Predication) -> Iterator[WordUse]:
    yield from said.uses
    for argument in said.arguments.values():
        if isinstance(argument, (NounPhrase, Coordination)):
            yield from _collect_phrase(argument)


def _collect_phrase(phrase: Phrase) -> Iterator[WordUse]:
    yield from phrase.uses
    if isinstance(phrase, Coordination):
        for part in phrase.parts:
            yield from _collect_phrase(part)
        return
    for said in phrase.qualities:
        yield from _collect_predication(said)
    for excluded in phrase.excluded:
        yield from _collect_phrase(excluded)
