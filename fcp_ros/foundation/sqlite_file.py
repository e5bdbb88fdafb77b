# SPDX-License-Identifier: Apache-2.0
"""SQLite files that several processes share and that survive corruption.

WAL mode lets readers continue while one process writes; the busy timeout makes a second writer wait
instead of failing. A file that is not a sound database is moved aside, never deleted.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from pathlib import Path

BUSY_TIMEOUT = 10.0
"""Time that a writer waits for another process's transaction (s)."""

_LOG = logging.getLogger(__name__)


class DatabaseFileError(Exception):
    """A database file that can't be created, read or written; says what to do."""


def open_database(
    path: Path, statements: tuple[str, ...], *, synchronous: str
) -> tuple[sqlite3.Connection, str]:
    """Open or create a database.

    Args:
        path: the file; its folder is created where needed.
        statements: ``CREATE ... IF NOT EXISTS`` statements.
        synchronous: ``FULL`` (each commit is on the disk) or ``NORMAL`` (a power cut may cost the
            last commits, never the file).

    Returns:
        The connection (usable from several threads, one at a time), and a sentence about a
        corrupt file that was set aside, or "" if there was none.

    Raises:
        DatabaseFileError: the file can't be created, read or written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _make_error(path, error) from error
    try:
        return _connect(path, statements, synchronous), ""
    except sqlite3.OperationalError as error:
        raise _make_error(path, error) from error
    except sqlite3.DatabaseError as error:
        note = _set_aside(path, error)
    try:
        return _connect(path, statements, synchronous), note
    except sqlite3.DatabaseError as error:
        raise _make_error(path, error) from error


def _connect(path: Path, statements: tuple[str, ...], synchronous: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    try:
        _enter_wal(connection)
        connection.execute(f"PRAGMA synchronous={synchronous}")
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        for statement in statements:
            connection.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _enter_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode, retrying: SQLite needs the file exclusively and doesn't wait for it."""
    until = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _set_aside(path: Path, error: sqlite3.DatabaseError) -> str:
    """Move the file and its journals away, and return a sentence about it."""
    stamp = time.strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.corrupt-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.corrupt-{stamp}-{number}")
    os.replace(path, aside)
    for suffix in ("-wal", "-shm"):
        journal = path.with_name(path.name + suffix)
        if journal.exists():
            os.replace(journal, aside.with_name(aside.name + suffix))
    note = f"{path} is not a sound database ({error}); it was set aside as {aside.name} and a new "
    note += "one begun"
    _LOG.warning("%s", note)
    return note


def _make_error(path: Path, error: Exception) -> DatabaseFileError:
    return DatabaseFileError(
        f"the database {path} can't be used ({error}); check that its folder exists and can be "
        "written, or give another path",
    )
