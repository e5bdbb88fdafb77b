# SPDX-License-Identifier: Apache-2.0
"""Files that users name are read through here: regular ones only, and no more bytes than allowed.

A link to /dev/zero has no end, a pipe keeps its reader waiting, and a sparse file of 5 GB takes no
room on the disk: what a name leads to is known only once it is open.
"""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from fcp_ros.foundation.input_error import InputError

MEBIBYTE = 1 << 20
MOST_TEXT = 64 * MEBIBYTE
"""Bytes of the longest text that is read where its format sets no limit of its own."""


class FileError(InputError):
    """A file that can't be read: the fault and its remedy, clauses; `offset` of bad UTF-8."""

    def __init__(self, path: Path, what: str, fix: str, offset: int | None = None) -> None:
        super().__init__(f"{path} {what}; {fix}")
        self.what = what
        self.fix = fix
        self.offset = offset


def read_bytes(path: Path, most: int = MOST_TEXT) -> bytes:
    """Read a regular file, links followed, of at most so many bytes; FileError for others."""
    try:
        # Without O_NONBLOCK, opening a pipe waits until somebody writes into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            state = os.fstat(descriptor)
            if stat.S_ISDIR(state.st_mode):
                raise FileError(path, "can't be read (it is a folder)", "give a file")
            if not stat.S_ISREG(state.st_mode):
                what = "can't be read (it is a pipe, a socket or a device)"
                raise FileError(path, what, "give a regular file")
            # The size may be too small: files grow, and those below /proc have none.
            content = file.read(most + 1) if state.st_size <= most else None
    except OSError as error:
        what = f"can't be read ({error.strerror or error})"
        raise FileError(path, what, "check the path and its permissions") from None
    if content is None or len(content) > most:
        what = f"is larger than {most} bytes"
        raise FileError(path, what, "split or shorten it")
    return content


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """Read a regular file of UTF-8 text (else FileError); a byte order mark is left out."""
    raw = read_bytes(path, most).removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text (byte {error.start})"
        raise FileError(path, what, "save it as UTF-8", error.start) from None
