# SPDX-License-Identifier: Apache-2.0
"""Words about the time of a clause: lengths, by when, how often, in which order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from fcp_ros.language.english.adverbials import (
    AT_MOST_ONCE,
    FIRST,
    LAST,
    MORE_THAN_ONCE,
    PREFERENCES,
    SOMETIME,
)
from fcp_ros.language.english.number_words import (
    AFTER,
    ALLOWED_BOUNDS,
    BEFORE,
    FOR,
    FROM,
    FROM_NOW,
    LATEST,
    ONCE,
    ONWARDS,
    PASSED,
    UNITS,
    WITHIN,
)
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.quantities import match_words, read_number
from fcp_ros.language.parsing.trees import Act, Link, SpokenClause, TimeKind, TimeLimit
from fcp_ros.language.reading import WordRole, WordUse

_PARTS = {("half", "an"): Fraction(1, 2), ("half", "a"): Fraction(1, 2)}
_QUARTERS = {
    ("a", "quarter", "of", "an"): Fraction(1, 4),
    ("quarter", "of", "an"): Fraction(1, 4),
    ("three", "quarters", "of", "an"): Fraction(3, 4),
}
_FRAMES: tuple[tuple[TimeKind, PhraseSet, tuple[PhraseSet, ...], bool | None], ...] = (
    (TimeKind.WITHIN, WITHIN, (LATEST, FROM_NOW), None),
    (TimeKind.WITHIN, BEFORE, (PASSED,), True),
    (TimeKind.WITHIN, AFTER, (LATEST,), True),
    (TimeKind.AFTER, ONCE, (PASSED,), True),
    (TimeKind.AFTER, FROM, (ONWARDS,), True),
    (TimeKind.AFTER, AFTER, (LATEST, PASSED), False),
    (TimeKind.DURING, FOR, (FROM_NOW,), None),
)
"""Kind of time, words before a length of time, words behind it, and True if those are needed,
False if they are not allowed."""
_WITH_UNIT = re.compile(r"(\d+)(s|sec|secs|min|mins|h)")


def read_duration(tokens: Sequence[Token], start: int) -> tuple[int, Fraction] | None:
    """Read a length of time: after its last token, and its seconds; None if there is none."""
    found = _read_single(tokens, start)
    if found is None:
        return None
    end, seconds = found
    if _get(tokens, end) == "and":
        if match_words(tokens, end, ("and", "a", "half")):  # a minute and a half
            return end + 3, seconds + Fraction(UNITS.get(_get(tokens, end - 1), 0), 2)
        more = _read_single(tokens, end + 1)
        if more is not None and more[1] < seconds:
            return more[0], seconds + more[1]
    return end, seconds


def _read_single(tokens: Sequence[Token], start: int) -> tuple[int, Fraction] | None:
    for words, share in (*_PARTS.items(), *_QUARTERS.items()):
        end = start + len(words)
        if match_words(tokens, start, words) and _get(tokens, end) in UNITS:
            return end + 1, share * UNITS[_get(tokens, end)]
    joined = _WITH_UNIT.fullmatch(_get(tokens, start))
    if joined is not None:
        return start + 1, Fraction(int(joined[1])) * UNITS[joined[2]]
    amount = _read_amount(tokens, start)
    if amount is None or _get(tokens, amount[0]) not in UNITS:
        return None
    end, number = amount
    return end + 1, number * UNITS[_get(tokens, end)]


def _read_amount(tokens: Sequence[Token], start: int) -> tuple[int, Fraction] | None:
    text = _get(tokens, start)
    number = read_number(tokens, start)
    if number is None and text in ("a", "an", "single"):
        number = (start + 1 + (_get(tokens, start + 1) == "single"), 1)
    if number is None and text and tokens[start].kind is TokenKind.NUMBER:
        digits = text.replace(",", ".")
        if digits.count(".") == 1 and len(digits) < 8:
            return start + 1, Fraction(digits)
    if number is None:
        return None
    end, value = number[0], Fraction(number[1])
    if match_words(tokens, end, ("and", "a", "half")):
        return end + 3, value + Fraction(1, 2)
    return end, value


def read_time_limits(tokens: Sequence[Token], start: int) -> Iterator[tuple[int, TimeLimit]]:
    """Yield the times that are said from a token on: "within two minutes", "from then on"."""
    bare = read_duration(tokens, start)
    if bare is not None and LATEST.find_end(tokens, bare[0]) > bare[0]:
        yield LATEST.find_end(tokens, bare[0]), TimeLimit(TimeKind.WITHIN, bare[1])
    for kind, before, behind, needed in _FRAMES:
        place = before.find_end(tokens, start)
        found = read_duration(tokens, place) if place > start else None
        if found is None:
            continue
        end = max(phrases.find_end(tokens, found[0]) for phrases in behind)
        if needed is None or needed == (end > found[0]):
            yield end, TimeLimit(kind, found[1])


def read_longest_time(tokens: Sequence[Token], start: int) -> tuple[int, TimeLimit] | None:
    """Read "within a minute", "no more than a minute" before "after"."""
    place = max(phrases.find_end(tokens, start) for phrases in (ALLOWED_BOUNDS, WITHIN))
    found = read_duration(tokens, place) if place > start else None
    return (found[0], TimeLimit(TimeKind.WITHIN, found[1])) if found else None


def _get(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if place < len(tokens) else ""


class TimingParser:
    """A reader of times and numbers of times around the core of a clause.

    Args:
        nouns: the chart of its noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        self._nouns = nouns
        self._tokens = nouns.tokens

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
        if end > start and clause.negated:
            use = self._nouns.describe_use(start, end, WordRole.LIMIT, "at most once")
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

    def _match_any(self, start: int, phrases: PhraseSet) -> int:
        """Return the end of the longest of some phrases at a token; `start` if none is there."""
        return phrases.find_end(self._tokens, start)

    def _get(self, place: int) -> str:
        return self._nouns.get_text(place)
