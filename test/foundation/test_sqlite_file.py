# SPDX-License-Identifier: Apache-2.0
"""Databases at paths that anybody may give: nothing but a damaged database is ever moved aside."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fcp_ros.foundation.sqlite_file import DatabaseFileError, open_database, read_database

TABLES = ("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",)
LEAVE_WAL = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1], timeout=0).execute("PRAGMA journal_mode=DELETE").fetchall())
"""
"""Needs the file for itself alone."""
OTHER_TABLES = {
    "another table": "CREATE TABLE bookmarks (url TEXT)",
    "a table of the same name": "CREATE TABLE notes (title TEXT)",
}


def write_text(path: Path) -> None:
    path.write_text("my only copy\n" * 1000)


def write_short_text(path: Path) -> None:
    path.write_text("hi")


def write_foreign(path: Path, statement: str = OTHER_TABLES["another table"]) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def write_own(path: Path) -> None:
    connection, _ = open_database(path, TABLES, synchronous="FULL")
    connection.executemany("INSERT INTO notes (text) VALUES (?)", [("x" * 500,)] * 100)
    connection.close()


def write_damaged(path: Path) -> None:
    write_own(path)
    content = bytearray(path.read_bytes())
    content[100:] = b"x" * (len(content) - 100)
    path.write_bytes(content)


def open_it(path: Path) -> None:
    open_database(path, TABLES, synchronous="FULL")


def read_it(path: Path) -> None:
    read_database(path, TABLES)


def take_stock(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        file.name: (file.read_bytes(), file.stat().st_mtime_ns)
        for file in folder.iterdir()
        if file.is_file()
    }


@pytest.mark.parametrize("write", [write_text, write_short_text, write_foreign])
@pytest.mark.parametrize("use", [open_it, read_it])
def test_what_is_no_database_of_ours_is_refused_and_left(
    write: Callable[[Path], None], use: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    write(path)
    before = take_stock(tmp_path)
    with pytest.raises(DatabaseFileError, match=r"left as it is: give"):
        use(path)
    assert take_stock(tmp_path) == before


@pytest.mark.parametrize("statement", OTHER_TABLES.values(), ids=OTHER_TABLES.keys())
def test_the_database_of_another_program_is_known_by_its_columns(
    statement: str, tmp_path: Path
) -> None:
    path = tmp_path / "places.sqlite"
    write_foreign(path, statement)
    with pytest.raises(DatabaseFileError, match="a database of something else"):
        open_it(path)


def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(DatabaseFileError, match="no regular file"):
        open_it(path)


def test_a_damaged_database_is_set_aside_but_not_by_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    write_damaged(path)
    before = take_stock(tmp_path)
    with pytest.raises(DatabaseFileError, match="malformed"):
        read_it(path)
    assert take_stock(tmp_path) == before
    connection, note = open_database(path, TABLES, synchronous="FULL")
    connection.close()
    assert "set aside as notes.sqlite.corrupt-" in note
    (aside,) = tmp_path.glob("*.corrupt-*")
    assert aside.read_bytes() == before[path.name][0]


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    write_own(path)
    before = take_stock(tmp_path)
    copy = read_database(path, TABLES)
    assert copy.execute("SELECT COUNT(*) FROM notes").fetchone() == (100,)
    assert take_stock(tmp_path) == before


def test_reading_sees_what_a_writer_has_committed(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    writer, _ = open_database(path, TABLES, synchronous="FULL")
    writer.execute("INSERT INTO notes (text) VALUES ('in the journal')")
    copy = read_database(path, TABLES)
    assert copy.execute("SELECT text FROM notes").fetchall() == [("in the journal",)]
    copy.execute("DELETE FROM notes")
    assert writer.execute("SELECT COUNT(*) FROM notes").fetchone() == (1,)
    writer.close()


def test_a_missing_file_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(DatabaseFileError, match="there is no file"):
        read_it(tmp_path / "folder" / "notes.sqlite")
    assert not list(tmp_path.iterdir())


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    path.touch()
    connection, note = open_database(path, TABLES, synchronous="FULL")
    connection.execute("INSERT INTO notes (text) VALUES ('kept')")
    connection.close()
    assert not note


def measure_journal(path: Path) -> int:
    """Measure the write-ahead log of a database (bytes)."""
    return path.with_name(f"{path.name}-wal").stat().st_size


def test_opening_a_database_again_leaves_its_locks_in_place(tmp_path: Path) -> None:
    """Else another process that closes it removes the journal that is still written to."""
    file = tmp_path / "facts.sqlite"
    first, _ = open_database(file, TABLES, synchronous="FULL")
    first.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
    open_database(file, TABLES, synchronous="FULL")
    read_database(file, TABLES).close()
    # In another process: SQLite itself knows of the connections of this one.
    done = subprocess.run(
        [sys.executable, "-c", LEAVE_WAL, str(file)], capture_output=True, text=True, timeout=60
    )
    assert "locked" in done.stderr, done.stdout
    first.close()


def test_rows_that_come_and_go_do_not_fill_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    connection, _ = open_database(path, TABLES, synchronous="NORMAL")
    for number in range(1000):
        connection.execute("INSERT INTO notes VALUES (?, ?)", (number, "x" * 2000))
        connection.execute("DELETE FROM notes WHERE id = ?", (number,))
    assert path.stat().st_size + measure_journal(path) < 1 << 20
    connection.close()


def test_a_large_transaction_takes_its_room_in_the_journal_for_a_while_only(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    connection, _ = open_database(path, TABLES, synchronous="NORMAL")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO notes (text) VALUES (?)", [("x" * 2000,)] * 2000)
    connection.execute("COMMIT")
    assert measure_journal(path) > 3 << 20
    connection.execute("INSERT INTO notes (text) VALUES ('y')")
    assert measure_journal(path) < 1 << 20
    connection.close()
