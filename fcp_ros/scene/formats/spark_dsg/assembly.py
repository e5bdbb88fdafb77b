# SPDX-License-Identifier: Apache-2.0
"""Conversion of the columns of a Spark-DSG to a ``SceneGraph`` (see `dsg_reader`)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.formats.spark_dsg.raw import LAYERS, NO_LABEL, LabelSpaces, RawScene, to_symbol
from fcp_ros.scene.graph.elements import (
    FARTHEST,
    AttributeValue,
    Layer,
    Pose,
    Quaternion,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import DOORS
from fcp_ros.scene.shapes.polygons import box_corners, convex_hull

DUMMY_ROOM_EXTENT = 0.11  # Greatest extent (m) of placeholder boxes of rooms, along some axis

_PLAIN_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


class _Row(NamedTuple):
    """One node, with Python's types."""

    row: int
    symbol: str
    layer: Layer
    name: str
    category: str
    position: Vector | None
    box: tuple[Pose, Vector] | None
    metadata: Mapping[str, Any]


def assemble(
    raw: RawScene,
    spaces: LabelSpaces,
    source: str,
    notes: Sequence[str],
    *,
    by_symbol: bool = False,
) -> SceneGraph:
    """Build the graph of decoded columns.

    ``by_symbol`` uses the symbol of every node as its id (see ``build_message_graph``).
    """
    rows, found = _collect_rows(raw, spaces)
    ids = {row.row: row.symbol for row in rows} if by_symbol else _choose_ids(rows)
    parents = _find_parents(raw, {row.row: row.layer for row in rows})
    places = _group_places(rows, parents)
    nodes = []
    for row in rows:
        above = tuple(ids[parent] for parent in parents.get(row.row, ()) if parent in ids)
        if row.layer is Layer.ROOM:
            nodes.append(_build_room(row, ids[row.row], places.get(row.row, ()), above))
        else:
            nodes.append(_build_thing(row, ids[row.row], above))
    nodes += _build_agents(raw, ids, parents, by_symbol=by_symbol)
    connected = _relate_rooms(raw, ids, rows, parents)
    return SceneGraph.of(nodes, connected, source=source, notes=(*notes, *found))


def _collect_rows(raw: RawScene, spaces: LabelSpaces) -> tuple[list[_Row], list[str]]:
    """Return the nodes in layers of ours, without agents, and notes about all nodes."""
    finite = _find_finite(raw.positions)
    extents = np.where(raw.sizes > 0.0, raw.sizes, np.nan)
    boxed = _find_finite(np.hstack((raw.centres, extents, raw.turns)))
    positions, centres = raw.positions.tolist(), raw.centres.tolist()
    sizes, turns = raw.sizes.tolist(), raw.turns.tolist()
    placed, has_box = finite.tolist(), boxed.tolist()
    rows, skipped = [], Counter[str]()
    unlabelled = unboxed = unplaced = 0
    for row, (key, layer_key) in enumerate(zip(raw.keys, raw.layers, strict=True)):
        if row in raw.agents:
            continue
        layer = LAYERS.get(layer_key)
        if layer is None:
            number, partition = layer_key
            skipped[f"{number}[{partition}]" if partition else str(number)] += 1
            continue
        category, labelled = _choose_category(raw, row, layer, spaces.get(layer_key, {}))
        box = None
        if has_box[row]:
            box = Pose(tuple(centres[row]), tuple(turns[row])), tuple(sizes[row])
        if layer is Layer.OBJECT:
            unlabelled += not labelled
            unboxed += box is None
        unplaced += not placed[row]
        position = tuple(positions[row]) if placed[row] else None
        symbol = to_symbol(key)
        name, metadata = raw.names[row], raw.metadata[row]
        rows.append(_Row(row, symbol, layer, name, category, position, box, metadata))
    return rows, _write_notes(skipped, unlabelled, unboxed, unplaced)


def _find_finite(table: Floats) -> NDArray[np.bool_]:
    return np.asarray((np.abs(table) <= FARTHEST).all(axis=1), dtype=np.bool_)


def _write_notes(skipped: Counter[str], unlabelled: int, unboxed: int, unplaced: int) -> list[str]:
    notes = [f"{n} nodes of layer {name} were left out" for name, n in sorted(skipped.items())]
    if unlabelled:
        notes.append(
            f"{unlabelled} objects have no name for their label in the file's label space; "
            "their categories read label_<number> or unknown"
        )
    if unboxed:
        notes.append(f"{unboxed} objects have no usable bounding box: their size is unknown")
    if unplaced:
        notes.append(f"{unplaced} nodes have no usable position: it is unknown")
    return notes


def _choose_category(
    raw: RawScene, row: int, layer: Layer, space: Mapping[int, str]
) -> tuple[str, bool]:
    """Return the category, and True if the file has a name for it."""
    label = raw.labels[row]
    if label != NO_LABEL and space.get(label):
        return space[label], True
    if layer is Layer.OBJECT:
        return ("unknown" if label == NO_LABEL else f"label_{label}"), False
    return raw.likely.get(row) or layer.value, True


def _choose_ids(rows: Sequence[_Row]) -> dict[int, str]:
    """Return the name if it is unique, plain and no other node's symbol; else the symbol."""
    count = Counter(row.name for row in rows)
    symbols = {row.symbol: row.row for row in rows}

    def has_usable_name(row: _Row) -> bool:
        is_own = symbols.get(row.name, row.row) == row.row
        return count[row.name] == 1 and is_own and _PLAIN_ID.fullmatch(row.name) is not None

    return {row.row: row.name if has_usable_name(row) else row.symbol for row in rows}


def _find_parents(raw: RawScene, layers: Mapping[int, Layer]) -> dict[int, list[int]]:
    """Find the rows above each row: an edge's end in the higher layer is the parent."""
    parents: dict[int, list[int]] = defaultdict(list)
    levels = [number for number, _ in raw.layers]
    for a, b in raw.edges:
        if levels[a] != levels[b]:
            child, parent = (a, b) if levels[a] < levels[b] else (b, a)
            if parent in layers and parent not in parents[child]:
                parents[child].append(parent)
    return parents


def _group_places(
    rows: Sequence[_Row], parents: Mapping[int, Sequence[int]]
) -> dict[int, list[Vector]]:
    positions: dict[int, list[Vector]] = defaultdict(list)
    for row in rows:
        if row.layer is Layer.PLACE and row.position is not None:
            for parent in parents.get(row.row, ()):
                positions[parent].append(row.position)
    return positions


def _build_thing(row: _Row, id_: str, parents: tuple[str, ...]) -> SceneNode:
    pose, size = None, None
    if row.box is not None:
        pose, size = row.box
    elif row.position is not None:
        pose = Pose(row.position)
    attributes = _read_attributes(row.metadata)
    return SceneNode(id_, row.layer, row.category, pose, size, (), None, attributes, parents)


def _build_room(
    row: _Row, id_: str, places: Sequence[Vector], parents: tuple[str, ...]
) -> SceneNode:
    pose = Pose(row.position) if row.position is not None else None
    height = None
    if row.box is not None and min(row.box[1]) > DUMMY_ROOM_EXTENT:
        box, size = row.box
        pose, outline, height = Pose(box.position), box_corners(box, size), size[2]
    else:
        outline = convex_hull([(x, y) for x, y, _ in places])
    return SceneNode(
        id_,
        Layer.ROOM,
        row.category,
        pose=pose,
        polygon=outline,
        height=height,
        attributes=_read_attributes(row.metadata),
        parents=parents,
    )


def _read_attributes(metadata: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """Return the plain values, without lists, tables, null and numbers that are not finite."""
    return {
        name: value
        for name, value in metadata.items()
        if isinstance(value, bool | int | float | str)
        and not (isinstance(value, float) and not math.isfinite(value))
    }


def _relate_rooms(
    raw: RawScene,
    ids: Mapping[int, str],
    rows: Sequence[_Row],
    parents: Mapping[int, Sequence[int]],
) -> list[SceneRelation]:
    """Relate rooms with an edge between them by ``connected``, with the door of both if any."""
    rooms = {row.row for row in rows if row.layer is Layer.ROOM}
    doors: dict[frozenset[int], str] = {}
    for row in rows:
        if row.layer is Layer.OBJECT and normalise_label(row.category) in DOORS:
            both = frozenset(parents.get(row.row, ())) & rooms
            if len(both) == 2:
                doors.setdefault(both, ids[row.row])
    pairs = dict.fromkeys((a, b) for a, b in raw.edges if a in rooms and b in rooms)
    connected = []
    for a, b in pairs:
        door = doors.get(frozenset((a, b)))
        legs = (ids[a], ids[b]) if door is None else (ids[a], ids[b], door)
        connected.append(SceneRelation("connected", legs))
    return connected


def _build_agents(
    raw: RawScene, ids: Mapping[int, str], parents: Mapping[int, Sequence[int]], *, by_symbol: bool
) -> list[SceneNode]:
    """Build a node at the last pose of each agent: ``robot_1``, or several ``robot_<prefix>``."""
    last: dict[str, int] = {}
    order = {row: (stamp, raw.keys[row]) for row, (stamp, _) in raw.agents.items()}
    for row in raw.agents:
        prefix = to_symbol(raw.keys[row])[0]
        if prefix not in last or order[row] > order[last[prefix]]:
            last[prefix] = row
    taken = set(ids.values())
    nodes = []
    for prefix, row in sorted(last.items()):
        if by_symbol and prefix.islower():
            wanted = f"robot_{ord(prefix) - ord('a') + 1}"
        else:
            wanted = "robot_1" if len(last) == 1 else f"robot_{prefix}"
        id_ = wanted if wanted not in taken else f"agent_{to_symbol(raw.keys[row])}"
        taken.add(id_)
        nodes.append(
            SceneNode(
                id_,
                Layer.AGENT,
                "robot",
                pose=_choose_agent_pose(raw, row),
                attributes=_read_attributes(raw.metadata[row]),
                parents=tuple(ids[above] for above in parents.get(row, ()) if above in ids),
            )
        )
    return nodes


def _choose_agent_pose(raw: RawScene, row: int) -> Pose | None:
    x, y, z = raw.positions[row].tolist()
    if not max(abs(x), abs(y), abs(z)) <= FARTHEST:
        return None
    w, *imaginary = raw.agents[row][1]
    length = math.sqrt(w * w + sum(part * part for part in imaginary))
    if not abs(length - 1.0) < 0.05:
        return Pose((x, y, z), _IDENTITY)
    i, j, k = (part / length for part in imaginary)
    return Pose((x, y, z), (i, j, k, w / length))
