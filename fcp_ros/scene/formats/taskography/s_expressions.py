# SPDX-License-Identifier: Apache-2.0
"""Lists in parentheses, as PDDL writes them: words and lists of words, without comments."""

from __future__ import annotations

import re
from typing import TypeAlias

from fcp_ros.scene.graph.errors import SceneError

Expression: TypeAlias = "str | list[Expression]"

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


def s_expression(text: str) -> list[Expression]:
    """The one list that a text consists of.

    Raises:
        SceneError: Parentheses do not match, or there is something beside the list; with the line.
    """
    outermost: list[Expression] = []
    open_lists = [outermost]
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token == "(":
            inner: list[Expression] = []
            open_lists[-1].append(inner)
            open_lists.append(inner)
        elif token == ")":
            open_lists.pop()
            if not open_lists:
                raise _wrong("a `)` too many", text, found.start())
        elif token[0] != ";":
            open_lists[-1].append(token)
    if len(open_lists) > 1:
        raise _wrong(f"{len(open_lists) - 1} missing `)`", text, len(text))
    if len(outermost) != 1 or isinstance(outermost[0], str):
        raise _wrong("something beside its one list in parentheses", text, len(text))
    return outermost[0]


def words_of(expression: Expression) -> list[str]:
    """The words of a flat list; SceneError where there is a list within it."""
    if isinstance(expression, str) or not all(isinstance(part, str) for part in expression):
        raise SceneError(f"a list of words is expected, not {shown(expression)}")
    return [part for part in expression if isinstance(part, str)]


def shown(expression: Expression) -> str:
    """The beginning of an expression, for messages; two levels of it at most."""
    if isinstance(expression, str):
        return expression[:80]
    parts = [part if isinstance(part, str) else "(...)" for part in expression[:6]]
    return f"({' '.join(parts)[:80]}{' ...' if len(expression) > 6 else ''})"


def _wrong(what: str, text: str, offset: int) -> SceneError:
    return SceneError(
        f"the file has {what} (line {text.count(chr(10), 0, offset) + 1})",
        advice="Correct the parentheses, or export the file again.",
    )
