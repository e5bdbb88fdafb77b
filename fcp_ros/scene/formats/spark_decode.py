# SPDX-License-Identifier: Apache-2.0
"""What the ``spark-dsg`` package makes of a file, copied out into plain values.

The library's node handles dangle once its graph is freed, so nothing of the library leaves this
file.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import Layer, Quaternion, Vector

NO_LABEL = 4294967295
"""The largest uint32, which Spark-DSG writes for "no label"."""

_LAYERS: Mapping[tuple[int, int], Layer] = {
    (2, 0): Layer.OBJECT,
    (3, 0): Layer.PLACE,
    (3, 1): Layer.PLACE,
    (3, 2): Layer.PLACE,
    (20, 0): Layer.PLACE,
    (4, 0): Layer.ROOM,
    (5, 0): Layer.BUILDING,
}
_IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class RawNode:
    """One node of a Spark-DSG file.

    Attributes:
        key: The file's 64-bit node id.
        symbol: The same as text, such as ``O33``; ``prefix`` is its letter.
        order: Increases along an agent's trajectory.
        layer: Ours, or None for a layer that we have no use for (``layer_name`` says which).
        name: The node's name as given, possibly empty or not unique.
        category: Label from the label space; ``labelled`` is False where it had none.
        position: Of the node (m); its box may be centred elsewhere.
        orientation: Of the box, or of an agent (unit quaternion x, y, z, w).
        box_centre, size: The box (m), or None where it is unusable.
        parents: Keys of the nodes above, any number.
    """

    key: int
    symbol: str
    prefix: str
    order: tuple[int, int]
    layer: Layer | None
    layer_name: str
    name: str
    category: str
    labelled: bool
    position: Vector
    orientation: Quaternion
    box_centre: Vector | None
    size: Vector | None
    parents: tuple[int, ...]


@dataclass(frozen=True)
class RawGraph:
    """The nodes of a file and the edges between nodes of its room layer, as keys."""

    nodes: tuple[RawNode, ...]
    room_edges: tuple[tuple[int, int], ...]


def decode(file: SceneFile) -> RawGraph:
    """Read a Spark-DSG file of either syntax.

    Raises:
        SceneError: The package is missing, the content is damaged, or there are too many nodes.
    """
    graph = _load(file)
    file.limits.check_nodes(graph.num_nodes(), file.name)
    try:
        nodes = tuple(_raw_nodes(graph))
        return RawGraph(nodes, tuple(_room_edges(graph, nodes)))
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise _damaged(file, error) from None


def _load(file: SceneFile) -> Any:
    try:
        import spark_dsg
    except ImportError:
        raise SceneError(
            "reading Spark-DSG needs the package spark-dsg",
            source=file.name,
            advice="Install it with: pip install spark-dsg.",
        ) from None
    suffix = ".sparkdsg" if file.syntax is Syntax.BINARY else ".json"
    try:
        with _output_to_stderr():
            if file.path.suffix == suffix:
                return spark_dsg.DynamicSceneGraph.load(str(file.path))
            # The library goes by the file's name, we by its content.
            with tempfile.TemporaryDirectory() as folder:
                renamed = Path(folder) / f"scene{suffix}"
                renamed.write_bytes(file.content)
                return spark_dsg.DynamicSceneGraph.load(str(renamed))
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise _damaged(file, error) from None


def _damaged(file: SceneFile, error: Exception) -> SceneError:
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return SceneError(
        f"the Spark-DSG content cannot be decoded ({reason})",
        source=file.name,
        advice="The file is damaged or cut off: save it again with spark-dsg or Hydra.",
    )


@contextlib.contextmanager
def _output_to_stderr() -> Iterator[None]:
    """The library prints warnings to the process's stdout, where our callers print results."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # no stdout at all: nothing to protect
        yield
        return
    try:
        with contextlib.suppress(OSError):
            os.dup2(2, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _raw_nodes(graph: Any) -> Iterator[RawNode]:
    spaces = _label_spaces(graph)
    for node in graph.nodes:
        attributes = node.attributes
        key = (int(node.layer.layer), int(node.layer.partition))
        is_agent = type(attributes).__name__ == "AgentNodeAttributes"
        layer = Layer.AGENT if is_agent else _LAYERS.get(key)
        category, labelled = _category(attributes, layer, spaces.get(key, {}))
        centre, turn, size = _box(getattr(attributes, "bounding_box", None))
        symbol = node.id
        yield RawNode(
            key=int(symbol.value),
            symbol=f"{symbol.category}{symbol.category_id}",
            prefix=str(symbol.category),
            order=(_nanoseconds(attributes), int(symbol.category_id)),
            layer=layer,
            layer_name=str(node.layer),
            name=str(getattr(attributes, "name", "") or ""),
            category=category,
            labelled=labelled,
            position=_vector(attributes.position),
            orientation=_quaternion(attributes.world_R_body) if is_agent else turn,
            box_centre=centre,
            size=size,
            parents=tuple(int(parent) for parent in node.parents()),
        )


def _nanoseconds(attributes: Any) -> int:
    stamp = getattr(attributes, "timestamp", 0)
    if hasattr(stamp, "total_seconds"):
        return int(stamp.total_seconds() * 1e9)
    return int(stamp or 0)


def _label_spaces(graph: Any) -> dict[tuple[int, int], dict[int, str]]:
    """``metadata.labelspaces._l2p0 = [[id, name], ...]`` by (layer, partition)."""
    metadata = graph.metadata.get()
    table = metadata.get("labelspaces", {}) if isinstance(metadata, Mapping) else {}
    spaces: dict[tuple[int, int], dict[int, str]] = {}
    for name, entries in table.items() if isinstance(table, Mapping) else ():
        match = re.fullmatch(r"_l(\d+)p(\d+)", str(name))
        if match and isinstance(entries, list):
            key = (int(match.group(1)), int(match.group(2)))
            spaces[key] = {
                int(entry[0]): str(entry[1])
                for entry in entries
                if isinstance(entry, list) and len(entry) == 2
            }
    return spaces


def _category(attributes: Any, layer: Layer | None, space: Mapping[int, str]) -> tuple[str, bool]:
    """Category, and whether a label space gave it."""
    if layer is Layer.AGENT:
        return "robot", True
    label = int(getattr(attributes, "semantic_label", NO_LABEL))
    if label != NO_LABEL and space.get(label):
        return space[label], True
    if layer is Layer.OBJECT:
        return ("unknown" if label == NO_LABEL else f"label_{label}"), False
    return (layer.value if layer else "unknown"), True


def _vector(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _quaternion(value: Any) -> Quaternion:
    parts = np.array([value.x, value.y, value.z, value.w], dtype=float)
    length = float(np.linalg.norm(parts))
    if not np.isfinite(length) or length < 1e-6:
        return _IDENTITY
    x, y, z, w = (float(part) for part in parts / length)
    return x, y, z, w


def _box(box: Any) -> tuple[Vector | None, Quaternion, Vector | None]:
    """Centre, orientation and full extents; (None, identity, None) for an unusable box."""
    nothing = (None, _IDENTITY, None)
    if box is None or not box.is_valid():
        return nothing
    size = np.asarray(box.dimensions, dtype=float)
    centre = np.asarray(box.world_P_center, dtype=float)
    usable = np.isfinite(size).all() and np.isfinite(centre).all() and (size > 0.0).all()
    if not usable:
        return nothing
    from scipy.spatial.transform import Rotation

    turn = np.asarray(box.world_R_center, dtype=float)
    is_rotation = np.allclose(turn @ turn.T, np.eye(3), atol=1e-3) and np.linalg.det(turn) > 0
    if not is_rotation:
        return nothing
    x, y, z, w = (float(part) for part in Rotation.from_matrix(turn).as_quat())
    return _vector(centre), (x, y, z, w), _vector(size)


def _room_edges(graph: Any, nodes: tuple[RawNode, ...]) -> Iterator[tuple[int, int]]:
    rooms = {node.key for node in nodes if node.layer is Layer.ROOM}
    for edge in graph.edges:
        source, target = int(edge.source), int(edge.target)
        if source in rooms and target in rooms:
            yield source, target
