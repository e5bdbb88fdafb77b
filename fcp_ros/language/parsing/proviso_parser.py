# SPDX-License-Identifier: Apache-2.0
"""Conditions on the way: "while ...", "until ...", "whenever ...", "within a minute after ..."."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from fcp_ros.language.english.function_words import AS_LONG_AS, EARLIER, UNTIL, WHENEVER, WHILE
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.clause_parser import ClauseParser
from fcp_ros.language.parsing.clauses.timing_parser import read_longest_time
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import (
    Act,
    Link,
    Proviso,
    ProvisoKind,
    Sentence,
    SpokenClause,
    TimeKind,
    TimeLimit,
)
from fcp_ros.language.reading import WordRole, WordUse

_HAVE = frozenset(["have", "are", "were", "had", "done"])
_ACTIVITY = 0.7
"""Degree of "while" with something that is done: only what it brings about is known."""
_SINCE = PhraseSet("(after|of)", "from (when|the moment|the time)")


class ProvisoParser:
    """A reader of clauses that say under which condition on the way another one speaks.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser, clauses: ClauseParser) -> None:
        self._nouns = nouns
        self._clauses = clauses
        self._tokens = nouns.tokens

    def read_behind(self, place: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Yield a clause with the proviso that stands behind it."""
        place += self._nouns.get_text(place) == ","
        lasting = clause.negated or clause.act in (Act.KEEP, Act.STAY)
        for kind, start in self._list_beginnings(place):
            if kind is not ProvisoKind.WHENEVER and not lasting:
                continue
            yield from self._add(place, start, kind, clause)
        if not lasting:
            start = AS_LONG_AS.find_end(self._tokens, place)
            if start > place and clause.act is not Act.ACHIEVE:
                yield from self._add(place, start, ProvisoKind.WHILE, clause)
        if clause.permitted:
            start = EARLIER.find_end(self._tokens, place)
            if start > place:
                yield from self._add(place, start, ProvisoKind.UNTIL, clause)
        if clause.time is not None and clause.time.kind is TimeKind.WITHIN:
            start = _SINCE.find_end(self._tokens, place)
            if start > place:
                yield from self._add(place, start, ProvisoKind.WHENEVER, clause)

    def read_before(self, place: int) -> Iterator[tuple[int, Proviso, TimeLimit | None]]:
        """Yield the proviso that stands before a clause, with a time if one is said."""
        for kind, start in self._list_beginnings(place):
            for end, proviso in self._read(place, start, kind):
                yield end, replace(proviso, ahead=True), None
        longest = read_longest_time(self._tokens, place)
        if longest is not None:
            start = _SINCE.find_end(self._tokens, longest[0])
            if start > longest[0]:
                for end, proviso in self._read(place, start, ProvisoKind.WHENEVER):
                    yield end, replace(proviso, ahead=True), longest[1]

    def is_fit(self, clause: SpokenClause, proviso: Proviso) -> bool:
        """Return True if a clause may stand behind a proviso."""
        lasting = clause.negated or clause.act in (Act.KEEP, Act.STAY)
        if proviso.kind is ProvisoKind.UNTIL:
            return lasting
        return lasting or proviso.kind is ProvisoKind.WHENEVER or clause.act is Act.STATE

    def _list_beginnings(self, place: int) -> Iterator[tuple[ProvisoKind, int]]:
        for kind, phrases in (
            (ProvisoKind.UNTIL, UNTIL),
            (ProvisoKind.WHILE, WHILE),
            (ProvisoKind.WHENEVER, WHENEVER),
        ):
            start = phrases.find_end(self._tokens, place)
            if start > place:
                yield kind, start

    def _add(
        self, place: int, start: int, kind: ProvisoKind, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        use = self._nouns.describe_use(place, start, WordRole.ORDER, kind.value)
        alike = (
            (end, Proviso(kind, other, (use,)))
            for end, other in self._clauses.parse_alike(start, clause)
            if self._nouns.ends_clause(end)
        )
        for end, proviso in chain(self._read(place, start, kind), alike):
            degree = clause.degree * proviso.clause.degree
            yield end, replace(clause, provisos=(*clause.provisos, proviso), degree=degree)

    def _read(self, place: int, start: int, kind: ProvisoKind) -> Iterator[tuple[int, Proviso]]:
        use = self._nouns.describe_use(place, start, WordRole.ORDER, kind.value)
        for end, clause in self._clauses.parse_statements(start):
            yield end, Proviso(kind, clause, (use,))
        after, skipped = self._skip_actor(start)
        for end, clause in self._clauses.parse_clauses(after):
            if clause.act is Act.REMARK:
                continue
            if kind is ProvisoKind.WHILE:  # "while you wipe it" is no state
                clause = replace(clause, degree=clause.degree * _ACTIVITY)
            yield end, Proviso(kind, clause, (use, *skipped))

    def _skip_actor(self, start: int) -> tuple[int, list[WordUse]]:
        """Skip "you have" before what is done."""
        place = start
        if self._nouns.get_text(place) in ("you", "we", "having"):
            place += 1
            while self._nouns.get_text(place) in _HAVE:
                place += 1
        uses = [self._nouns.describe_use(start, place, WordRole.FILLER)] if place > start else []
        return place, uses


WAITING = PhraseSet("(when|as soon as|the moment)")
"""Words before a state that is waited for."""


def _asks_for(clause: SpokenClause, state: SpokenClause) -> bool:
    """Return True if a clause asks for a state: it isn't done when that is so."""
    asked, awaited = ([p.meaning for p in one.predications] for one in (clause, state))
    return asked == awaited


def wait_for_states(sentence: Sentence) -> Sentence:
    """Return a sentence in which what is waited for has to be so before, and isn't asked for."""
    clauses, links = list(sentence.clauses), list(sentence.links)
    for place, awaited in enumerate(sentence.clauses):
        if not awaited.awaited:
            continue
        behind = links[place] is Link.EARLIER
        if behind and place + 1 < len(clauses) and _asks_for(clauses[place - 1], awaited):
            behind = False  # "open it and when it is open close the door"
        main = place - 1 if behind else place + 1
        if not 0 <= main < len(clauses) or clauses[main].negated or clauses[main].provisos:
            continue
        state = replace(awaited, awaited=False)
        waiting = Proviso(ProvisoKind.UNTIL, state, ahead=not behind, awaited=True)
        clauses[place] = replace(clauses[main], negated=True, provisos=(waiting,), uses=())
        links[place] = Link.AND
        if not behind:
            links[main] = Link.AND
    return replace(sentence, clauses=tuple(clauses), links=tuple(links))
