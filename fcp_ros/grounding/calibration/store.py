# SPDX-License-Identifier: Apache-2.0
"""The files of the evidence: observed outcomes, kept so that they can be audited and undone.

Each outcome is committed to disk before `record` returns, so it survives a killed process. A reset
doesn't delete evidence: it marks it as set aside, and can be undone. The conclusions from the
evidence are drawn in `calibrator.py`.

A file belongs to one robot in one world (`EvidenceOrigin`), and is refused to others: what was
learned in a simulation says little about the real robot. `merge_evidence` copies it on request.

An outcome that has a number is recorded once, however often it comes: its stream and number are
committed together with its evidence.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from fcp_ros.foundation.sqlite_file import DatabaseFileError, open_database, read_database
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, check_degree
from fcp_ros.grounding.options import EvidenceOrigin, EvidenceWorld

_COLUMNS = (
    "predicate, context_key, quality, stamp, step, id, reset_id, prior, degree, "
    "COALESCE(source, ''), COALESCE(model, ''), COALESCE(weight, 1.0)"
)
"""The columns in the order of the fields of `Evidence`."""

TABLES = (
    """CREATE TABLE IF NOT EXISTS evidence (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stamp REAL NOT NULL, predicate TEXT NOT NULL,
        context_key TEXT NOT NULL, quality REAL NOT NULL, step TEXT NOT NULL,
        reset_id INTEGER REFERENCES resets(id), prior REAL, degree REAL, source TEXT, model TEXT,
        weight REAL)""",
    """CREATE TABLE IF NOT EXISTS resets (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stamp REAL NOT NULL, predicate TEXT,
        context_key TEXT, undone INTEGER NOT NULL DEFAULT 0)""",
    """CREATE INDEX IF NOT EXISTS evidence_by_context
        ON evidence (predicate, context_key, reset_id, quality)""",
    "CREATE TABLE IF NOT EXISTS origin (robot TEXT NOT NULL, world TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS outcomes (
        stream BLOB NOT NULL, number INTEGER NOT NULL,
        PRIMARY KEY (stream, number)) WITHOUT ROWID""",
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observed outcome."""

    predicate: str  # the graded predicate that the step relied on
    context_key: str  # the judgement's context (`JudgementRequest.context_key`)
    quality: float  # how well the step went, in [0, 1]
    stamp: float  # when, seconds since the epoch
    step: str = ""  # the step in words, for the audit
    id: int = 0  # the record's number; 0 before it is recorded
    reset_id: int | None = None  # the reset that set it aside; None while it counts
    # the oracle's degree that the step relied on, in [0, 1]; None if unknown
    prior: float | None = None
    # the same after calibration, as it stood before this outcome; None as for prior
    degree: float | None = None
    source: str = ""  # the kind of oracle ("embedding"); "" if unknown
    model: str = ""  # the model or table; "" if unknown
    # share of the outcome that counts here, in [0, 1]; below 1 if the blame for one failure is
    # spread over several judgements
    weight: float = 1.0


class OutcomeNumber(NamedTuple):
    """The identity of an outcome: its sender's stream, and its number there (from 1)."""

    stream: bytes
    number: int


@dataclass(frozen=True, slots=True)
class Reset:
    """A reset, for the audit: the evidence that it set aside (None: any), its time and state."""

    id: int
    stamp: float
    predicate: str | None
    context_key: str | None
    undone: bool
    count: int


class CalibrationStore:
    """Evidence on the disk (":memory:": nowhere). Safe to use from several threads and processes.

    A file without an origin becomes `origin`'s; None opens anybody's. `read_only` looks at the
    evidence of now in an existing file, which is never written to; `origin` must be None then. A
    damaged database is set aside, as `note` says, unless it is only looked at; GroundingError for
    another's file, or one that is something else.
    """

    def __init__(
        self, path: str | Path, origin: EvidenceOrigin | None = None, *, read_only: bool = False
    ) -> None:
        self.path = Path(path)
        self._lock = self._write_lock = threading.RLock()
        self._own_writes = 0
        self.note = ""
        try:
            if str(path) == ":memory:":
                self._connection = self._writer = _open_in_memory()
            elif read_only:
                self._connection = self._writer = read_database(self.path, TABLES)
            else:
                # Two connections, so that nobody who reads waits for the disk or another writer.
                self._write_lock = threading.RLock()
                self._connection, self.note = open_database(self.path, TABLES, synchronous="FULL")
                self._writer, _ = open_database(self.path, TABLES, synchronous="FULL")
        except DatabaseFileError as error:
            raise GroundingError(GroundingCode.STORE_FAILED, str(error)) from error
        try:
            if read_only:  # else evidence would seem to be kept
                with self._use_connection() as connection:
                    connection.execute("PRAGMA query_only = ON")
            if origin is not None:
                self._claim(origin)
        except GroundingError:
            self.close()
            raise

    def record(self, evidence: Evidence) -> int:
        """Store one outcome, with numbers in range, and return its number; on disk on return."""
        _check_evidence(evidence)
        with self._begin_transaction() as cursor:
            return _insert(cursor, evidence)

    def record_all(self, evidence: Sequence[Evidence]) -> None:
        """Store many outcomes, all or none; see `record`."""
        for item in evidence:
            _check_evidence(item)
        with self._begin_transaction() as cursor:
            for item in evidence:
                _insert(cursor, item)

    def record_outcomes(
        self, outcomes: Sequence[tuple[OutcomeNumber | None, Sequence[Evidence]]]
    ) -> tuple[bool, ...]:
        """Store all evidence of outcomes on disk, or nothing; False for those known before."""
        for _, evidence in outcomes:
            for item in evidence:
                _check_evidence(item)
        with self._begin_transaction() as cursor:
            return tuple(_insert_outcome(cursor, *outcome) for outcome in outcomes)

    def has_outcome(self, number: OutcomeNumber) -> bool:
        with self._use_connection() as connection:
            found = connection.execute(
                "SELECT 1 FROM outcomes WHERE stream = ? AND number = ?", number
            ).fetchone()
            return found is not None

    def read_origin(self) -> EvidenceOrigin | None:
        """Return whose evidence the file holds; None if it does not say."""
        with self._use_connection() as connection:
            row = connection.execute("SELECT robot, world FROM origin").fetchone()
            return None if row is None else EvidenceOrigin(row[0], EvidenceWorld(row[1]))

    def _claim(self, origin: EvidenceOrigin) -> None:
        """Make a file without an origin this one's; refuse another's."""
        with self._begin_transaction() as cursor:
            row = cursor.execute("SELECT robot, world FROM origin").fetchone()
            if row is None:
                cursor.execute("INSERT INTO origin VALUES (?, ?)", (origin.robot, origin.world))
                return
        owner = EvidenceOrigin(row[0], EvidenceWorld(row[1]))
        if owner != origin:
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"the calibration store {self.path} holds the outcomes of {owner}, and not those "
                f"of {origin}: give each a calibration_path of its own ({{robot}} and {{world}} in "
                "it help), and copy outcomes with fcp calibration merge",
            )

    def version(self) -> tuple[int, int]:
        """Return a value that changes with the evidence, by any process (takes microseconds)."""
        with self._use_connection() as connection:
            # data_version counts the commits of other connections only.
            (others,) = connection.execute("PRAGMA data_version").fetchone()
            return int(others), self._own_writes

    def reset_state(self) -> tuple[int, int]:
        """Count the resets and the undone ones; changes if evidence stops or resumes counting."""
        with self._use_connection() as connection:
            count, undone = connection.execute(
                "SELECT COUNT(*), COALESCE(SUM(undone), 0) FROM resets"
            ).fetchone()
            return int(count), int(undone)

    def read_after(self, number: int) -> Iterator[Evidence]:
        """Read the evidence that counts and has a higher number, in the order of recording."""
        with self._use_connection() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM evidence WHERE id > ? AND reset_id IS NULL ORDER BY id",
                (number,),
            ).fetchall()
        return (Evidence(*row) for row in rows)

    def entries(
        self, predicate: str | None = None, *, with_reset: bool = False
    ) -> tuple[Evidence, ...]:
        """Read recorded evidence, oldest first; on demand also what a reset has set aside."""
        with self._use_connection() as connection:
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
        """Set evidence aside, so that the oracle's degree counts again; None means all.

        `stamp` (s since the epoch; None: now) is for the audit.
        """
        stamp = time.time() if stamp is None else stamp
        with self._begin_transaction() as cursor:
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
        """Let the evidence of one reset count again, and return the number of outcomes."""
        with self._begin_transaction() as cursor:
            cursor.execute("UPDATE resets SET undone = 1 WHERE id = ? AND undone = 0", (number,))
            if cursor.rowcount == 0:
                raise GroundingError(
                    GroundingCode.INVALID_OPTION,
                    f"there is no reset {number} to undo in {self.path}; resets() lists them",
                )
            cursor.execute("UPDATE evidence SET reset_id = NULL WHERE reset_id = ?", (number,))
            return int(cursor.rowcount)

    def resets(self) -> tuple[Reset, ...]:
        """List all resets, oldest first; `count` is the evidence that each holds aside now."""
        with self._use_connection() as connection:
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
        with self._write_lock, self._lock:
            self._writer.close()
            self._connection.close()

    @contextmanager
    def _begin_transaction(self) -> Iterator[sqlite3.Cursor]:
        """Commit the writes of a block as a whole or not at all."""
        with self._write_lock, self._report_errors():
            connection = self._writer
            cursor = connection.cursor()
            # Taking the write lock first waits for other writers instead of failing half-way.
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
            self._own_writes += 1

    @contextmanager
    def _use_connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._report_errors():
            yield self._connection

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"the calibration store {self.path} failed ({error}); check the disk and that no "
                "other program holds the file",
            ) from error


def _insert_outcome(
    cursor: sqlite3.Cursor, number: OutcomeNumber | None, evidence: Sequence[Evidence]
) -> bool:
    """Insert the evidence of an outcome; return False if its number is known."""
    if number is not None:
        cursor.execute("INSERT OR IGNORE INTO outcomes (stream, number) VALUES (?, ?)", number)
        if cursor.rowcount == 0:
            return False
    for item in evidence:
        _insert(cursor, item)
    return True


def _insert(cursor: sqlite3.Cursor, evidence: Evidence) -> int:
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


LATEST = 4_102_444_800.0
"""The first second of 2100: later stamps are milliseconds or come from a broken clock, and would
age all other evidence."""


def _check_evidence(evidence: Evidence) -> None:
    """Refuse values that can't have been observed."""
    check_degree(evidence.quality, f"the quality observed for {evidence.predicate}")
    check_degree(evidence.weight, f"the weight of an outcome of {evidence.predicate}")
    if evidence.prior is not None:
        check_degree(evidence.prior, f"the prior of {evidence.predicate}")
    if evidence.degree is not None:
        check_degree(evidence.degree, f"the degree of {evidence.predicate}")
    if not 0.0 <= evidence.stamp <= LATEST:  # nor is what is no number
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the stamp of an outcome of {evidence.predicate} is {evidence.stamp:g}; give seconds "
            "(not milliseconds) since the epoch, or since the start of a simulation",
        )


def _open_in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for statement in TABLES:
        connection.execute(statement)
    return connection


#
# Evidence that the target holds already is left out, so that merging twice changes nothing. Resets
# stay behind: evidence that one has set aside is not copied.


def merge_evidence(source: CalibrationStore, target: CalibrationStore, weight: float = 1.0) -> int:
    """Copy the evidence that counts and is missing in the target; return how many outcomes.

    The oldest come first, with their times; their weights are multiplied by `weight`, in [0, 1].
    """
    check_degree(weight, "the weight of merged outcomes")
    known = {_identify(item) for item in target.entries(with_reset=True)}
    missing = [item for item in source.entries() if _identify(item) not in known]
    target.record_all([replace(item, weight=item.weight * weight) for item in missing])
    return len(missing)


def _identify(item: Evidence) -> tuple[str, str, float, float, str]:
    """Return what two copies of one outcome share; their weights may differ."""
    return item.predicate, item.context_key, item.stamp, item.quality, item.step


# --- the files of calibration stores: one for each robot and world ---

DEFAULT_PATH = "~/.local/state/fcp_ros/calibration/{robot}/{world}.sqlite"
"""The store of a robot in a world, where a grounder node keeps it by default."""

NO_NAMESPACE = "no-namespace"
"""The ``{robot}`` of a robot without a namespace; the hyphen keeps it apart from all namespaces."""


def locate_store(pattern: str, origin: EvidenceOrigin) -> Path:
    """Return the file of a path in which ``{robot}`` and ``{world}`` stand for the origin."""
    text = pattern.replace("{robot}", origin.robot or NO_NAMESPACE)
    return Path(text.replace("{world}", origin.world.value)).expanduser()


def find_stores(pattern: str = DEFAULT_PATH) -> Iterator[Path]:
    """Find the existing stores of all robots and worlds, sorted."""
    root, _, _ = pattern.partition("{")
    folder = Path(root).expanduser()
    for world in EvidenceWorld:
        yield from sorted(folder.rglob(f"{world.value}.sqlite"))
