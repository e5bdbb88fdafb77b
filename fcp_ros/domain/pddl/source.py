# SPDX-License-Identifier: Apache-2.0
"""The text of a PDDL file: without comments and case, in sections, with places for messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

from fcp_ros.domain.pddl.errors import PddlError

_COMMENT = re.compile(r";[^\n]*")
_SECTION = re.compile(r"\(\s*(:[a-z][\w-]*)")
_WORD = r"(?<![\w?-]){}(?![\w-])"
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True)
class Section:
    """One `(:name ...)` of a file: where it starts (its parenthesis) and ends (behind it)."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A file. PDDL does not tell upper from lower case, so `code` is all lower case.

    Attributes:
        file: its path, for messages.
        text: as written.
        code: the same, as long, with comments blanked out and letters lowered.
    """

    file: str
    text: str

    @cached_property
    def code(self) -> str:
        text = self.text
        if ";" in text:
            text = _COMMENT.sub(lambda found: " " * len(found.group()), text)
        return text.translate(_LOWER)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections in the order of the file.

        Raises:
            PddlError: parentheses don't match, with the line of the section at fault.
        """
        starts = [(found.group(1), found.start()) for found in _SECTION.finditer(self.code)]
        ends = [start for _, start in starts[1:]] + [self._closed_at()]
        return tuple(
            Section(name, start, self._end(name, start, end))
            for (name, start), end in zip(starts, ends, strict=True)
        )

    def section(self, name: str) -> Section | None:
        """The first section of that name, None where there is none."""
        return next((found for found in self.sections if found.name == name), None)

    def inside(self, name: str) -> str:
        """What stands between the name of a section and its end; empty where there is none."""
        found = self.section(name)
        if found is None:
            return ""
        return self.code[self.code.index(name, found.start) + len(name) : found.end - 1]

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return self.text.count("\n", 0, offset) + 1

    def line_of(self, word: str, *, after: int = 0) -> int:
        """The line where a word first stands behind an offset; that of the offset if it doesn't."""
        found = re.compile(_WORD.format(re.escape(word))).search(self.code, after)
        return self.line(found.start() if found else after)

    def blanked(self, start: int, end: int) -> str:
        """The code with a part of it replaced by spaces; lines stay where they are."""
        gap = re.sub(r"[^\n]", " ", self.code[start:end])
        return self.code[:start] + gap + self.code[end:]

    def _closed_at(self) -> int:
        """Where the parenthesis that closes the whole file stands."""
        close = self.code.rfind(")")
        if close < 0 or self.code[close + 1 :].strip():
            raise PddlError(
                self.file,
                self.line(len(self.text)),
                "the file does not end with the parenthesis that closes `(define`",
                "add the missing `)`",
            )
        return close

    def _end(self, name: str, start: int, limit: int) -> int:
        opened = self.code.count("(", start, limit)
        closed = self.code.count(")", start, limit)
        if opened == closed:
            return self.code.rindex(")", start, limit) + 1
        what = f"{opened} opening and {closed} closing parentheses in the section {name}"
        fix = "add the missing `)`" if opened > closed else "remove a `)`, or add the missing `(`"
        raise PddlError(self.file, self.line(start), what, fix)


def read_source(path: str | PathLike[str]) -> Source:
    """Read a file.

    Raises:
        PddlError: it can't be read, or is not UTF-8.
    """
    file = Path(path)
    try:
        return Source(str(file), file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise PddlError(str(file), 0, f"can't be read ({reason})", "check the path") from error
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 text (byte {error.start})"
        raise PddlError(str(file), 0, message, "save it as UTF-8") from error


def words(code: str) -> Iterator[str]:
    """Parentheses and whatever stands between them and spaces."""
    return (found.group() for found in re.finditer(r"[()]|[^\s()]+", code))
