# SPDX-License-Identifier: Apache-2.0
"""Cache of the oracles' answers: bounded in memory, and in a SQLite file if a path is given.

The key holds everything that an answer depends on: the predicate's version (a hash of its rubric),
the declared context, the model and the mode. Degrees are stored as the oracle gave them;
calibration comes afterwards, so that new evidence counts immediately.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from fcp_ros.foundation.sqlite_file import DatabaseFileError, open_database
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, Membership, drop_latencies

MEMORY_ENTRIES = 65_536
FILE_ENTRIES = 200_000
PASSING = (sqlite3.OperationalError, sqlite3.ProgrammingError, sqlite3.IntegrityError)
"""SQLite errors that don't mean a damaged file."""

_LOG = logging.getLogger(__name__)
_TABLES = (
    """CREATE TABLE IF NOT EXISTS answers (
        id INTEGER PRIMARY KEY AUTOINCREMENT, predicate TEXT NOT NULL, context_key TEXT NOT NULL,
        model TEXT NOT NULL, mode TEXT NOT NULL, membership TEXT NOT NULL,
        UNIQUE (predicate, context_key, model, mode))""",
)


class CacheKey(NamedTuple):
    """Everything that an oracle's answer depends on."""

    predicate: str
    context_key: str
    model: str
    mode: str


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """Counts of lookups answered from memory, from the file, or not at all."""

    memory_hits: int
    file_hits: int
    misses: int
    entries: int


class JudgementCache:
    """A bounded cache of memberships; safe to use from several threads and processes.

    Without a path answers are in memory only. In memory the least recently used are dropped, in the
    file the oldest. A file that is no database is set aside, as `note` then says; GroundingError if
    it can't be used.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        memory_entries: int = MEMORY_ENTRIES,
        file_entries: int = FILE_ENTRIES,
    ) -> None:
        self._memory: OrderedDict[CacheKey, Membership] = OrderedDict()
        self._memory_entries = max(1, memory_entries)
        self._file_entries = max(1, file_entries)
        self._lock = threading.Lock()
        self._counts = {"memory": 0, "file": 0, "miss": 0}
        self._connection: sqlite3.Connection | None = None
        self.note = ""
        self._path = None if path is None else Path(path)
        if self._path is not None:
            try:
                self._connection, self.note = open_database(
                    self._path, _TABLES, synchronous="NORMAL"
                )
            except DatabaseFileError as error:
                raise GroundingError(GroundingCode.STORE_FAILED, str(error)) from error

    def get_all(self, keys: Sequence[CacheKey | None]) -> list[Membership | None]:
        """Return the answer under each key, or None; None for no key."""
        with self._lock:
            found = [None if key is None else self._get(key) for key in keys]
            # Those of the question that it was an answer to; most are never asked again.
            late = [place for place, one in enumerate(found) if one is not None and one.latency]
            stripped = drop_latencies([one for one in found if one is not None and one.latency])
            for place, answer in zip(late, stripped, strict=True):
                key = keys[place]
                assert key is not None, "what was found has a key"
                found[place] = answer
                if key in self._memory:
                    self._memory[key] = answer
            return found

    def put(self, answers: Sequence[tuple[CacheKey, Membership]]) -> None:
        """Store the answers of one batch (one transaction in the file), without their latency."""
        with self._lock:
            for key, membership in answers:
                self._remember(key, membership)
            if self._connection is not None and answers:
                self._write_file(self._connection, answers)

    def statistics(self) -> CacheStatistics:
        """Return hits, misses and the number of answers in memory."""
        with self._lock:
            counts = self._counts
            return CacheStatistics(
                counts["memory"], counts["file"], counts["miss"], len(self._memory)
            )

    def close(self) -> None:
        """Close the file; answers in memory stay available."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _get(self, key: CacheKey) -> Membership | None:
        found = self._memory.get(key)
        if found is None:
            found = self._read_file(key)
            self._counts["miss" if found is None else "file"] += 1
            if found is not None:
                self._remember(key, found)
            return found
        self._memory.move_to_end(key)
        self._counts["memory"] += 1
        return found

    def _remember(self, key: CacheKey, membership: Membership) -> None:
        self._memory[key] = membership
        self._memory.move_to_end(key)
        while len(self._memory) > self._memory_entries:
            self._memory.popitem(last=False)

    def _read_file(self, key: CacheKey) -> Membership | None:
        if self._connection is None:
            return None
        try:
            row = self._connection.execute(
                "SELECT membership FROM answers "
                "WHERE predicate = ? AND context_key = ? AND model = ? AND mode = ?",
                key,
            ).fetchone()
            return None if row is None else _read_membership(row[0])
        except (sqlite3.Error, ValueError, TypeError, LookupError) as error:
            # An unreadable answer costs one more judgement, but never the plan.
            self._report(
                f"the judgement cache could not be read ({error}); the oracle is asked again"
            )
            self._rebuild_if_damaged(error)
            return None

    def _write_file(
        self, connection: sqlite3.Connection, answers: Sequence[tuple[CacheKey, Membership]]
    ) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT OR REPLACE INTO answers (predicate, context_key, model, mode, membership) "
                "VALUES (?, ?, ?, ?, ?)",
                [
                    (*key, json.dumps({**asdict(membership), "latency": 0.0}))
                    for key, membership in answers
                ],
            )
            # A replaced row gets a new id, so the lowest ids are the answers stored longest ago.
            connection.execute(
                "DELETE FROM answers WHERE id <= (SELECT MAX(id) FROM answers) - ?",
                (self._file_entries,),
            )
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._report(
                f"the judgement cache could not be written ({error}); it goes on in memory"
            )
            self._rebuild_if_damaged(error)

    def _rebuild_if_damaged(self, error: Exception) -> None:
        """Set a damaged file aside and create a new one."""
        # Operational errors (full, locked, a time-out) don't mean a damaged file.
        if not isinstance(error, sqlite3.DatabaseError) or isinstance(error, PASSING):
            return
        assert self._connection is not None
        assert self._path is not None
        self._connection.close()
        self._connection = None
        try:
            self._connection, note = open_database(self._path, _TABLES, synchronous="NORMAL")
        except DatabaseFileError as failure:
            note = str(failure)
        self._report(note)

    def _report(self, note: str) -> None:
        """Keep the note and log it once, not for each answer that meets the same problem."""
        if note and note != self.note:
            self.note = note
            _LOG.warning("%s", note)


def _read_membership(text: str) -> Membership:
    fields = json.loads(text)
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Membership(**{**fields, **lists})
