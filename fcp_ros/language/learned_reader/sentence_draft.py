# SPDX-License-Identifier: Apache-2.0
"""Sentences while they are read: the clauses so far, their order, what the next one is under."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.parsing.trees import (
    Act,
    Argument,
    Coordination,
    Determiner,
    ElementName,
    Link,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.reading import WordUse


def drop_uses(argument: Argument) -> Argument:
    """Return what fills a place as it is, without the uses of its words."""
    return replace(argument, uses=()) if isinstance(argument, NounPhrase) else argument


def take_for_known(phrase: NounPhrase) -> NounPhrase:
    """Return "the mug" for "a red mug"."""
    return replace(phrase, determiner=Determiner.THE, number=None, qualities=(), uses=())


def refer_to(phrase: Phrase) -> NounPhrase:
    """Return "it", or "them"."""
    several = _is_several(phrase)
    head = Reference.THEM if several else Reference.IT
    return NounPhrase(0, 0, head, Determiner.THE, None, several)


def repeat_phrase(phrase: Phrase) -> NounPhrase:
    """Return the same thing by its noun, where that names one; else a pronoun."""
    named = isinstance(phrase, NounPhrase) and not isinstance(phrase.head, Reference)
    if isinstance(phrase, NounPhrase) and named and not _is_several(phrase):
        return take_for_known(phrase)
    return refer_to(phrase)


def list_names(phrase: NounPhrase) -> set[str]:
    """List the elements that a phrase may name."""
    head = phrase.head
    if isinstance(head, ElementName):
        return {head.name}
    return {*head.members} if isinstance(head, Noun) else set()


def _is_several(phrase: Phrase) -> bool:
    return isinstance(phrase, Coordination) or (isinstance(phrase, NounPhrase) and phrase.plural)


class SentenceDraft:
    """The clauses of an instruction that are read already."""

    def __init__(self) -> None:
        self.clauses: list[SpokenClause] = []
        self.uses: list[WordUse] = []
        self.degree = 1.0
        self.link = Link.AND
        """How the next clause goes on."""
        self.condition: tuple[Predication, ...] = ()
        """What the next clause is under."""
        self.last_condition: tuple[Predication, ...] = ()
        """What "otherwise" is the opposite of."""
        self._links: list[Link] = []

    def add(self, clause: SpokenClause) -> None:
        """Add a clause, in the order that was said before it."""
        link, self.link = self.link, Link.AND
        if clause.order is not None and self.clauses:
            link = clause.order
        self.clauses.append(clause)
        self._links.append(link)
        self.degree *= clause.degree

    def take_condition(self) -> tuple[Predication, ...]:
        """Take the condition that the next clause is under."""
        condition, self.condition = self.condition, ()
        if condition:
            self.last_condition = condition
        return condition

    def finish(self) -> Sentence | None:
        """Make the sentence; None if nothing is asked for."""
        if all(clause.act in (Act.REMARK, Act.TOPIC) for clause in self.clauses):
            return None
        self._put_rest_last()
        return Sentence(tuple(self.clauses), tuple(self._links), tuple(self.uses), self.degree)

    def _put_rest_last(self) -> None:
        """Put "leave everything else as it is" behind what else is asked for, which it is about."""
        several = len(self.clauses) > 1 and set(self._links) == {Link.AND}
        if several and _is_of_rest(self.clauses[0]):
            self.clauses.append(self.clauses.pop(0))


def _is_of_rest(clause: SpokenClause) -> bool:
    phrases = (one for said in clause.predications for one in said.arguments.values())
    return any(isinstance(p, NounPhrase) and p.determiner is Determiner.REST for p in phrases)
