# SPDX-License-Identifier: Apache-2.0
"""The file of the evidence: what really happened, kept so that it can be audited and undone.

Each piece is committed to the disk before `record` returns, so it survives a killed process. A
reset doesn't delete: it marks evidence as set aside, and can be undone. What follows from the
evidence is worked out in `calibrator.py`.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fcp_ros.foundation.sqlite_file import DatabaseFileError, open_database
from fcp_ros.grounding.calibration.evidence import Evidence, Reset
from fcp_ros.grounding.calibration.schema import TABLES, migrate
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import check_degree

__all__ = ["CalibrationStore", "Evidence", "Reset"]

_COLUMNS = (
    "predicate, context_key, quality, stamp, step, id, reset_id, prior, degree, "
    "COALESCE(source, ''), COALESCE(model, ''), COALESCE(weight, 1.0)"
)
"""In the order of the fields of `Evidence`."""


class CalibrationStore:
    """Evidence on the disk. Safe to use from several threads and processes.

    Args:
        path: the SQLite file, created where it doesn't exist; ":memory:" keeps nothing.

    Raises:
        GroundingError: a file that can't be used. A file that is no database is set aside; `note`
            then says so.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._own_writes = 0
        if str(path) == ":memory:":
            self._connection, self.note = _in_memory(), ""
        else:
            try:
                self._connection, self.note = open_database(self.path, TABLES, synchronous="FULL")
            except DatabaseFileError as error:
                raise GroundingError(GroundingCode.STORE_FAILED, str(error)) from error
        try:
            with self._reading() as connection:
                migrate(connection, self.path)
        except GroundingError:
            self._connection.close()
            raise

    def record(self, evidence: Evidence) -> int:
        """Store one outcome and return its number; it is on the disk when this returns.

        Raises:
            GroundingError: a number is out of range, or the disk refuses.
        """
        _check(evidence)
        with self._transaction() as cursor:
            cursor.execute(
                "INSERT INTO evidence (stamp, predicate, context_key, quality, step, "
                "prior, degree, source, model, weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    evidence.stamp,
                    evidence.predicate,
                    evidence.context_key,
                    evidence.quality,
                    evidence.step,
                    evidence.prior,
                    evidence.degree,
                    evidence.source or None,
                    evidence.model or None,
                    evidence.weight,
                ),
            )
            return int(cursor.lastrowid or 0)

    def version(self) -> tuple[int, int]:
        """Changes with every change of the evidence, by whichever process (microseconds).

        Raises:
            GroundingError: the file can't be read.
        """
        with self._reading() as connection:
            # Counts the commits of other connections only; our own are counted by us.
            (others,) = connection.execute("PRAGMA data_version").fetchone()
            return int(others), self._own_writes

    def reset_state(self) -> tuple[int, int]:
        """Number of resets, and of those undone: changes where counted evidence stops or resumes
        counting."""
        with self._reading() as connection:
            count, undone = connection.execute(
                "SELECT COUNT(*), COALESCE(SUM(undone), 0) FROM resets"
            ).fetchone()
            return int(count), int(undone)

    def counted_after(self, number: int) -> Iterator[Evidence]:
        """The evidence that counts, with a higher number than this, in the order of recording."""
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM evidence WHERE id > ? AND reset_id IS NULL ORDER BY id",
                (number,),
            ).fetchall()
        return (Evidence(*row) for row in rows)

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
                f"SELECT {_COLUMNS} FROM evidence "
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
            self._own_writes += 1

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


def _check(evidence: Evidence) -> None:
    """Refuse what can't have been observed."""
    check_degree(evidence.quality, f"the quality observed for {evidence.predicate}")
    check_degree(evidence.weight, f"the weight of an outcome of {evidence.predicate}")
    if evidence.prior is not None:
        check_degree(evidence.prior, f"the prior of {evidence.predicate}")
    if evidence.degree is not None:
        check_degree(evidence.degree, f"the degree of {evidence.predicate}")
    if not math.isfinite(evidence.stamp):
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the stamp of an outcome is {evidence.stamp}; give seconds since the epoch",
        )


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for statement in TABLES:
        connection.execute(statement)
    return connection
