# SPDX-License-Identifier: Apache-2.0
"""Clauses about the places where the robot itself goes, stays, or does not go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.verbs import AWAY_FROM, FORBIDDEN, GO_VERBS, THROUGH
from fcp_ros.language.parsing.clauses.former_places import match_former_place
from fcp_ros.language.parsing.statement_parser import StatementParser
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Determiner,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole

_MOVING_THINGS = frozenset(["move", "drive", "end", "finish", "return", "run"])
"""Verbs with a thing behind them that is moved or done, where no preposition follows."""
_MOVED = 0.4
_COPULAS = frozenset(["is", "are", "remains", "stays", "be"])
_NO_PLACE = 0.9
"""Degree of "off limits" said of a thing: it is not touched."""
_STAY_VERBS = frozenset(["stay", "remain", "wait"])


class MotionParser(StatementParser):
    """A reader of clauses about the robot's way."""

    def _parse_motion(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "stay in the kitchen", "keep out of the hall"."""
        yield from self._parse_stay(start)
        yield from self._parse_away(start)
        yield from self._parse_leave(start)
        yield from self._parse_home(start)
        yield from self._parse_forbidden(start)

    def _parse_go(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read what is behind a verb of motion."""
        start += self._get(start) == "up"
        through = self._match_any(start, THROUGH)
        if through > start:
            use = self._nouns.describe_use(start, through, WordRole.ORDER, "on the way")
            for end, phrase in self._nouns.parse_phrases(through):
                clause = self._make_gone(phrase)
                yield end, replace(clause, sometime=True, uses=(use, *clause.uses))
        place = start
        for after, preposition in self._nouns.match_preposition(start):
            if preposition in ("to", "in", "at", "near"):
                place = after
                break
        inside = start + (self._get(start) in ("in", "over", "back"))
        if self._get(inside) in ("there", "here"):
            for end, said in self._nouns.parse_modifiers(start):
                yield end, SpokenClause(Act.GO, (said,), uses=said.uses, degree=said.degree)
        for end, phrase in self._nouns.parse_phrases(place):
            bare = _MOVED if self._get(start - 1) in _MOVING_THINGS else 0.9
            yield end, self._make_gone(phrase, 1.0 if place > start else bare)

    def _make_gone(self, phrase: Phrase, degree: float = 1.0) -> SpokenClause:
        degree *= phrase.degree
        said = Predication(None, {PLACE: phrase}, preposition="to", degree=degree)
        return SpokenClause(Act.GO, (said,), uses=list_phrase_uses(phrase), degree=degree)

    def _parse_stay(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "stay in the kitchen", "be there"."""
        verb = self._get(start)
        if verb not in _STAY_VERBS and verb not in ("be", "stand", "park"):
            return
        robot = NounPhrase(start, start, Reference.ADDRESSEE, Determiner.THE)
        use = self._nouns.describe_use(start, start + 1, WordRole.ACTION, verb)
        act = Act.KEEP if verb in _STAY_VERBS else Act.STATE
        for end, said in self._nouns.parse_modifiers(start + 1):
            if said.preposition in ("in", "at", "near", "on") and not said.source:
                clause = self._make_said(robot, said, act)
                yield end, replace(clause, uses=(use, *clause.uses))

    def _parse_away(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "keep out of the hall", "avoid the hall"."""
        place = self._match_any(start, AWAY_FROM)
        if place == start:
            return
        use = self._nouns.describe_use(start, place, WordRole.LIMIT, "never there")
        for end, phrase in self._nouns.parse_phrases(place):
            clause = self._make_gone(phrase)
            yield end, replace(clause, negated=True, uses=(use, *clause.uses))

    def _parse_leave(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "leave the kitchen"."""
        if not {"leave", "exit", "quit"} & set(list_stems(self._get(start))):
            return
        robot = NounPhrase(start, start, Reference.ADDRESSEE, Determiner.THE)
        use = self._nouns.describe_use(start, start + 1, WordRole.ACTION, "leave")
        for end, phrase in self._nouns.parse_phrases(start + 1):
            said = Predication(None, {PLACE: phrase}, THEME, "in", degree=phrase.degree)
            clause = self._make_said(robot, said, Act.ACHIEVE)
            absent = tuple(replace(one, negated=True) for one in clause.predications)
            uses = (use, *clause.uses)
            yield end, replace(clause, predications=absent, uses=uses)

    def _parse_home(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "go back to where you are now"."""
        if not GO_VERBS & set(list_stems(self._get(start))):
            return
        end = match_former_place(self._get, start + 1)
        bare = end == start + 2 and self._get(start + 1) == "back"
        if end == start + 1 or (bare and not self._nouns.ends_clause(end)):
            return
        robot = NounPhrase(start, start, Reference.ADDRESSEE, Determiner.THE)
        use = self._nouns.describe_use(start, end, WordRole.ACTION, "as initially")
        said = Predication(None, {THEME: robot}, uses=(use,))
        yield end, SpokenClause(Act.RETURN, (said,), degree=0.9 if bare else 1.0)

    def _parse_forbidden(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "the hall is off limits for you"."""
        for end, phrase in self._nouns.parse_phrases(start):
            if self._get(end) not in _COPULAS:
                continue
            after = self._match_any(end + 1, FORBIDDEN)
            if after == end + 1:
                continue
            use = self._nouns.describe_use(end, after, WordRole.LIMIT, "never there")
            clause = self._make_gone(phrase)
            uses = (use, *clause.uses)
            yield after, replace(clause, negated=True, uses=uses)
            said = Predication(None, {THEME: phrase}, degree=phrase.degree)
            degree = phrase.degree * _NO_PLACE
            yield after, SpokenClause(Act.STAY, (said,), uses=uses, degree=degree)
