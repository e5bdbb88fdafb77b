# SPDX-License-Identifier: Apache-2.0
"""Closed-class phrases around clauses: times, wishes, order; found before clauses are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.language.english.adverbials import (
    ALWAYS,
    AT_MOST_ONCE,
    IN_ORDER,
    PREFERENCES,
    SOMETIME,
)
from fcp_ros.language.english.function_words import LONGEST_LINK, OTHERWISE, SEQUENCE
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.parsing.clauses.timing_parser import read_time_limits
from fcp_ros.language.parsing.trees import (
    Act,
    Link,
    Sentence,
    SpokenClause,
    TimeLimit,
    collect_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

_LOOSE = (
    "advmod",
    "npadvmod",
    "prep",
    "ROOT",
    "intj",
    "dep",
    "cc",
    "acomp",
    "advcl",
    "mark",
    "pobj",
)
_NOUNS = ("det", "poss")


class MarkKind(Enum):
    """The way in which a phrase changes what a clause says."""

    TIME = "time"
    WISH = "a wish"
    ALWAYS = "always"
    SOMETIME = "sometime"
    ONCE = "at most once"
    IN_ORDER = "in order"
    THEN = "then"
    FIRST = "first"
    EARLIER = "earlier"
    OTHERWISE = "if not initially"


_TABLES = (
    (MarkKind.WISH, PREFERENCES, WordRole.LIMIT),
    (MarkKind.ALWAYS, ALWAYS, WordRole.ORDER),
    (MarkKind.SOMETIME, SOMETIME, WordRole.ORDER),
    (MarkKind.ONCE, AT_MOST_ONCE, WordRole.ORDER),
    (MarkKind.IN_ORDER, IN_ORDER, WordRole.ORDER),
    (MarkKind.OTHERWISE, OTHERWISE, WordRole.LIMIT),
)
_LINKS = {"then": MarkKind.THEN, "first": MarkKind.FIRST, "earlier": MarkKind.EARLIER}


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase around a clause.

    Attributes:
        start, end: the first and after the last token.
    """

    kind: MarkKind
    start: int
    end: int
    use: WordUse
    time: TimeLimit | None = None

    @property
    def tokens(self) -> range:
        """The tokens."""
        return range(self.start, self.end)


def find_marks(tokens: Sequence[Token], words: dict[int, Word]) -> list[Mark]:
    """Find the phrases around clauses, from left to right.

    Args:
        words: the word of the trees at each token.
    """
    found: list[Mark] = []
    place = 0
    while place < len(tokens):
        best = max(_list_at(tokens, place, words), key=lambda mark: mark.end, default=None)
        if best is None:
            place += 1
            continue
        found.append(best)
        place = best.end
    return found


def _list_at(tokens: Sequence[Token], place: int, words: dict[int, Word]) -> Iterator[Mark]:
    for end, limit in read_time_limits(tokens, place):
        yield _make(tokens, MarkKind.TIME, place, end, WordRole.ORDER, limit)
    for kind, phrases, role in _TABLES:
        end = phrases.find_end(tokens, place)
        if kind is MarkKind.WISH and tokens[place].text in ("i", "we"):
            continue  # "i would rather have it there" asks for it
        if kind is MarkKind.OTHERWISE and tokens[place].text == "if" and not _ends(tokens, end):
            continue  # "if it is not | shut"
        if end > place and not (kind is MarkKind.ALWAYS and tokens[place].text == "ever"):
            yield _make(tokens, kind, place, end, role)
    for length in range(LONGEST_LINK, 0, -1):
        said = tuple(t.text for t in tokens[place : place + length])
        link = _LINKS.get(SEQUENCE.get(said, ""))
        if len(said) == length and link is not None and _is_adverbial(tokens, place, length, words):
            yield _make(tokens, link, place, place + length, WordRole.ORDER)
            return


def _ends(tokens: Sequence[Token], end: int) -> bool:
    return end == len(tokens) or tokens[end].kind is TokenKind.MARK


def _is_adverbial(tokens: Sequence[Token], place: int, length: int, words: dict[int, Word]) -> bool:
    """Tell "put it there last" from "the last one" and "next to"."""
    last = tokens[place + length - 1].text
    following = tokens[place + length].text if place + length < len(tokens) else ""
    if last == "next" and following == "to":
        return False
    before = tokens[place - 1].text if place else ""
    word = words.get(place + length - 1)
    if length == 1 and (
        before in ("the", "my", "your") or (word and word.role in ("amod", "nummod"))
    ):
        return False
    return word is None or word.role in _LOOSE or length > 1


def _make(
    tokens: Sequence[Token],
    kind: MarkKind,
    start: int,
    end: int,
    role: WordRole,
    time: TimeLimit | None = None,
) -> Mark:
    use = WordUse(tokens[start].start, tokens[end - 1].end, role, kind.value)
    return Mark(kind, start, end, use, time)


def split_marks(clauses: Sequence[SpokenClause], marks: Sequence[Mark]) -> list[list[Mark]]:
    """Give each phrase to the clause in which it stands: "and, if possible, the book"."""
    found: list[list[Mark]] = [[] for _ in clauses]
    ends = [max((u.end for u in collect_uses(Sentence((c,)))), default=0) for c in clauses]
    for mark in marks:
        number = 0
        while number + 1 < len(clauses) and mark.use.start >= ends[number]:
            number += 1
        found[number].append(mark)
    return found


def apply_mark(clause: SpokenClause, mark: Mark, behind: bool) -> SpokenClause:
    """Change a clause by a phrase around it."""
    if mark.kind is MarkKind.WISH:
        return replace(clause, preferred=True)
    if mark.kind is MarkKind.TIME:
        return replace(clause, time=mark.time)
    if mark.kind is MarkKind.SOMETIME:
        return replace(clause, sometime=True)
    if mark.kind is MarkKind.ONCE:
        return replace(clause, once=True)
    if mark.kind is MarkKind.IN_ORDER:
        return replace(clause, in_order=True)
    if mark.kind is MarkKind.ALWAYS and clause.act is Act.STATE:
        return replace(clause, act=Act.KEEP)
    if mark.kind is MarkKind.FIRST and behind:
        return replace(clause, order=Link.EARLIER)
    if mark.kind is MarkKind.THEN and behind:
        return replace(clause, order=Link.THEN)
    return clause
