# SPDX-License-Identifier: Apache-2.0
"""Hedges and greetings, set aside before a sentence is parsed.

They may stand in the middle of a clause ("put the mug, if you don't mind, on the table"), and have
a fixed form, so no parser of clauses needs to know of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.language.english.remark_words import (
    GREETINGS,
    HEDGES,
    JOINING,
)
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.reading import WordRole, WordUse

ASIDE = "a remark"
"""The meaning of words that ask for nothing."""
_CERTAIN = 4
"""Words of a hedge that needs a mark or a conjunction on one side only."""
_DASHES = frozenset(["-", "\u2013", "\u2014", "(", ")"])


@dataclass(frozen=True, slots=True)
class Asides:
    """A sentence without what was set aside."""

    tokens: tuple[Token, ...]
    uses: tuple[WordUse, ...]


def set_aside(tokens: Sequence[Token]) -> Asides:
    """Set hedges and greetings aside, with the comma that belongs to them."""
    kept: list[Token] = []
    uses: list[WordUse] = []
    place = 0
    while place < len(tokens):
        end = _find_aside(tokens, place)
        if end == place:
            kept.append(tokens[place])
            place += 1
            continue
        uses.append(WordUse(tokens[place].start, tokens[end - 1].end, WordRole.FILLER, ASIDE))
        if kept and kept[-1].text == ",":
            kept.pop()
            if end < len(tokens) and _joins(tokens, end):
                kept.append(tokens[end])
        place = end + (end < len(tokens) and tokens[end].text == ",")
    return Asides(tuple(kept), tuple(uses))


def _joins(tokens: Sequence[Token], end: int) -> bool:
    """Return True if the comma behind an aside separates clauses."""
    return tokens[end].text == "," and end + 1 < len(tokens) and tokens[end + 1].text in JOINING


def _find_aside(tokens: Sequence[Token], start: int) -> int:
    """Return the end of what is set aside at a token; `start` if there is nothing."""
    opened = start == 0 or _is_boundary(tokens, start - 1)
    end = GREETINGS.find_end(tokens, start)
    if end > start and _stands_alone(tokens, start, end):
        return end
    end = HEDGES.find_end(tokens, start)
    if end > start:
        closed = end == len(tokens) or _is_boundary(tokens, end)
        if (opened and closed) or (end - start >= _CERTAIN and (opened or closed)):
            return end
    return start


def _stands_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Return True for words between marks."""
    before = start == 0 or _is_mark(tokens[start - 1])
    return before and (end == len(tokens) or _is_mark(tokens[end]))


def _is_mark(token: Token) -> bool:
    return token.kind is TokenKind.MARK or token.text in _DASHES


def _is_boundary(tokens: Sequence[Token], place: int) -> bool:
    return _is_mark(tokens[place]) or tokens[place].text in JOINING
