# SPDX-License-Identifier: Apache-2.0
"""The tables of the calibration file, and how a file of an older version becomes one of today.

`PRAGMA user_version` says which version a file has. Version 0 knew no priors, models and weights;
its rows keep NULL there, so that nobody mistakes a guess for what was measured. A program of
version 0 can still write to a file of version 1: it names the columns that it fills.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

VERSION = 1

TABLES = (
    """CREATE TABLE IF NOT EXISTS evidence (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stamp REAL NOT NULL, predicate TEXT NOT NULL,
        context_key TEXT NOT NULL, quality REAL NOT NULL, step TEXT NOT NULL,
        reset_id INTEGER REFERENCES resets(id))""",
    """CREATE TABLE IF NOT EXISTS resets (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stamp REAL NOT NULL, predicate TEXT,
        context_key TEXT, undone INTEGER NOT NULL DEFAULT 0)""",
    """CREATE INDEX IF NOT EXISTS evidence_by_context
        ON evidence (predicate, context_key, reset_id, quality)""",
)
"""The tables of version 0, which every file begins with."""

_MIGRATIONS = (
    (
        "ALTER TABLE evidence ADD COLUMN prior REAL",
        "ALTER TABLE evidence ADD COLUMN degree REAL",
        "ALTER TABLE evidence ADD COLUMN source TEXT",
        "ALTER TABLE evidence ADD COLUMN model TEXT",
        "ALTER TABLE evidence ADD COLUMN weight REAL",
    ),
)
"""The statements that lead from version i to version i + 1."""


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the present version; does nothing where it has it.

    Raises:
        GroundingError: the file was written by a newer version of this package.
        sqlite3.Error: the file can't be written.
    """
    if _version(connection) == VERSION:
        return
    # The lock first: of two processes that open an old file, the second finds it migrated.
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > VERSION:
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"the calibration store {path} has version {version}, and this package knows "
                f"versions up to {VERSION}; update fcp_ros, or give another path",
            )
        for statements in _MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
