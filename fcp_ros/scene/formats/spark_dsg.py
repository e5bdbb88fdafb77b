# SPDX-License-Identifier: Apache-2.0
"""Reader of Spark-DSG files as Hydra writes them: JSON (v1.0, v1.1) and binary.

Decoding is left to the ``spark-dsg`` package; here its graph becomes a ``SceneGraph``:

- ids are the nodes' names where they are unique plain identifiers, else the node symbol without
  parentheses (``O33``);
- labels come from the label spaces in the metadata; without one, an object's category reads
  ``label_5``;
- boxes that are invalid, dummy (0.1 m) or not finite count as unknown; such a room gets the
  convex hull of its places as its footprint;
- of each agent's trajectory only the last pose is kept.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from fcp_ros.scene.formats.scene_file import SceneFile, SceneLimits, Syntax
from fcp_ros.scene.formats.spark_decode import RawGraph, RawNode, decode
from fcp_ros.scene.graph.graph import Layer, Pose, SceneGraph, SceneNode, SceneRelation, Vector
from fcp_ros.scene.shapes.footprint import box_corners, convex_hull

DUMMY_ROOM_EXTENT = 0.11
"""Rooms whose box is not larger than this (m) along some axis carry a placeholder box."""

_BINARY_MARK = b"SPARK_DSG"
_CURRENT_HEADER = b"\xdd\t\0\0\0SPARK_DSG\xdd\4\0\0\0main\xcc\1\xcc\1\xcc\3"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_spark_json(file: SceneFile) -> bool:
    """Whether the document has Spark-DSG's nodes, edges and layer table (v1.0 or v1.1)."""
    document = file.document
    if file.syntax is not Syntax.JSON or not isinstance(document, dict):
        return False
    known = {"SPARK_DSG_header", "layer_keys", "layer_ids"}
    return bool(known & document.keys()) and {"nodes", "edges"} <= document.keys()


def is_spark_binary(file: SceneFile) -> bool:
    """Whether the bytes begin with Spark-DSG's binary header."""
    return file.syntax is Syntax.BINARY and _BINARY_MARK in file.content[:32]


def read_spark(file: SceneFile) -> SceneGraph:
    """The graph of a Spark-DSG file; raises SceneError when it cannot be decoded."""
    if isinstance(file.document, dict):
        nodes = file.document["nodes"]
        file.limits.check_nodes(len(nodes) if isinstance(nodes, list) else 0, file.name)
    return _assemble(decode(file), file.name)


def decode_dsg_bytes(content: bytes, source: str, limits: SceneLimits) -> SceneGraph:
    """The graph of a binary Spark-DSG without file header, as `hydra_msgs/DsgUpdate` carries it.

    Args:
        content: The bytes of ``layer_contents``.
        source: Where they come from (a topic), for messages and ``SceneGraph.source``.
        limits: Refuse graphs beyond these.

    Raises:
        SceneError: The bytes are damaged, or there are too many nodes.
    """
    whole = _CURRENT_HEADER + content
    return read_spark(SceneFile(Path(source), "", whole, Syntax.BINARY, None, "", limits))


def _assemble(raw: RawGraph, source: str) -> SceneGraph:
    kept = [node for node in raw.nodes if node.layer not in (None, Layer.AGENT)]
    trajectory = [node for node in raw.nodes if node.layer is Layer.AGENT]
    ids = _ids(kept)
    places = _places_by_room(kept)
    nodes = [_node(node, ids, places) for node in kept]
    nodes += _agents(trajectory, set(ids.values()))
    pairs = dict.fromkeys((ids[a], ids[b]) for a, b in raw.room_edges)
    connected = [SceneRelation("connected", pair) for pair in pairs]
    return SceneGraph.of(nodes, connected, source=source, notes=_notes(raw.nodes))


def _notes(nodes: Sequence[RawNode]) -> list[str]:
    skipped = Counter(node.layer_name for node in nodes if node.layer is None)
    notes = [f"{n} nodes of layer {name} were left out" for name, n in sorted(skipped.items())]
    unlabelled = sum(1 for node in nodes if node.layer is Layer.OBJECT and not node.labelled)
    if unlabelled:
        notes.append(
            f"{unlabelled} objects have no name for their label in the file's label space; "
            "their categories read label_<number> or unknown"
        )
    unboxed = sum(1 for node in nodes if node.layer is Layer.OBJECT and node.size is None)
    if unboxed:
        notes.append(f"{unboxed} objects have no usable bounding box: their size is unknown")
    return notes


def _ids(kept: Sequence[RawNode]) -> dict[int, str]:
    """Names that are unique, plain and no other node's symbol; else the symbol."""
    count = Counter(node.name for node in kept)
    symbols = {node.symbol: node.key for node in kept}

    def named(node: RawNode) -> bool:
        is_own = symbols.get(node.name, node.key) == node.key
        return count[node.name] == 1 and is_own and _PLAIN.fullmatch(node.name) is not None

    return {node.key: node.name if named(node) else node.symbol for node in kept}


def _places_by_room(kept: Sequence[RawNode]) -> dict[int, list[Vector]]:
    positions: dict[int, list[Vector]] = defaultdict(list)
    for node in kept:
        if node.layer is Layer.PLACE:
            for parent in node.parents:
                positions[parent].append(node.position)
    return positions


def _node(
    raw: RawNode, ids: Mapping[int, str], places: Mapping[int, Sequence[Vector]]
) -> SceneNode:
    assert raw.layer is not None
    parents = tuple(ids[parent] for parent in raw.parents if parent in ids)
    pose = Pose(raw.box_centre or raw.position, raw.orientation)
    if raw.layer is not Layer.ROOM:
        return SceneNode(
            ids[raw.key], raw.layer, raw.category, pose=pose, size=raw.size, parents=parents
        )
    if raw.size is not None and min(raw.size) > DUMMY_ROOM_EXTENT:
        footprint, pose, height = box_corners(pose, raw.size), Pose(pose.position), raw.size[2]
    else:
        hull = convex_hull([(x, y) for x, y, _ in places.get(raw.key, ())])
        footprint, pose, height = hull, Pose(raw.position), None
    return SceneNode(
        ids[raw.key],
        Layer.ROOM,
        raw.category,
        pose=pose,
        polygon=footprint,
        height=height,
        parents=parents,
    )


def _agents(trajectory: Sequence[RawNode], taken: set[str]) -> list[SceneNode]:
    """The last pose of each agent: ``robot_1`` where there is one, else ``robot_<prefix>``."""
    last: dict[str, RawNode] = {}
    for raw in trajectory:
        if raw.prefix not in last or raw.order > last[raw.prefix].order:
            last[raw.prefix] = raw
    nodes = []
    for prefix, raw in sorted(last.items()):
        wanted = "robot_1" if len(last) == 1 else f"robot_{prefix}"
        id_ = wanted if wanted not in taken else f"agent_{wanted}"
        pose = Pose(raw.position, raw.orientation)
        nodes.append(SceneNode(id_, Layer.AGENT, "robot", pose=pose))
    return nodes
