# SPDX-License-Identifier: Apache-2.0
"""Sentences while they are read: the clauses so far, their order, what the next one is under.

At the end each word is accounted for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.remark_words import CLOSINGS, POLITE
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.turning_words import DUTIES, NOT_REMARKED
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.parsing.trees import (
    Act,
    Coordination,
    Determiner,
    Link,
    NounPhrase,
    Predication,
    Sentence,
    SpokenClause,
    collect_uses,
)
from fcp_ros.language.reading import WordRole, WordUse

_AGAIN = gather_words("already again still yet anymore currently too also somewhere")
_LOGICAL = gather_words("or nor neither either but for with by at in on up down over")
"""Small words that aren't dropped."""
_WEIGHTY = NOT_REMARKED - DUTIES
"""Words that restrict, count, order or condition: a reading without one is asked about."""
_PLAIN = (FILLERS - _LOGICAL) | gather_words("please then and you i we me us now so let")


class WordAccount:
    """An account of the words of one instruction."""

    def __init__(self, parsed: ParsedInstruction) -> None:
        self._parsed = parsed
        tokens = parsed.nouns.tokens
        self.polite = frozenset(
            p
            for place in range(len(tokens))
            for table in (POLITE, CLOSINGS)
            for p in range(place, table.find_end(tokens, place))
        )
        """Tokens of phrases of politeness."""

    def settle(self, sentence: Sentence) -> Sentence:
        """Say which words have no part in a sentence, which makes it less likely."""
        uses = collect_uses(sentence)
        meant = [use for use in collect_uses(_drop_remarks(sentence)) if use.meaning != ASIDE]
        unread, fillers, idle = list[int](), list[WordUse](), False
        for place, token in enumerate(self._parsed.nouns.tokens):
            covered = _covers(uses, token)
            weighty = token.text in _WEIGHTY and place not in self.polite
            idle = idle or (weighty and not _covers(meant, token))
            if covered or token.kind is TokenKind.MARK:
                continue
            if self._is_filler(place):
                fillers.append(WordUse(token.start, token.end, WordRole.FILLER))
            else:
                unread.append(place)
        degree = sentence.degree * Confidence.NOT.degree ** len(unread)
        if idle or (_is_mixed(sentence) and not self._says("either")):
            degree = min(degree, Confidence.LIKELY.degree)
        used = (*sentence.uses, *fillers)
        return replace(sentence, degree=degree, unread=tuple(unread), uses=used)

    def _says(self, text: str) -> bool:
        return any(token.text == text for token in self._parsed.nouns.tokens)

    def _is_filler(self, place: int) -> bool:
        text = self._parsed.nouns.tokens[place].text
        if text in _PLAIN | _AGAIN or place in self.polite:
            return True
        return text == "but" and self._joins_clauses(place)

    def _joins_clauses(self, place: int) -> bool:
        """Return True for "but" between clauses, not for "all but the mug"."""
        if any(place in segment.piece.links for segment in self._parsed.segments):
            return True
        word = self._parsed.nouns.spans.words.get(place)
        if word is None:
            return False
        return self._parsed.nouns.spans.tree.words[word.head].is_verb


def _drop_remarks(sentence: Sentence) -> Sentence:
    asked = tuple(c for c in sentence.clauses if c.act not in (Act.REMARK, Act.TOPIC))
    return replace(sentence, clauses=asked)


def _covers(uses: Sequence[WordUse], token: Token) -> bool:
    return any(use.start <= token.start and token.end <= use.end for use in uses)


def _is_mixed(sentence: Sentence) -> bool:
    """Return True for "the apple and the bowl or the vase", which may be grouped in two ways."""
    said = (p for clause in sentence.clauses for p in clause.predications)
    groups = (a for p in said for a in p.arguments.values() if isinstance(a, Coordination))
    return any(
        isinstance(part, Coordination) and part.alternative != group.alternative
        for group in groups
        for part in group.parts
    )


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
