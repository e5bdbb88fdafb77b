# SPDX-License-Identifier: Apache-2.0
"""The text of a PDDL file, its sections, and errors that name a place in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

from fcp_ros.domain.diagnostics import Diagnostic, DomainError
from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.foundation.s_expressions import (
    SExpressionError,
    SList,
    offset_of,
    preview,
    read_s_expressions,
)
from fcp_ros.foundation.wording import find_control, shorten_words, to_printable

_WORD = re.compile(r"\??[^\s();?]+|\?|;[^\n]*")
_COMMENT = re.compile(r";[^\n]*")
_SECTION = re.compile(r"\(\s*(:[a-z][\w-]*)")
_WHOLE = (0, 0)
"""The place of a fault of the file as a whole."""
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True)
class Source:
    """A file of PDDL, which ignores case: `code` is all lower case."""

    file: str
    text: str

    @cached_property
    def code(self) -> str:
        """The text with its ASCII letters in lower case; its length is the same."""
        return self.text.lower() if self.text.isascii() else self.text.translate(_LOWER)

    @cached_property
    def body(self) -> SList:
        """The list that the file consists of.

        Raises PddlError if parentheses don't match, with the line of the section at fault; or there
        is something beside the list.
        """
        self._refuse_controls()
        try:
            outermost = read_s_expressions(self.code)
        except SExpressionError as error:
            self._check_parentheses()
            verb, fix = ("are", "add them") if error.missing > 1 else ("is", "add it")
            if not error.missing:
                fix = "remove it, or add the missing `(`"
            raise self.error(error.offset, f"there {verb} {error}", fix) from error
        body: SList | None = None
        for position, node in enumerate(outermost):
            if isinstance(node, SList) and node[:1] == ["in-package"]:
                continue  # what is left of Lisp in the files of 1998
            if isinstance(node, str) or body is not None:
                at = offset_of(self.code, outermost, position)
                message = f"{preview(node)!r} stands outside `(define ...)`"
                raise self.error(at, message, "remove it, or put it inside the parentheses")
            body = node
        if body is None:
            fix = "write (define (domain ...) ...) or (define (problem ...) ...)"
            raise self.error(0, "the file is empty", fix)
        if any(isinstance(node, SList) and _has_section(node) for node in body):
            # A section inside another one: two parentheses are wrong, or it can't stand there.
            self._check_parentheses()
        return body

    @cached_property
    def head(self) -> SList | None:
        """The list `(domain name)` or `(problem name)`; None if the file has no such list."""
        body = self.body
        if len(body) > 1 and body[0] == "define" and isinstance(body[1], SList):
            return body[1]
        return None

    @property
    def kind(self) -> str:
        """The first word of the head: `domain` or `problem`; empty without a head."""
        head = self.head
        return str(head[0]) if head else ""

    @cached_property
    def sections(self) -> tuple[SList, ...]:
        """The lists of the file that begin with a keyword, in their order.

        Raises PddlError as `body` does.
        """
        return tuple(
            node
            for node in self.body
            if isinstance(node, SList)
            and node
            and isinstance(node[0], str)
            and node[0].startswith(":")
        )

    def section(self, name: str) -> SList | None:
        """Return the first section of that name; None if the file has none."""
        return next((found for found in self.sections if found[0] == name), None)

    # --- places

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        offset = max(offset, 0)
        begin = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, begin) + 1, offset - begin + 1

    def offset_of(self, parent: SList, position: int) -> int:
        return offset_of(self.code, parent, position)

    def spelling(self, start: int, length: int) -> str:
        """Return a part of the text as written."""
        return self.text[start : start + length]

    def error(self, offset: int, message: str, fix: str) -> PddlError:
        """Build an error at an offset; message and fix are clauses without a full stop."""
        return PddlError(self.file, self.place(offset), message, fix)

    def refusal(self, offset: int, feature: str, fix: str) -> UnsupportedPddl:
        return UnsupportedPddl(self.file, self.place(offset), feature, fix)

    def note(self, offset: int, message: str, fix: str) -> Diagnostic:
        """Build a remark at an offset: the file is read, but may not mean what it should."""
        line, column = self.place(offset)
        return Diagnostic(self.file, line, message, fix, column)

    def misplacement(self, parent: SList, position: int, wanted: str) -> PddlError:
        """Build the error for a part of a list that can't stand there; `wanted` is the fix."""
        message = f"{preview(parent[position])!r} can't stand here"
        return self.error(self.offset_of(parent, position), message, wanted)

    def _refuse_controls(self) -> None:
        """Raise for the first control character outside of comments, if there is one."""
        if not find_control(self.code, multiline=True):  # nor, then, in comments
            return
        for found in _WORD.finditer(self.code):
            word = found.group()
            if not word.startswith(";") and (control := find_control(word, multiline=True)):
                raise self.error(
                    found.start(), f"a word holds {control}, a control character", "remove it"
                )

    # --- parentheses

    def _check_parentheses(self) -> None:
        """Raise for the first section whose parentheses do not match, if any."""
        code = _COMMENT.sub(lambda found: " " * len(found.group()), self.code)
        close = code.rfind(")")
        if close < 0 or code[close + 1 :].strip():
            raise self.error(
                len(self.text),
                "the file does not end with the parenthesis that closes `(define`",
                "add the missing `)`",
            )
        starts = [(found.group(1), found.start()) for found in _SECTION.finditer(code)]
        ends = [*(start for _, start in starts[1:]), close][: len(starts)]
        for (name, start), end in zip(starts, ends, strict=True):
            opened, closed = code.count("(", start, end), code.count(")", start, end)
            if opened != closed:
                more = opened > closed
                raise self.error(
                    start,
                    f"{opened} opening and {closed} closing parentheses in the section {name}",
                    "add the missing `)`" if more else "remove a `)`, or add the missing `(`",
                )


def read_source(path: str | PathLike[str]) -> Source:
    """Read a file. Raises PddlError if it can't be read, is too large, or is not UTF-8."""
    file = Path(path)
    try:
        return Source(str(file), read_text(file))
    except FileError as error:
        raise PddlError(str(file), _WHOLE, error.what, error.fix) from error


def describe_arity(name: str, wanted: int, given: int) -> str:
    """Say that a predicate or function is given another number of arguments than it takes."""
    return f"{name} takes {wanted} {'argument' if wanted == 1 else 'arguments'}, not {given}"


def _has_section(node: SList) -> bool:
    """Return True if a list holds a list that begins with a keyword."""
    return any(
        isinstance(part, SList) and part and isinstance(part[0], str) and part[0].startswith(":")
        for part in node
    )


def words_with_offsets(source: Source, node: SList) -> Iterator[tuple[str, int]]:
    """List the words of a list without lists in it, each with its offset."""
    for found in _WORD.finditer(source.code, node.start + 1, node.end - 1):
        if not found.group().startswith(";"):
            yield found.group(), found.start()


class PddlError(DomainError):
    """A PDDL file that can't be read, with the fault and the fix (clauses) and the place.

    That is line and column, 1-based; zeros if the file as a whole is meant.
    """

    def __init__(self, file: str, place: tuple[int, int], message: str, fix: str) -> None:
        line, column = place
        message, fix = (to_printable(shorten_words(part)) for part in (message, fix))
        super().__init__([Diagnostic(file, line, message, fix, column)])


class UnsupportedPddl(PddlError):
    """A file that is sound PDDL but needs a feature that is not supported; `feature` names it."""

    def __init__(self, file: str, place: tuple[int, int], feature: str, fix: str) -> None:
        super().__init__(file, place, f"not supported: {feature}", fix)
        self.feature = feature
