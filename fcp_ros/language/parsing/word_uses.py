# SPDX-License-Identifier: Apache-2.0
"""The words of a sentence that a reading has used."""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.language.parsing.trees import (
    Coordination,
    NounPhrase,
    Phrase,
    Predication,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.reading import WordUse


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
    for inner in clause.never:
        yield from _collect_clause(inner)
    for proviso in clause.provisos:
        yield from proviso.uses
        yield from _collect_clause(proviso.clause)


def _collect_predication(said: Predication) -> Iterator[WordUse]:
    yield from said.uses
    for argument in said.arguments.values():
        if isinstance(argument, (NounPhrase, Coordination)):
            yield from collect_phrase_uses(argument)


def collect_phrase_uses(phrase: Phrase) -> Iterator[WordUse]:
    """Collect the uses of a phrase, with those of all that is said of it."""
    yield from phrase.uses
    if isinstance(phrase, Coordination):
        for part in phrase.parts:
            yield from collect_phrase_uses(part)
        return
    for said in phrase.qualities:
        yield from _collect_predication(said)
    for excluded in phrase.excluded:
        yield from collect_phrase_uses(excluded)


def list_phrase_uses(phrase: Phrase) -> tuple[WordUse, ...]:
    """List the uses of the words of a noun phrase."""
    if isinstance(phrase, Coordination):
        return tuple(use for part in phrase.parts for use in list_phrase_uses(part)) + phrase.uses
    return phrase.uses


def list_argument_uses(said: Predication) -> tuple[WordUse, ...]:
    """List the uses of the words of what fills the slots of a predication."""
    phrases = (one for one in said.arguments.values() if not isinstance(one, int))
    return tuple(use for phrase in phrases for use in list_phrase_uses(phrase))
