# SPDX-License-Identifier: Apache-2.0
"""Sentences without places that the relations of a domain can't say: "the mug near the toaster"."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.parsing.trees import (
    Argument,
    Coordination,
    NounPhrase,
    Phrase,
    Predication,
    Sentence,
    SpokenClause,
)

LOOSENED = Confidence.LIKELY.degree
"""Degree of a sentence without what was said of a thing: a person has to say that it is meant."""
_SPATIAL = frozenset(["near", "under", "behind", "before", "above"])


def loosen_sentence(sentence: Sentence) -> Sentence | None:
    """Return a sentence without the places of its things; None if it has none.

    The words count as read: the paraphrase, which is asked about, shows what was left out.
    """
    clauses = tuple(map(_loosen_clause, sentence.clauses))
    if clauses == sentence.clauses:
        return None
    return replace(sentence, clauses=clauses, degree=sentence.degree * LOOSENED)


def _loosen_clause(clause: SpokenClause) -> SpokenClause:
    return replace(clause, predications=tuple(map(_loosen, clause.predications)))


def _loosen(said: Predication) -> Predication:
    arguments = {slot: _loosen_argument(argument) for slot, argument in said.arguments.items()}
    return replace(said, arguments=arguments)


def _loosen_argument(argument: Argument) -> Argument:
    return argument if isinstance(argument, int) else _loosen_phrase(argument)


def _loosen_phrase(phrase: Phrase) -> Phrase:
    if isinstance(phrase, Coordination):
        return replace(phrase, parts=tuple(map(_loosen_phrase, phrase.parts)))
    kept = tuple(
        said
        for said in phrase.qualities
        if said.preposition not in _SPATIAL or said.subject == "" or said.source
    )
    if kept == phrase.qualities:
        return phrase
    dropped = [said for said in phrase.qualities if said not in kept]
    uses = list(phrase.uses)
    for said in dropped:
        uses += said.uses
        for argument in said.arguments.values():
            if isinstance(argument, NounPhrase):
                uses += argument.uses
    return replace(phrase, qualities=kept, uses=tuple(uses))
