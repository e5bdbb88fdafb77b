# SPDX-License-Identifier: Apache-2.0
"""Subordinate clauses: conditions, order, provisos, prohibitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fcp_ros.language.english.connectives import EARLIER, UNTIL, WHENEVER, WHILE
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.quantities import match_words
from fcp_ros.language.parsing.sentences.awaited_states import WAITING
from fcp_ros.language.parsing.trees import (
    Act,
    Link,
    Predication,
    Proviso,
    ProvisoKind,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.spoken.clause_tree import ClauseNode

ReadNode = Callable[[ClauseNode, bool], list[Sentence]]
_ACTIVITY = 0.7
"""Degree of "while" with something that is done: only what it brings about is known."""
_BESIDE = 0.85
_SKIPPED = frozenset([",", "and", "but", "only", "right", "immediately", "directly", "then"])
_STATED = frozenset([Act.STATE, Act.REMARK, Act.KEEP])


class Subordinates:
    """A reader of the clauses below others that are marked by a subordinator.

    Args:
        nouns: of the sentence.
        read: reads a clause; with True, one that shall be so.
    """

    def __init__(self, nouns: NounParser, read: ReadNode) -> None:
        self._nouns = nouns
        self._read = read

    def add(self, found: list[Sentence], node: ClauseNode, below: ClauseNode) -> Iterator[Sentence]:
        """Yield sentences with a subordinate clause added to their last clause."""
        if not below.list_words():
            return
        start = self._find_start(below)
        if start < 0:
            return
        first = min(word.token for word in below.list_words())
        if first < start:  # "but only"
            found = [
                replace(one, uses=(*one.uses, self._describe(first, start, WordRole.FILLER, "")))
                for one in found
            ]
        ahead = start < node.verb.token
        text = self._nouns.get_text(start)
        for sentence in found:
            *others, main = sentence.clauses
            if text in ("if", "unless"):
                for condition in self._read_condition(below, text == "unless", start):
                    full = replace(main, condition=(*main.condition, *condition))
                    yield _replace_last(sentence, others, full)
            elif text == "without":
                end = start + 1 + (self._nouns.get_text(start + 1) == "ever")
                for never in self._read(below, False):
                    use = self._describe(start, end, WordRole.LIMIT, "never")
                    full = replace(
                        main, never=(*main.never, *never.clauses), uses=(*main.uses, use)
                    )
                    yield _replace_last(sentence, others, full, never.degree)
            else:
                yield from self._add_time(sentence, below, start, ahead)

    def _find_start(self, below: ClauseNode) -> int:
        """Return the token of the word that subordinates a clause; -1 if there is none."""
        tokens = [word.token for word in below.list_words()]
        if below.verb.role == "pcomp":
            tokens.append(below.tree.words[below.verb.head].token)
        if not tokens:
            return -1
        start = min(token for token in tokens if token >= 0)
        while self._nouns.get_text(start) in _SKIPPED:
            start += 1
        return start

    def _describe(self, start: int, end: int, role: WordRole, meaning: str) -> WordUse:
        return self._nouns.describe_use(start, end, role, meaning)

    def _read_condition(
        self, below: ClauseNode, negated: bool, start: int
    ) -> Iterator[tuple[Predication, ...]]:
        use = self._describe(start, start + 1, WordRole.LIMIT, "if initially")
        for sentence in self._read(below, True):
            if len(sentence.clauses) != 1:
                continue
            clause = sentence.clauses[0]
            if clause.act not in _STATED:
                continue
            yield tuple(
                replace(
                    said,
                    negated=said.negated != (negated != clause.negated),
                    uses=(*said.uses, *clause.uses, use),
                    degree=said.degree,
                )
                for said in clause.predications
            )

    def _add_time(
        self, sentence: Sentence, below: ClauseNode, start: int, ahead: bool
    ) -> Iterator[Sentence]:
        *others, main = sentence.clauses
        lasting = main.negated or main.act in (Act.KEEP, Act.STAY)
        for kind, phrases in (
            (ProvisoKind.UNTIL, UNTIL),
            (ProvisoKind.WHILE, WHILE),
            (ProvisoKind.WHENEVER, WHENEVER),
        ):
            end = self._match(start, phrases)
            if end == start:
                continue
            if kind is ProvisoKind.WHILE and not lasting and not ahead:
                yield from self._add_beside(sentence, below, start, end)
                return
            if not (lasting or kind is ProvisoKind.WHENEVER):
                continue
            use = self._describe(start, end, WordRole.ORDER, kind.value)
            for clause, degree in self._list_states(below):
                if kind is ProvisoKind.WHILE and clause.act not in _STATED:
                    degree *= _ACTIVITY
                proviso = Proviso(kind, clause, (use,), ahead)
                full = replace(main, provisos=(*main.provisos, proviso))
                yield _replace_last(sentence, others, full, degree)
            return
        later = self._match(start, (("before",), ("prior", "to")))
        if later > start:
            yield from self._add_ordered(sentence, below, start, later, ahead, earlier=False)
            return
        earlier = self._match(start, EARLIER)
        if earlier > start:
            yield from self._add_ordered(sentence, below, start, earlier, ahead, earlier=True)

    def _add_beside(
        self, sentence: Sentence, below: ClauseNode, start: int, end: int
    ) -> Iterator[Sentence]:
        """Add "(turn on the lamp) while holding the keys": both are so at the end."""
        use = self._describe(start, end, WordRole.ORDER, "while")
        for clause, degree in self._list_states(below):
            if clause.act in _STATED:
                continue
            clauses = (*sentence.clauses, clause)
            links = (*sentence.links, Link.AND)
            degree *= sentence.degree * _BESIDE
            yield Sentence(clauses, links, (*sentence.uses, use), degree)

    def _add_ordered(
        self,
        sentence: Sentence,
        below: ClauseNode,
        start: int,
        end: int,
        ahead: bool,
        earlier: bool,
    ) -> Iterator[Sentence]:
        words = tuple(self._nouns.get_text(i) for i in range(start, end))
        use = self._describe(start, end, WordRole.ORDER, words[-1])
        for clause, degree in self._list_states(below):
            if words in WAITING and clause.act in _STATED:
                clause = replace(clause, awaited=True)
            uses = (*sentence.uses, use)
            if ahead:
                link = Link.THEN if earlier else Link.EARLIER
                clauses = (clause, *sentence.clauses)
                links = (Link.AND, link, *sentence.links[1:])
            else:
                link = Link.EARLIER if earlier else Link.THEN
                clauses = (*sentence.clauses, clause)
                links = (*sentence.links, link)
            yield Sentence(clauses, links, uses, sentence.degree * degree)

    def _list_states(self, below: ClauseNode) -> Iterator[tuple[SpokenClause, float]]:
        """Yield what is said below, as something that is so then."""
        for sentence in self._read(below, True):
            if len(sentence.clauses) == 1:
                clause = sentence.clauses[0]
                if clause.act is Act.REMARK:
                    clause = replace(clause, act=Act.STATE)
                yield clause, sentence.degree

    def _match(self, start: int, phrases: tuple[tuple[str, ...], ...]) -> int:
        lengths = [len(words) for words in phrases if match_words(self._nouns.tokens, start, words)]
        return start + max(lengths, default=0)


def _replace_last(
    sentence: Sentence, others: list[SpokenClause], last: SpokenClause, degree: float = 1.0
) -> Sentence:
    return replace(sentence, clauses=(*others, last), degree=sentence.degree * degree)
