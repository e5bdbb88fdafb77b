# SPDX-License-Identifier: Apache-2.0
"""Readings of the first tokens of an instruction, which go on at the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.parsing.trees import (
    Link,
    Predication,
    Proviso,
    Sentence,
    SpokenClause,
    TimeLimit,
)

BEAM = 8
"""Partial readings that are kept at each token."""
_DANGLING = 0.85
"""Degree of a word of order that no clause follows."""


@dataclass(frozen=True, slots=True)
class PartialSentence:
    """A reading of the tokens up to a place; `pending` links the next clause.

    `after_next` links the one behind it, for clauses that begin with "before".
    """

    sentence: Sentence
    pending: Link = Link.AND
    separated: bool = True
    after_next: Link | None = None
    condition: tuple[Predication, ...] = ()
    proviso: Proviso | None = None
    limit: TimeLimit | None = None
    dangling: bool = False


Steps = Iterator[tuple[int, PartialSentence]]
"""Longer readings, each with the place where it goes on."""


def add_clause(sentence: Sentence, clause: SpokenClause, link: Link) -> Sentence:
    """Return a sentence with one more clause."""
    if clause.order is not None and sentence.clauses:
        link = clause.order
    return replace(
        sentence,
        clauses=(*sentence.clauses, clause),
        links=(*sentence.links, link),
        degree=sentence.degree * clause.degree,
    )


def close_link(partial: PartialSentence) -> PartialSentence:
    """Rate a word of order lower that no clause followed."""
    if not partial.dangling:
        return partial
    sentence = replace(partial.sentence, degree=partial.sentence.degree * _DANGLING)
    return replace(partial, sentence=sentence, dangling=False)


def keep_best(partials: Sequence[PartialSentence]) -> list[PartialSentence]:
    """Keep the best ones, each once."""
    found: list[PartialSentence] = []
    for partial in sorted(partials, key=lambda p: -p.sentence.degree):
        if partial not in found:
            found.append(partial)
        if len(found) == BEAM:
            break
    return found


def begins_sentence(tokens: Sequence[Token], place: int) -> bool:
    """Return True if a sentence begins at a token."""
    return place == 0 or tokens[place - 1].text in (".", "!", "?", ";")
