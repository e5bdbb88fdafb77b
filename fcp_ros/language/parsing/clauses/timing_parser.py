# SPDX-License-Identifier: Apache-2.0
"""Words about the time of a clause: by when, how often, in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.adverbials import (
    AT_MOST_ONCE,
    FIRST,
    IN_ORDER,
    LAST,
    MORE_THAN_ONCE,
    PREFERENCES,
    SOMETIME,
)
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.clauses.time_parser import read_allowed_time, read_time_limits
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import Act, Link, SpokenClause, TimeLimit
from fcp_ros.language.reading import WordRole, WordUse

_FOR_THAT = PhraseSet("for (that|this|it)")
_TO_DO = PhraseSet("[in which] to")


class TimingParser:
    """A reader of times and numbers of times around the core of a clause.

    Args:
        nouns: the chart of its noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        self._nouns = nouns
        self._tokens = nouns.tokens

    def read_allowed_time(self, start: int) -> tuple[int, TimeLimit, WordUse] | None:
        """Read a sentence about the time of what was said: "you have two minutes"."""
        found = read_allowed_time(self._tokens, start)
        if found is None:
            return None
        end, limit = found
        end = _FOR_THAT.find_end(self._tokens, end)
        return end, limit, self._describe_time(start, end, limit)

    def _list_time_openings(self, start: int) -> Iterator[tuple[int, TimeLimit]]:
        """Yield "within two minutes", "you have two minutes to" before a clause."""
        yield from read_time_limits(self._tokens, start)
        allowed = read_allowed_time(self._tokens, start)
        if allowed is not None:
            end = _TO_DO.find_end(self._tokens, allowed[0])
            if end > allowed[0]:
                yield end, allowed[1]

    def _describe_time(self, start: int, end: int, limit: TimeLimit) -> WordUse:
        meaning = f"{limit.kind.value} {limit.seconds} s"
        return self._nouns.describe_use(start, end, WordRole.ORDER, meaning)

    def _read_timing(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read when and how often, behind the core of a clause."""
        if clause.time is None:
            wish = self._match_any(start, PREFERENCES)
            for end, limit in read_time_limits(self._tokens, wish):
                use = self._describe_time(start, end, limit)
                limit = replace(limit, wished=wish > start)
                yield end, replace(clause, uses=(*clause.uses, use), time=limit)
        end = self._match_any(start, AT_MOST_ONCE)
        if end > start and not clause.once:
            use = self._nouns.describe_use(start, end, WordRole.LIMIT, "at most once")
            yield end, replace(clause, once=True, uses=(*clause.uses, use))
        end = self._match_any(start, MORE_THAN_ONCE)
        if end > start and (clause.negated or clause.never):
            use = self._nouns.describe_use(start, end, WordRole.LIMIT, "at most once")
            if clause.never:
                *others, last = clause.never
                never = (*others, replace(last, once=True))
                yield end, replace(clause, never=never, uses=(*clause.uses, use))
            else:
                yield end, replace(clause, once=True, uses=(*clause.uses, use))
        end = self._match_any(start, SOMETIME)
        if end > start and not clause.negated and clause.act is not Act.KEEP:
            use = self._nouns.describe_use(start, end, WordRole.ORDER, "sometime")
            yield end, replace(clause, sometime=True, uses=(*clause.uses, use))
        for order, phrases in ((Link.EARLIER, FIRST), (Link.THEN, LAST)):
            end = self._match_any(start, phrases)
            if end > start and clause.order is None and self._nouns.ends_clause(end):
                use = self._nouns.describe_use(start, end, WordRole.ORDER, order.value)
                yield end, replace(clause, order=order, uses=(*clause.uses, use))
        end = self._match_any(start, IN_ORDER)
        if end > start:
            use = self._nouns.describe_use(start, end, WordRole.ORDER, "in this order")
            yield end, replace(clause, in_order=True, uses=(*clause.uses, use))

    def _match_any(self, start: int, phrases: PhraseSet) -> int:
        """Return the end of the longest of some phrases at a token; `start` if none is there."""
        return phrases.find_end(self._tokens, start)

    def _get(self, place: int) -> str:
        return self._nouns.get_text(place)
