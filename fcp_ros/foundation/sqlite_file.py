# SPDX-License-Identifier: Apache-2.0
"""SQLite files that several processes share and that survive corruption.

WAL mode lets readers continue while one process writes; the busy timeout makes a second writer wait
instead of failing. A path can come from anybody's command line, so only a file that begins as
SQLite's do and is damaged is moved aside (never deleted); anything else, and the database of
another program, is refused and stays as it is.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

BUSY_TIMEOUT = 10.0  # Time that a writer waits for another process's transaction (s)
JOURNAL_PAGES = 100
"""Pages of 4 KiB in a write-ahead log before it is copied into the file and begun again.

SQLite's 1000 let a database of a few rows take 4 MiB. A small disk filled up for good with that: a
log that no longer fits never reaches the number (found by the soak, issue 31).
"""
JOURNAL_SIZE = JOURNAL_PAGES * 4096  # Bytes to which a log is cut that a large transaction grew
HEADER = b"SQLite format 3\0"  # The first bytes of each database file that is not empty

_LOG = logging.getLogger(__name__)


class DatabaseFileError(Exception):
    """A database file that can't be created, read or written; says what to do."""


def open_database(
    path: Path, statements: Sequence[str], *, synchronous: str
) -> tuple[sqlite3.Connection, str]:
    """Open or create a database, for several threads, one at a time; also a note, or "".

    `statements`: ``CREATE ... IF NOT EXISTS``. `synchronous`: ``FULL`` (each commit is on the disk)
    or ``NORMAL`` (a power cut may cost the last commits, never the file). The note is about a
    damaged file that was set aside. Raises DatabaseFileError if the file can't be used, or is none
    of these statements.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_is_regular(path)
        return _connect(path, statements, synchronous), ""
    except (OSError, sqlite3.OperationalError) as error:
        raise _make_error(path, error) from error
    except sqlite3.DatabaseError as error:
        _check_kind(path)
        note = _set_aside(path, error)
    try:
        return _connect(path, statements, synchronous), note
    except sqlite3.DatabaseError as error:
        raise _make_error(path, error) from error


def read_database(path: Path, statements: Sequence[str]) -> sqlite3.Connection:
    """Copy a database into memory, to look at it; neither the file nor its folder is written to.

    An empty database gets the tables in the copy; DatabaseFileError as for `open_database`.
    """
    try:
        if not path.exists():
            raise FileNotFoundError(f"there is no file {path}")
        _check_is_regular(path)
        copy = _copy(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise _make_error(path, error) from error
    except sqlite3.DatabaseError as error:
        _check_kind(path)
        raise _make_error(path, error) from error
    try:
        _check_soundness(copy)
        _create_tables(copy, statements, path)
    except sqlite3.DatabaseError as error:
        copy.close()
        raise _make_error(path, error) from error
    except DatabaseFileError:
        copy.close()
        raise
    return copy


def _check_is_regular(path: Path) -> None:
    if path.exists() and not path.is_file():  # opening a pipe would wait for its other end
        raise DatabaseFileError(
            f"{path} is no regular file: give the path of a database, or of a new file"
        )


def _check_kind(path: Path) -> None:
    """Refuse a file that SQLite could not read and that never was one of its own.

    Never called for a database that is in use: closing a file drops all locks that the process has
    on it (POSIX), SQLite's too. Another process took itself for the last one then and removed the
    journal that this one went on writing to: 29 of 30 outcomes were lost, once in 40 trials.
    """
    with path.open("rb") as stream:
        start = stream.read(len(HEADER))
    if start and start != HEADER:
        raise DatabaseFileError(
            f"{path} is no SQLite database, and is left as it is: give the path of a database, or "
            "of a new file"
        )


def _copy(path: Path) -> sqlite3.Connection:
    """Copy a database into memory as it is now.

    A reader of a file in WAL mode creates the journals beside it. Without a journal nobody has the
    file open, and it is read as it stands; if somebody opens it meanwhile, it is read again.
    """
    place = path.resolve()
    journal = place.with_name(place.name + "-wal")
    address = f"{place.as_uri()}?mode=ro"
    before = place.stat()
    if not journal.exists():
        copy = _read_into_memory(f"{address}&immutable=1")
        after = place.stat()
        unchanged = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
        if unchanged and not journal.exists():
            return copy
        copy.close()
    return _read_into_memory(address)


def _read_into_memory(address: str) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT)) as source:
            source.backup(copy)
    except sqlite3.Error:
        copy.close()
        raise
    return copy


def _connect(path: Path, statements: Sequence[str], synchronous: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    try:
        _check_tables(_read_columns(connection), statements, path)  # before anything is written
        _enter_wal(connection)
        connection.execute(f"PRAGMA synchronous={synchronous}")
        connection.execute(f"PRAGMA wal_autocheckpoint={JOURNAL_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit={JOURNAL_SIZE}")
        _check_soundness(connection)
        _create_tables(connection, statements, path)
    except (sqlite3.Error, DatabaseFileError):
        connection.close()
        raise
    return connection


def _check_soundness(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def _create_tables(connection: sqlite3.Connection, statements: Sequence[str], path: Path) -> None:
    """Create the tables of a new file, all or none, so that nobody takes it for a stranger's."""
    found = _read_columns(connection)
    _check_tables(found, statements, path)
    connection.execute("BEGIN" if found else "BEGIN IMMEDIATE")
    try:
        for statement in statements:
            connection.execute(statement)
    except sqlite3.Error:
        connection.rollback()
        raise
    connection.commit()


def _check_tables(found: dict[str, frozenset[str]], statements: Sequence[str], path: Path) -> None:
    """Refuse a database with other tables than the statements make (more of them are fine)."""
    if not found:
        return
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in statements:
            model.execute(statement)
        wanted = _read_columns(model)
    if not all(columns <= found.get(table, frozenset()) for table, columns in wanted.items()):
        raise DatabaseFileError(
            f"{path} is a database of something else (its tables are {', '.join(sorted(found))}), "
            "and is left as it is: give another path"
        )


def _read_columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    rows = connection.execute(
        "SELECT tables.name, columns.name FROM sqlite_master AS tables, "
        "pragma_table_info(tables.name) AS columns "
        "WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in found.items()}


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
        "written, or give another path"
    )
