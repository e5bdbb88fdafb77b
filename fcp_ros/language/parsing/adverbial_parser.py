# SPDX-License-Identifier: Apache-2.0
"""Words around a clause: politeness, negation, time, wishes, exceptions, "for each"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.adverbials import ALWAYS, NEGATIONS, PREFERENCES, SOMETIME
from fcp_ros.language.english.remark_words import CLOSINGS, POLITE, WISHES
from fcp_ros.language.english.verbs import BRING_VERBS, HOLD_VERBS
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.clauses.exception_parser import ExceptionParser
from fcp_ros.language.parsing.clauses.remarks import find_span
from fcp_ros.language.parsing.clauses.timing_parser import read_time_limits
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Coordination,
    NounPhrase,
    SpokenClause,
    list_argument_uses,
    refer_to,
)
from fcp_ros.language.reading import WordRole

MOST_WISHES = 8
"""Polite words and wishes behind one another."""
DEEPEST_CLAUSE = 2
"""Clauses within one another."""
_PLACE_BEHIND_VERB, _PLACE_BEHIND_NOUN = 0.95, 0.85
"""Degrees of where something ends, behind what is done with it."""
_FOR_SOMEBODY = 0.9
"""Degree of "fetch it for me" without bringing it."""


Fragments = tuple[list[SpokenClause], list[tuple[int, SpokenClause]]]
"""What was asked before, and the clauses that go on from it without a verb."""


class AdverbialParser(ExceptionParser):
    """A reader of the words around the core of a clause.

    Args:
        nouns: the chart of its noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        super().__init__(nouns)
        self._patterns = nouns.patterns
        self._clauses: dict[tuple[int, int], list[tuple[int, SpokenClause]]] = {}
        self._openings: dict[int, tuple[tuple[int, SpokenClause], ...]] = {}
        self._fragments: dict[tuple[int, bool], list[Fragments]] = {}

    def _read_openings(self, start: int) -> tuple[tuple[int, SpokenClause], ...]:
        """Return the openings that begin at a token."""
        if start not in self._openings:
            self._openings[start] = tuple(self._list_openings(start))
        return self._openings[start]

    def _list_openings(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Yield where the core may begin, with the politeness and negation before it."""
        blank = SpokenClause(Act.ACHIEVE, ())
        yield start, blank
        for end, limit in read_time_limits(self._tokens, start):
            place = end + 1 if self._get(end) in (",", ":") else end
            use = self._describe_time(start, place, limit)
            yield place, replace(blank, time=limit, uses=(use,))
        yield from self._read_first_exception(start, blank)
        sometime = self._match_any(start, SOMETIME)
        if sometime > start:
            place = sometime + (self._get(sometime) == ",")
            use = self._nouns.describe_use(start, place, WordRole.ORDER, "sometime")
            yield place, replace(blank, sometime=True, uses=(use,))
        place, opened = start, blank
        for place, opened in self._read_wishes(start, blank):
            yield place, opened
        end = NEGATIONS.find_end(self._tokens, place)
        if end > place:
            use = self._nouns.describe_use(place, end, WordRole.LIMIT, "not")
            yield end, replace(opened, uses=(*opened.uses, use), negated=True)

    def _read_wishes(self, start: int, blank: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Yield the clause behind each of the polite words and wishes that follow one another."""
        place, opened = start, blank
        for _ in range(MOST_WISHES):
            polite = self._match_polite(place)
            wished = self._match_any(place, PREFERENCES)
            if self._get(place + 2) == "rather" and WISHES.find_end(self._tokens, place) > place:
                wished = place  # "I would rather have it there" asks for something
            end = max(polite, wished)
            if end <= place:
                return
            kind = self._get(place) == "if" and polite >= wished  # "if you could put ..."
            wish = wished >= polite and not kind
            role = WordRole.LIMIT if wish else WordRole.FILLER
            use = self._nouns.describe_use(place, end, role)
            place = end + (self._get(end) == ",")
            opened = replace(opened, uses=(*opened.uses, use), preferred=opened.preferred or wish)
            yield place, opened

    def _match_polite(self, start: int) -> int:
        """Return the end of politeness; "if you could, ..." is a wish, and not polite only."""
        end = POLITE.find_end(self._tokens, start)
        wish = self._get(start) == "if" and self._get(end) == ","
        return start if wish else end

    def _read_adverbials(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Yield a clause with what stands behind its core, the longest last."""
        yield start, clause
        frontier = [(start, clause)]
        for _ in range(4):
            following = []
            for end, current in frontier:
                place = end + 1 if self._get(end) == "," else end
                for after, longer in self._read_adverbial(place, current):
                    following.append((after, longer))
            yield from following
            frontier = following[:6]
            if not frontier:
                return

    def _read_adverbial(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        if self._get(start + 1) == "by" and self._get(start) == self._get(start + 2):
            use = self._nouns.describe_use(start, start + 3, WordRole.FILLER)  # one by one
            yield start + 3, replace(clause, uses=(*clause.uses, use))
        end = CLOSINGS.find_end(self._tokens, start)
        if end > start:
            use = self._nouns.describe_use(start, end, WordRole.FILLER)
            brought = clause.verb in BRING_VERBS and self._get(start) == "for"
            degree = clause.degree * (_FOR_SOMEBODY if brought else 1.0)
            yield end, replace(clause, uses=(*clause.uses, use), degree=degree)
        end = self._match_any(start, ALWAYS)
        if end > start and (clause.negated or clause.act in (Act.STATE, Act.KEEP, Act.STAY)):
            use = self._nouns.describe_use(start, end, WordRole.ORDER, "always")
            act = Act.KEEP if clause.act is Act.STATE else clause.act
            yield end, replace(clause, act=act, uses=(*clause.uses, use))
        end = self._match_any(start, PREFERENCES)
        if end > start and self._nouns.ends_clause(end):
            use = self._nouns.describe_use(start, end, WordRole.LIMIT, "a wish")
            yield end, replace(clause, uses=(*clause.uses, use), preferred=True)
        yield from self._read_timing(start, clause)
        yield from self._read_exception(start, clause)
        yield from self._read_replaced(start, clause)
        yield from self._read_description(start, clause)
        yield from self._read_place(start, clause)

    def _read_place(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read where something ends: "throw the peel away in the bin"."""
        if clause.act is not Act.ACHIEVE or len(clause.predications) != 1:
            return
        said = clause.predications[0]
        if said.preposition or said.meaning is None or said.meaning.source is MeaningSource.TASK:
            return
        theme = next(iter(said.arguments.values()), None)
        if len(said.arguments) != 1 or clause.verb in HOLD_VERBS:
            return
        if not isinstance(theme, (NounPhrase, Coordination)):
            return
        # "the rubbish | in the hall": rather where it is than where it ends; not so behind a list
        described = isinstance(theme, NounPhrase) and find_span(theme)[1] == start
        degree = _PLACE_BEHIND_NOUN if described else _PLACE_BEHIND_VERB
        same = refer_to(theme, start)
        for end, placed in self._nouns.parse_modifiers(start):
            if placed.preposition not in ("in", "on", "at"):
                continue
            where = replace(placed, arguments={THEME: same, **placed.arguments}, subject="")
            yield (
                end,
                replace(
                    clause,
                    predications=(said, where),
                    uses=(*clause.uses, *list_argument_uses(placed)),
                    degree=clause.degree * placed.degree * degree,
                ),
            )
