# SPDX-License-Identifier: Apache-2.0
"""Calibration: what really happened moves a membership, within bounds (DESIGN section 4).

The oracle's degree is the prior, worth `strength` observations; each observed quality is one
observation more. With n qualities q_i in one context

    posterior = (strength * prior + sum q_i) / (strength + n),

the mean of a beta-binomial model, moved away from the prior by at most `cap`. All evidence stays in
one SQLite file, each piece committed to the disk before `record` returns, so it survives a killed
process. A reset doesn't delete: it marks evidence as set aside, and can be undone.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import check_degree
from fcp_ros.grounding.stores.sqlite_file import open_database

_TABLES = (
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observed outcome.

    Args:
        predicate: the graded predicate that the step relied on.
        context_key: the judgement's context (`JudgementRequest.context_key`).
        quality: how well the step went, in [0, 1].
        stamp: when, seconds since the epoch.
        step: the step in words, for the audit.
        id: the record's number; 0 before it is recorded.
        reset_id: the reset that set it aside; None while it counts.
    """

    predicate: str
    context_key: str
    quality: float
    stamp: float
    step: str = ""
    id: int = 0
    reset_id: int | None = None


@dataclass(frozen=True, slots=True)
class Reset:
    """A reset, for the audit: which evidence it set aside (None: any), when, whether undone."""

    id: int
    stamp: float
    predicate: str | None
    context_key: str | None
    undone: bool
    count: int


class CalibrationStore:
    """Evidence and what follows from it.

    Args:
        path: the SQLite file, created where it doesn't exist; ":memory:" keeps nothing.
        strength: how many observations the oracle's degree is worth, > 0.
        cap: the largest shift away from the oracle's degree, in [0, 1].

    Raises:
        GroundingError: a setting out of range, or a file that can't be used. A file that is no
            database is set aside; `note` then says so.
    """

    def __init__(self, path: str | Path, *, strength: float = 4.0, cap: float = 0.6) -> None:
        if not math.isfinite(strength) or strength <= 0.0:
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"the strength of the prior is {strength}; it must be a number above 0",
            )
        self.strength = strength
        self.cap = check_degree(cap, "the cap of the calibration shift")
        self.path = Path(path)
        self._lock = threading.RLock()
        if str(path) == ":memory:":
            self._connection, self.note = _in_memory(), ""
        else:
            self._connection, self.note = open_database(self.path, _TABLES, synchronous="FULL")

    def record(self, evidence: Evidence) -> int:
        """Store one outcome and return its number; it is on the disk when this returns.

        Raises:
            GroundingError: the quality is not in [0, 1], or the disk refuses.
        """
        what = f"the quality observed for {evidence.predicate}"
        quality = check_degree(evidence.quality, what)
        if not math.isfinite(evidence.stamp):
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"the stamp of an outcome is {evidence.stamp}; give seconds since the epoch",
            )
        with self._transaction() as cursor:
            cursor.execute(
                "INSERT INTO evidence (stamp, predicate, context_key, quality, step) "
                "VALUES (?, ?, ?, ?, ?)",
                (evidence.stamp, evidence.predicate, evidence.context_key, quality, evidence.step),
            )
            return int(cursor.lastrowid or 0)

    def posterior(self, predicate: str, context_key: str, prior: float) -> tuple[float, int]:
        """The calibrated degree and the number of outcomes behind it.

        Raises:
            GroundingError: the prior is not in [0, 1], or the file can't be read.
        """
        check_degree(prior, f"the prior of {predicate}")
        with self._reading() as connection:
            count, total = connection.execute(
                "SELECT COUNT(*), COALESCE(SUM(quality), 0) FROM evidence "
                "WHERE predicate = ? AND context_key = ? AND reset_id IS NULL",
                (predicate, context_key),
            ).fetchone()
        return posterior_degree(prior, count, total, self.strength, self.cap), int(count)

    def entries(
        self, predicate: str | None = None, *, with_reset: bool = False
    ) -> tuple[Evidence, ...]:
        """Recorded evidence, oldest first.

        Args:
            predicate: only this predicate's.
            with_reset: also what a reset has set aside.
        """
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT predicate, context_key, quality, stamp, step, id, reset_id FROM evidence "
                "WHERE (?1 IS NULL OR predicate = ?1) AND (?2 OR reset_id IS NULL) ORDER BY id",
                (predicate, with_reset),
            ).fetchall()
        return tuple(Evidence(*row) for row in rows)

    def reset(
        self,
        predicate: str | None = None,
        context_key: str | None = None,
        *,
        stamp: float | None = None,
    ) -> Reset:
        """Set evidence aside, so that the oracle's degree counts again.

        Args:
            predicate: only this predicate's; None means all.
            context_key: only this context's; None means all.
            stamp: when, seconds since the epoch, for the audit; None means now.

        Returns:
            The reset; `count` says how many outcomes it set aside.
        """
        stamp = time.time() if stamp is None else stamp
        with self._transaction() as cursor:
            cursor.execute(
                "INSERT INTO resets (stamp, predicate, context_key) VALUES (?, ?, ?)",
                (stamp, predicate, context_key),
            )
            number = int(cursor.lastrowid or 0)
            cursor.execute(
                "UPDATE evidence SET reset_id = ?1 WHERE reset_id IS NULL "
                "AND (?2 IS NULL OR predicate = ?2) AND (?3 IS NULL OR context_key = ?3)",
                (number, predicate, context_key),
            )
            return Reset(number, stamp, predicate, context_key, False, cursor.rowcount)

    def undo_reset(self, number: int) -> int:
        """Let the evidence of one reset count again; returns how many outcomes came back.

        Raises:
            GroundingError: there is no such reset, or it was undone before.
        """
        with self._transaction() as cursor:
            cursor.execute("UPDATE resets SET undone = 1 WHERE id = ? AND undone = 0", (number,))
            if cursor.rowcount == 0:
                raise GroundingError(
                    GroundingCode.INVALID_OPTION,
                    f"there is no reset {number} to undo in {self.path}; resets() lists them",
                )
            cursor.execute("UPDATE evidence SET reset_id = NULL WHERE reset_id = ?", (number,))
            return int(cursor.rowcount)

    def resets(self) -> tuple[Reset, ...]:
        """All resets, oldest first; `count` is what each holds aside now."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, stamp, predicate, context_key, undone, "
                "(SELECT COUNT(*) FROM evidence WHERE reset_id = resets.id) "
                "FROM resets ORDER BY id"
            ).fetchall()
        return tuple(
            Reset(number, stamp, predicate, context_key, bool(undone), count)
            for number, stamp, predicate, context_key, undone, count in rows
        )

    def close(self) -> None:
        """Close the file; the store can't be used afterwards."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        """A write that is committed as a whole or not at all."""
        with self._reading() as connection:
            cursor = connection.cursor()
            # Taking the write lock at once waits for other writers instead of failing half-way.
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise GroundingError(
                    GroundingCode.STORE_FAILED,
                    f"the calibration store {self.path} failed ({error}); check the disk and that "
                    "no other program holds the file",
                ) from error


def posterior_degree(prior: float, count: int, total: float, strength: float, cap: float) -> float:
    """The calibrated degree from `count` qualities that sum to `total`; see the module's text."""
    posterior = (strength * prior + total) / (strength + count)
    shift = min(max(posterior - prior, -cap), cap)
    return min(max(prior + shift, 0.0), 1.0)


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for statement in _TABLES:
        connection.execute(statement)
    return connection
