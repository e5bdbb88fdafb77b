# SPDX-License-Identifier: Apache-2.0
"""Things that are carried somewhere and not put down: "take it there and keep holding it"."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.english.verbs import BRING_VERBS
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Link,
    NounPhrase,
    Predication,
    Reference,
    Sentence,
    SpokenClause,
)


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
