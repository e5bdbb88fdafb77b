# SPDX-License-Identifier: Apache-2.0
"""Recordings of rosbag2 (MCAP or SQLite), read by the library rosbags (the extra ``bags``)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import list_names

TOPICS = {
    "scene_graph": "fcp_ros/msg/SceneGraph",
    "scene_changes": "fcp_ros/msg/SceneGraphChange",
    "task_plan": "fcp_ros/msg/Plan",
    "outcomes": "fcp_ros/msg/ActionOutcome",
}
"""The topics that a replay reads, below the namespace of the nodes, and their types."""


class RecordingError(InputError):
    """A recording that can't be read; the message says what, where, and what to do."""


class RecordedMessage(NamedTuple):
    """A message as it was recorded."""

    topic: str  # without the namespace
    stamp: float  # when it was recorded, in seconds since the epoch
    data: bytes  # serialised


class Recording:
    """The topics of one robot in an open recording.

    `connections`: of the library, by topic without the namespace.
    """

    def __init__(self, reader: Any, connections: dict[str, Any]) -> None:
        self._reader = reader
        self._connections = connections

    def read(self, topics: Collection[str]) -> Iterator[RecordedMessage]:
        """Read messages in the order in which they were recorded."""
        chosen = {
            connection.topic: name
            for name, connection in self._connections.items()
            if name in topics
        }
        connections = [c for c in self._connections.values() if c.topic in chosen]
        if not connections:
            return
        try:
            for connection, stamp, data in self._reader.messages(connections):
                yield RecordedMessage(chosen[connection.topic], stamp * 1e-9, bytes(data))
        except _library_errors() as error:
            raise RecordingError(f"the recording is damaged: {error}") from error


@contextmanager
def open_recording(path: Path, namespace: str | None = None) -> Iterator[Recording]:
    """Open a folder of rosbag2, or one of its files.

    `namespace`: of the nodes; None takes the only one. Raises RecordingError if there is no such
    recording, or it lacks what a replay needs, or other versions of our messages are in it.
    """
    try:
        from rosbags.rosbag2 import Reader
    except ImportError as error:
        raise RecordingError(
            f"recordings can't be read without the library rosbags ({error}): pip install rosbags"
        ) from error
    try:
        reader = Reader(path)
        reader.open()
    except _library_errors() as error:
        raise RecordingError(f"{path} can't be read as a recording: {error}") from error
    try:
        yield Recording(reader, _choose_connections(reader, path, namespace))
    finally:
        reader.close()


def _library_errors() -> tuple[type[Exception], ...]:
    from rosbags.rosbag2 import ReaderError

    # The library lets through what its parsers of damaged files raise.
    return (ReaderError, OSError, ValueError, KeyError, IndexError, TypeError, AssertionError)


def _choose_connections(reader: Any, path: Path, namespace: str | None) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for connection in reader.connections:
        prefix, _, name = connection.topic.rpartition("/")
        if TOPICS.get(name) == connection.msgtype:
            found.setdefault(prefix.strip("/"), {})[name] = connection
    wanted = None if namespace is None else namespace.strip("/")
    there = list_names([f"/{name}" for name in sorted(found)]) or "none"
    if wanted is None and len(found) > 1:
        raise RecordingError(f"{path} has several robots: choose a --namespace of {there}")
    chosen = found.get(wanted, {}) if wanted is not None else next(iter(found.values()), {})
    missing = [name for name in ("scene_graph", "task_plan") if name not in chosen]
    if missing:
        raise RecordingError(
            f"{path} has no topic {' and no topic '.join(missing)} of our nodes (namespaces with "
            f"topics of ours: {there}): record what docs/recordings.md lists"
        )
    for connection in chosen.values():
        _check_version(connection)
    return chosen


def _check_version(connection: Any) -> None:
    """Refuse messages of another version, which would be read as something else."""
    own = _find_hash(connection.msgtype)
    if own and connection.digest and connection.digest != own:
        raise RecordingError(
            f"{connection.topic} was recorded with another version of {connection.msgtype}: replay "
            "it with the version of fcp_ros that recorded it"
        )


def _find_hash(message_type: str) -> str:
    """Find the hash of the installed type; "" where ROS 2 writes none (Humble)."""
    package, _, name = message_type.partition("/")
    try:
        file = Path(get_package_share_directory(package)) / f"{name}.json"
        hashes = json.loads(file.read_text(encoding="utf-8"))["type_hashes"]
    except (OSError, PackageNotFoundError, ValueError, KeyError):
        return ""
    return next((one["hash_string"] for one in hashes if one["type_name"] == message_type), "")
