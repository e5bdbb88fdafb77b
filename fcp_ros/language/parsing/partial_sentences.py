# SPDX-License-Identifier: Apache-2.0
"""Sentences while they are parsed: one more clause, lists behind a colon, what is carried along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.verbs import BRING_VERBS
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Link,
    NounPhrase,
    Predication,
    Proviso,
    Reference,
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


def carry_along(sentence: Sentence) -> Sentence:
    """Make "carry it there and don't put it down" that the robot holds it and goes there."""
    clauses: list[SpokenClause] = []
    links: list[Link] = []
    for number, (clause, link) in enumerate(zip(sentence.clauses, sentence.links, strict=True)):
        links.append(link)
        carried = _carry(clause) if _is_kept(sentence.clauses[number + 1 :]) else None
        if carried is None:
            clauses.append(clause)
        else:
            clauses += carried
            links.append(Link.AND)
    return replace(sentence, clauses=tuple(clauses), links=tuple(links))


def _is_kept(following: tuple[SpokenClause, ...]) -> bool:
    """Return True for "(carry the mug there and) keep holding it"."""
    for clause in following[:1]:
        theme = clause.predications[0].arguments.get(THEME) if clause.predications else None
        again = isinstance(theme, NounPhrase) and theme.head in (Reference.IT, Reference.THEM)
        return again and clause.act is Act.HOLD and clause.verb == "keep"
    return False


def _carry(clause: SpokenClause) -> tuple[SpokenClause, SpokenClause] | None:
    """Return that something is held and where the robot goes; None if that is not said."""
    if clause.verb not in BRING_VERBS or clause.negated or len(clause.predications) != 1:
        return None
    said = clause.predications[0]
    if len(said.arguments) != 2:
        return None
    theme, place = said.arguments.values()
    if isinstance(theme, int) or isinstance(place, int):
        return None
    held = replace(clause, act=Act.HOLD, predications=(Predication(None, {THEME: theme}),))
    gone = Predication(None, {PLACE: place}, preposition="to", uses=said.uses)
    return held, SpokenClause(Act.GO, (gone,), verb="go")
