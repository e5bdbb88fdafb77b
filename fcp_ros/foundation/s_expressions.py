# SPDX-License-Identifier: Apache-2.0
"""S-expressions as PDDL and Lisp write them: words and lists in parentheses, with their places.

A text is read in one pass over its tokens, without recursion, so that neither long nor deeply
nested texts are a problem. A list without lists or comments in it is a single token: files that
hold 100,000 facts are read in a fraction of a second. The place of a list is stored; that of a word
is found again in the text when somebody asks for it (`offset_of`), which only messages do. A
question mark begins a word, since PDDL's names have none: `(?a?b)` has two.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TypeAlias


class SList(list["SNode"]):
    """A list in parentheses, and the offsets of its beginning (-1: outermost) and of its end."""

    __slots__ = ("end", "start")

    def __init__(self, parts: list[str], start: int, end: int) -> None:
        """Take the parts; `end` is set again where a list turns out to be longer."""
        super().__init__(parts)
        self.start = start
        self.end = end


SNode: TypeAlias = "str | SList"

_TOKEN = re.compile(r"\([^();]*\)|[()]|\??[^\s();?]+|\?|;[^\n]*")
_WORD = re.compile(r"\??[^\s?]+|\?")


class SExpressionError(ValueError):
    """Parentheses that do not match; `offset` is where that shows."""

    def __init__(self, offset: int, missing: int) -> None:
        super().__init__(f"{missing} missing `)`" if missing else "a `)` too many")
        self.offset = offset
        self.missing = missing  # closing parentheses; 0 if there is one too many


def read_s_expressions(text: str) -> SList:
    """Read all words and lists of a text, in an outermost one; `;` begins comments."""
    current = SList([], -1, len(text))
    enclosing: list[SList] = []
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token == "(":
            inner = SList([], found.start(), -1)
            current.append(inner)
            enclosing.append(current)
            current = inner
        elif token == ")":
            if not enclosing:
                raise SExpressionError(found.start(), 0)
            current.end = found.end()
            current = enclosing.pop()
        elif token[0] == "(":
            inside = token[1:-1]
            words = _WORD.findall(inside) if "?" in inside else inside.split()
            current.append(SList(words, found.start(), found.end()))
        elif token[0] != ";":
            current.append(token)
    if enclosing:
        raise SExpressionError(len(text), len(enclosing))
    return current


def offset_of(text: str, parent: SList, position: int) -> int:
    """Find where a part of a list begins."""
    part = parent[position]
    if isinstance(part, SList):
        return part.start
    return next(itertools.islice(part_offsets(text, parent), position, None))


def part_offsets(text: str, parent: SList) -> Iterator[int]:
    """Find where each part of a list begins, in one pass over its text."""
    depth = 0
    for found in _TOKEN.finditer(text, parent.start + 1, parent.end):
        token = found.group()
        if token[0] == ";":
            continue
        if token == ")":
            depth -= 1
            continue
        if depth == 0:
            yield found.start()
        depth += token == "("


def list_words(node: SNode | list[SNode]) -> list[str] | None:
    """Return the words of a list that holds only words, None for any other node."""
    if isinstance(node, str) or not all(isinstance(part, str) for part in node):
        return None
    return [part for part in node if isinstance(part, str)]


def preview(node: SNode | list[SNode], limit: int = 80) -> str:
    """Write the beginning of a node for a message, two levels of it at most."""
    if isinstance(node, str):
        return node[:limit]
    parts = [part if isinstance(part, str) else "(...)" for part in node[:6]]
    return f"({' '.join(parts)[:limit]}{' ...' if len(node) > 6 else ''})"
