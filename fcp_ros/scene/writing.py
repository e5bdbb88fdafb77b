# SPDX-License-Identifier: Apache-2.0
"""The table of scene writers, and ``save_scene``, which picks one by name or by file name."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.scene.formats.canonical import write_scene
from fcp_ros.scene.formats.spark_dsg.dsg_writer import write_spark
from fcp_ros.scene.formats.usd.usd_writer import write_usd
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph, write_graphml


@dataclass(frozen=True)
class SceneWriter:
    """One file format that scenes are written in."""

    name: str  # Short name of the format, as in the table of readers
    description: str  # A few words about it, for messages and documents
    # Endings of file names that mean this format; the first is the usual one
    suffixes: tuple[str, ...]
    # Writes a graph to a path with one of these endings and returns the losses, one sentence each;
    # raises SceneError
    write: Callable[[SceneGraph, Path], tuple[str, ...]]


def _write_canonical(graph: SceneGraph, path: Path) -> tuple[str, ...]:
    write_scene(graph, path)
    return ()


def _write_graphml(graph: SceneGraph, path: Path) -> tuple[str, ...]:
    return write_graphml(graph.to_networkx(), path)


WRITERS: tuple[SceneWriter, ...] = (
    SceneWriter("canonical", "canonical JSON", (".json",), _write_canonical),
    SceneWriter("canonical_yaml", "canonical YAML", (".yaml", ".yml"), _write_canonical),
    SceneWriter("spark_dsg_json", "Spark-DSG JSON (Hydra)", (".json",), write_spark),
    SceneWriter("spark_dsg_binary", "Spark-DSG binary (Hydra)", (".sparkdsg",), write_spark),
    SceneWriter("usd", "USD, text", (".usda",), write_usd),
    SceneWriter("usd_binary", "USD, binary", (".usdc", ".usd"), write_usd),
    SceneWriter("graphml", "GraphML (networkx, Gephi, yEd)", (".graphml",), _write_graphml),
)


def save_scene(graph: SceneGraph, path: str | Path, format_name: str = "") -> tuple[str, ...]:
    """Write a scene to a file; on failure, the file stays unchanged.

    ``path``: the file; an existing one is replaced. ``format_name``: name of a writer; without one,
    the ending of the path decides. Returns the losses, one sentence each; empty if the format holds
    everything. Raises SceneError: the format is unknown, or the file cannot be written.
    """
    target = Path(path).expanduser().resolve()  # a link stays, and leads to the new file
    if target.exists() and not target.is_file():
        raise SceneError(  # a device or a folder would be replaced by the file
            "it exists and is no regular file", source=str(path), advice="Give another place."
        )
    writer = _find_writer(target, format_name)
    suffix = target.suffix if target.suffix.lower() in writer.suffixes else writer.suffixes[0]
    try:
        with tempfile.TemporaryDirectory(prefix=".fcp_scene_", dir=target.parent) as folder:
            unfinished = Path(folder) / f"scene{suffix}"
            notes = writer.write(graph, unfinished)
            with contextlib.suppress(FileNotFoundError):  # a new file gets the usual rights
                unfinished.chmod(target.stat().st_mode & 0o777)
            os.replace(unfinished, target)
    except OSError as error:
        raise SceneError(
            f"the file cannot be written ({error.strerror or error})",
            source=str(target),
            advice="Check the folder and its permissions.",
        ) from None
    return notes


def _find_writer(target: Path, format_name: str) -> SceneWriter:
    suffix = target.suffix.lower()
    for writer in WRITERS:
        if writer.name == format_name or (not format_name and suffix in writer.suffixes):
            return writer
    known = "; ".join(f"{writer.name} ({', '.join(writer.suffixes)})" for writer in WRITERS)
    reason = f"no format is named {format_name!r}"
    if not format_name:
        reason = f"the ending {suffix!r} names no format"
    raise SceneError(reason, source=str(target), advice=f"Scenes are written as: {known}.")
