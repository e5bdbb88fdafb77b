# SPDX-License-Identifier: Apache-2.0
"""Lengths of time, and when something shall be so: "within two minutes", "from then on"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from fcp_ros.language.english.number_words import UNITS
from fcp_ros.language.english.times import (
    AFTER,
    ALLOWED,
    ALLOWED_BOUNDS,
    BEFORE,
    FOR,
    FROM,
    FROM_NOW,
    LATEST,
    LONGEST,
    ONCE,
    ONWARDS,
    PASSED,
    WITHIN,
)
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.parsing.noun_phrases.quantities import match_words, read_number
from fcp_ros.language.parsing.trees import TimeKind, TimeLimit

_PARTS = {("half", "an"): Fraction(1, 2), ("half", "a"): Fraction(1, 2)}
_QUARTERS = {
    ("a", "quarter", "of", "an"): Fraction(1, 4),
    ("quarter", "of", "an"): Fraction(1, 4),
    ("three", "quarters", "of", "an"): Fraction(3, 4),
}
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
    if _get(tokens, start) in ("minute", "second", "hour"):  # "minute 2"
        numbered = read_number(tokens, start + 1)
        if numbered is not None:
            return numbered[0], Fraction(numbered[1] * UNITS[_get(tokens, start)])
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
    for end, seconds, said in _list_framed(tokens, start, ((),), (LATEST,)):
        if said:
            yield end, TimeLimit(TimeKind.WITHIN, seconds)
    for end, seconds, _ in _list_framed(tokens, start, WITHIN, (LATEST, FROM_NOW)):
        yield end, TimeLimit(TimeKind.WITHIN, seconds)
    for kind, before, behind in (
        (TimeKind.WITHIN, BEFORE, PASSED),
        (TimeKind.WITHIN, AFTER, LATEST),
        (TimeKind.AFTER, ONCE, PASSED),
        (TimeKind.AFTER, FROM, ONWARDS),
    ):
        for end, seconds, said in _list_framed(tokens, start, before, (behind,)):
            if said:
                yield end, TimeLimit(kind, seconds)
    for end, seconds, said in _list_framed(tokens, start, AFTER, (LATEST, PASSED)):
        if not said:
            yield end, TimeLimit(TimeKind.AFTER, seconds)
    for end, seconds, _ in _list_framed(tokens, start, FOR, (FROM_NOW,)):
        yield end, TimeLimit(TimeKind.DURING, seconds)
    yield from _read_between(tokens, start)


def read_allowed_time(tokens: Sequence[Token], start: int) -> tuple[int, TimeLimit] | None:
    """Read "you have at most two minutes", "it must not take longer than a minute"."""
    for words in ALLOWED:
        if match_words(tokens, start, words):
            place = start + len(words)
            for bound in (*ALLOWED_BOUNDS, ()):
                if match_words(tokens, place, bound):
                    found = read_duration(tokens, place + len(bound))
                    if found is not None:
                        end = max(_match_behind(tokens, found[0], LATEST), found[0])
                        return end, TimeLimit(TimeKind.WITHIN, found[1])
    said = start + (_get(tokens, start) == "all")
    if _get(tokens, said) not in ("this", "it", "that"):
        return None
    for words in LONGEST:
        if match_words(tokens, said + 1, words):
            place = said + 1 + len(words)
            if words[-1] not in ("done", "happen"):
                found = read_duration(tokens, place)
                return (found[0], TimeLimit(TimeKind.WITHIN, found[1])) if found else None
            for end, limit in read_time_limits(tokens, place):
                if limit.kind is TimeKind.WITHIN:
                    return end, limit
    return None


def read_longest_time(tokens: Sequence[Token], start: int) -> tuple[int, TimeLimit] | None:
    """Read "within a minute", "no more than a minute" before "after"."""
    for words in (*ALLOWED_BOUNDS, *WITHIN):
        if match_words(tokens, start, words):
            found = read_duration(tokens, start + len(words))
            if found is not None:
                return found[0], TimeLimit(TimeKind.WITHIN, found[1])
    return None


def _list_framed(
    tokens: Sequence[Token],
    start: int,
    before: Sequence[tuple[str, ...]],
    behind: Sequence[Sequence[tuple[str, ...]]],
) -> Iterator[tuple[int, Fraction, bool]]:
    """Yield lengths of time behind some words; True if one of some others is behind them."""
    text = _get(tokens, start)
    for words in before:
        if words and (words[0] != text or not match_words(tokens, start, words)):
            continue
        found = read_duration(tokens, start + len(words))
        if found is None:
            continue
        end, seconds = found
        after = max(_match_behind(tokens, end, phrases) for phrases in behind)
        yield max(after, end), seconds, after > end


def _match_behind(tokens: Sequence[Token], start: int, phrases: Sequence[tuple[str, ...]]) -> int:
    lengths = [len(words) for words in phrases if match_words(tokens, start, words)]
    return start + max(lengths, default=0)


def _read_between(tokens: Sequence[Token], start: int) -> Iterator[tuple[int, TimeLimit]]:
    """Read "from 30 seconds to one minute", "between one and two minutes"."""
    for first, second in (("from", "to"), ("from", "until"), ("between", "and")):
        if _get(tokens, start) != first:
            continue
        one = _read_single(tokens, start + 1)
        amount = _read_amount(tokens, start + 1) if one is None else None
        middle = one[0] if one is not None else amount[0] if amount is not None else start
        if middle == start or _get(tokens, middle) != second:
            continue
        two = read_duration(tokens, middle + 1)
        if two is None:
            continue
        if one is not None:
            begin = one[1]
        else:
            assert amount is not None
            begin = amount[1] * UNITS[_get(tokens, two[0] - 1)]
        if begin < two[1]:
            yield (
                max(_match_behind(tokens, two[0], FROM_NOW), two[0]),
                TimeLimit(TimeKind.DURING, two[1], begin),
            )


def _get(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if place < len(tokens) else ""
