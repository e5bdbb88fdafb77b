# SPDX-License-Identifier: Apache-2.0
"""The file of outcomes that no grounder has confirmed yet: they survive the executive's own death.

An outcome is on disk before it is published, and is removed once the grounder has confirmed that it
is recorded. What is left when the executive dies, its next start hands over; the grounder knows by
stream and number what it has recorded already.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rclpy.serialization import deserialize_message, serialize_message

from fcp_ros.foundation.sqlite_file import open_database
from fcp_ros.msg import ActionOutcome

TABLES = (
    """CREATE TABLE IF NOT EXISTS outcomes (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stream BLOB NOT NULL, number INTEGER NOT NULL,
        layout TEXT NOT NULL, message BLOB NOT NULL, UNIQUE (stream, number))""",
)

_NESTED = re.compile(r"(\w+)/(\w+)")
"""A message type in the type of a field: ``sequence<fcp_ros/Judgement>``."""


class OutcomeKey(NamedTuple):
    """The identity of an outcome: its sender's stream, and its number there (from 1)."""

    stream: bytes
    number: int


def read_key(outcome: ActionOutcome) -> OutcomeKey:
    """Read the identity of an outcome."""
    return OutcomeKey(bytes(outcome.stream_id.uuid), int(outcome.number))


class OutcomeJournal:
    """Outcomes on the disk; may be used from several threads.

    Args:
        path: The SQLite file, created if it does not exist. One that is damaged is set aside.

    Raises:
        DatabaseFileError: The file can't be used.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._layout = digest_layout(ActionOutcome)
        self._connection, _ = open_database(path, TABLES, synchronous="FULL")

    def add(self, outcome: ActionOutcome) -> None:
        """Store an outcome; it is on disk when this returns.

        Raises:
            sqlite3.Error: the disk refuses.
        """
        row = (*read_key(outcome), self._layout, serialize_message(outcome))
        with self._lock:
            self._connection.execute(
                "INSERT INTO outcomes (stream, number, layout, message) VALUES (?, ?, ?, ?)", row
            )

    def remove(self, keys: Iterable[OutcomeKey]) -> None:
        """Remove outcomes that are confirmed or given up.

        Raises:
            sqlite3.Error: the disk refuses.
        """
        with self._lock, self._connection:  # one transaction, and one wait for the disk
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "DELETE FROM outcomes WHERE stream = ? AND number = ?", keys
            )

    def read(self) -> tuple[list[ActionOutcome], int]:
        """Read what earlier starts have left, oldest first.

        Returns:
            The outcomes, and the number of those that are removed unread, because they were written
            with another definition of the message.

        Raises:
            sqlite3.Error: the disk refuses.
        """
        with self._lock:
            unreadable = self._connection.execute(
                "DELETE FROM outcomes WHERE layout <> ?", (self._layout,)
            ).rowcount
            rows = self._connection.execute("SELECT message FROM outcomes ORDER BY id").fetchall()
        return [deserialize_message(row[0], ActionOutcome) for row in rows], unreadable

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def digest_layout(kind: Any) -> str:
    """Digest a message type with all types in it: serialised messages fit this layout only."""
    found: dict[str, str] = {}
    waiting = [kind]
    while waiting:
        kind = waiting.pop()
        fields = kind.get_fields_and_field_types()
        found[f"{kind.__module__}.{kind.__name__}"] = str(fields)
        for package, name in _NESTED.findall(" ".join(fields.values())):
            nested = getattr(importlib.import_module(f"{package}.msg"), name)
            if f"{nested.__module__}.{nested.__name__}" not in found:
                waiting.append(nested)
    return sha256(str(sorted(found.items())).encode()).hexdigest()
