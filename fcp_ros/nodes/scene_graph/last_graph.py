# SPDX-License-Identifier: Apache-2.0
"""The last live graph on disk, for the start after a crash: a scene file is older than the world.

Each change is in the file before it is published, so that what others have seen is there after
``kill -9``. The file is an SQLite database in WAL mode: a commit is whole or not there. Its size is
bounded: when the changes together are larger than the graph, the graph replaces them.

An orderly end removes the file, and the next start begins as its parameters say. What a crash left
is used by the next start of the same node with the same scene, unless the crash was long ago.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rclpy.serialization import serialize_message

from fcp_ros.foundation.sqlite_file import DatabaseFileError, open_database
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import PublishedGraph, graph_to_ros
from fcp_ros.nodes.runtime.server_life import ProcessIdentity
from fcp_ros.nodes.scene_access.message_queue import Arrival, SceneCopy
from fcp_ros.nodes.scene_graph.publisher import ReadyChange
from fcp_ros.scene.graph.elements import SceneError

STATEMENTS = (
    "CREATE TABLE IF NOT EXISTS keeper (one INTEGER PRIMARY KEY CHECK (one = 1), scene TEXT, "
    "machine TEXT, pid INTEGER, start INTEGER, complete INTEGER)",
    "CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY, whole INTEGER, data BLOB)",
)

LEAST_BYTES = 256 * 1024
"""Bytes of changes that are kept beside the graph in any case: writing it again takes longer."""

WAL_BYTES = 4 * 2**20
"""Bytes to which SQLite cuts its write-ahead log."""


@dataclass(frozen=True)
class Remains:
    """The remains of a crash."""

    # The last live graph; None if it could not be kept, or can't be read
    graph: PublishedGraph | None
    age: float  # Seconds since the node was last seen alive


class LastGraph:
    """Keeps the graph of one node on disk; thread-safe. A disk that fails stops nobody.

    Args:
        path: The file; None keeps nothing.
        scene: The scene that the node's parameters name.
        most_bytes: A larger graph is not kept.
    """

    def __init__(self, path: Path | None, scene: str, most_bytes: int) -> None:
        self.problem = ""  # A sentence if the graph would not survive a crash; else ""
        self._path = path
        self._scene = scene
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._graph_bytes = self._change_bytes = 0
        self._is_begun = False  # until then the file has what a crash left
        self._remains: Remains | None = None
        if path is not None:
            self._open(path)

    def take_remains(self, longest_ago: float) -> Remains | None:
        """Return what a crash has left of this scene, once; None if there is nothing.

        `longest_ago`: seconds; an older crash counts as none.
        """
        remains, self._remains = self._remains, None
        return None if remains is None or remains.age > longest_ago else remains

    def note(self, change: ReadyChange, is_whole: bool) -> None:
        """Keep a change, before it is published.

        `is_whole`: True if its message has the whole graph.
        """
        with self._lock:
            if self._database is None:
                return
            self._change_bytes += len(change.data)
            many = self._change_bytes > max(self._graph_bytes, LEAST_BYTES)
            try:
                if is_whole or many or not self._is_begun:
                    self._replace(change, is_whole)
                else:
                    self._insert(change.data, whole=False)
            except (sqlite3.Error, ConversionError) as error:
                self._fail(str(error))

    def note_alive(self) -> None:
        """Note the time: how long ago a crash was is told by the last one."""
        with self._lock:
            if self._database is not None and self._path is not None:
                with suppress(OSError):
                    os.utime(self._path)

    def end(self) -> None:
        """Remove the file: the node ends in order, or forgets its graph."""
        with self._lock:
            if self._database is None or self._path is None:
                return
            self._database.close()
            self._database = None
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink()

    # --- the file

    def _open(self, path: Path) -> None:
        age = _find_age(path)
        try:
            database, note = open_database(path, STATEMENTS, synchronous="NORMAL")
            database.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
            if self._is_taken(database):
                database.close()
                self.problem = f"another node keeps its graph in {path}: this one is not kept"
                return
            self._remains = self._read_remains(database, age)
            if note:  # nobody knows what was in it
                self._remains = Remains(None, age)
            self._begin(database)
        except (DatabaseFileError, sqlite3.Error) as error:
            self._fail(str(error))
            return
        self._database = database

    def _is_taken(self, database: sqlite3.Connection) -> bool:
        row = database.execute("SELECT machine, pid, start FROM keeper").fetchone()
        if row is None:
            return False
        keeper = ProcessIdentity(*row)
        if keeper == ProcessIdentity.find_own():
            return True  # two stacks in one process
        return keeper.is_visible()

    def _read_remains(self, database: sqlite3.Connection, age: float) -> Remains | None:
        row = database.execute("SELECT scene, complete FROM keeper").fetchone()
        if row is None or row[0] != self._scene:
            return None
        rows = database.execute("SELECT whole, data FROM messages ORDER BY number").fetchall()
        if not rows and row[1]:
            return None  # there was no graph yet
        return Remains(_read_graph(rows) if row[1] else None, age)

    def _begin(self, database: sqlite3.Connection) -> None:
        """Make the file this node's; what a crash has left stays until there is a graph again."""
        own = ProcessIdentity.find_own()
        left = self._remains
        is_complete = left is None or left.graph is not None
        row = (self._scene, own.machine, own.pid, own.start, int(is_complete))
        with database:
            database.execute("BEGIN IMMEDIATE")
            if left is None:
                database.execute("DELETE FROM messages")
            database.execute("DELETE FROM keeper")
            database.execute("INSERT INTO keeper VALUES (1, ?, ?, ?, ?, ?)", row)

    def _replace(self, change: ReadyChange, is_whole: bool) -> None:
        """Let one message with the whole graph stand for all before."""
        assert self._database is not None
        data = change.data
        if not is_whole:
            data = serialize_message(graph_to_ros(change.graph.graph, change.graph.stamp))
        fits = len(data) <= self._most_bytes
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("DELETE FROM messages")
            self._database.execute("UPDATE keeper SET complete = ?", (int(fits),))
            if fits:
                self._insert(data, whole=not is_whole)
        self._graph_bytes, self._change_bytes, self._is_begun = len(data), 0, True
        large = f"a graph of {len(data)} bytes is not kept for the start after a crash"
        self.problem = "" if fits else large

    def _insert(self, data: bytes, *, whole: bool) -> None:
        assert self._database is not None
        self._database.execute("INSERT INTO messages (whole, data) VALUES (?, ?)", (whole, data))

    def _fail(self, reason: str) -> None:
        self.problem = f"the graph would not survive a crash: {reason}"
        if self._database is not None:  # whatever is in it is older than the world
            with suppress(sqlite3.Error):
                self._database.execute("UPDATE keeper SET complete = 0")


def _read_graph(rows: list[tuple[int, bytes]]) -> PublishedGraph | None:
    """Read a graph and the changes after it; None if one of them is damaged."""
    copy = SceneCopy()
    try:
        arrivals = tuple(
            Arrival.from_graph(data) if whole else Arrival.from_change(data) for whole, data in rows
        )
        copy.apply(arrivals)
    except (ConversionError, SceneError):
        return None
    return None if copy.graph is None else PublishedGraph(copy.stamp, copy.graph)


def _find_age(path: Path) -> float:
    """Find how long ago the file was written, or its node noted that it lives (s)."""
    newest = 0.0
    for suffix in ("", "-wal"):
        with suppress(OSError):
            newest = max(newest, path.with_name(path.name + suffix).stat().st_mtime)
    return max(0.0, time.time() - newest)


def locate_last_graph(pattern: str, namespace: str, domain_id: int) -> Path | None:
    """Return the file of a robot in a ROS domain; None for "".

    `pattern`: a path in which ``{robot}`` and ``{domain_id}`` stand for them.
    """
    if not pattern:
        return None
    # As calibration stores name it, whose layer this node has no use for.
    robot = namespace.strip("/") or "no-namespace"
    path = Path(pattern.replace("{robot}", robot)).expanduser()
    return path.with_name(path.name.replace("{domain_id}", str(domain_id)))
