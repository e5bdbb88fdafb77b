# SPDX-License-Identifier: Apache-2.0
"""What the parser library says of mistakes, said with the file, the line and what to do."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lark.exceptions import LarkError, UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

from fcp_ros.domain.pddl.errors import PddlError
from fcp_ros.domain.pddl.source import Source


@contextmanager
def traceback_limit_kept() -> Iterator[None]:
    """Leaves `sys.tracebacklimit` as it was."""
    had, limit = hasattr(sys, "tracebacklimit"), getattr(sys, "tracebacklimit", None)
    try:
        yield
    finally:
        if had:
            sys.tracebacklimit = limit
        elif hasattr(sys, "tracebacklimit"):
            del sys.tracebacklimit


@contextmanager
def explained(
    source: Source, library_error: type[Exception], renamed: tuple[str, str]
) -> Iterator[None]:
    """Turns whatever the parser library raises into a PddlError with the best place there is.

    Arguments:
        source: the file that is read.
        library_error: the base of the library's own exceptions.
        renamed: a word as the library was given it, and as it stands in the file.
    """
    try:
        yield
    except UnexpectedEOF as error:
        line = source.line(len(source.text))
        raise PddlError(source.file, line, "the file ends too early", "add a `)`") from error
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise _syntax_error(source, error, renamed) from error
    except (LarkError, library_error, ValueError, AssertionError) as error:
        message = " ".join(str(error).split()).rstrip(".").replace(*renamed)
        quoted = re.search(r"'([\w-]+)'", message)
        line = source.line_of(quoted.group(1)) if quoted else 1
        raise PddlError(source.file, line, message, "correct it there") from error


def _syntax_error(
    source: Source, error: UnexpectedToken | UnexpectedCharacters, renamed: tuple[str, str]
) -> PddlError:
    lines = source.text.splitlines() or [""]
    line = min(max(error.line, 1), len(lines))
    if isinstance(error, UnexpectedToken):
        found = repr(str(error.token).replace(*renamed))
        expected = sorted(_WORDS.get(name, name.lower()) for name in error.accepts or ())
    else:
        found = repr(lines[line - 1][max(error.column - 1, 0) :][:1])
        expected = sorted(_WORDS.get(name, name.lower()) for name in error.allowed or ())
    wanted = f"write {' or '.join(expected[:6])}" if expected else "correct the line"
    return PddlError(source.file, line, f"{found} can't stand here", wanted)


_WORDS = {
    "LPAR": "`(`",
    "RPAR": "`)`",
    "NAME": "a name",
    "TYPE_SEP": "`-`",
    "__ANON_0": "`?`",
    "PARAMETERS": "`:parameters`",
    "PRECONDITION": "`:precondition`",
    "EFFECT": "`:effect`",
    "NUMBER": "a number",
}
