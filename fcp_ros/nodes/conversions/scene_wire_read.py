# SPDX-License-Identifier: Apache-2.0
"""Scene messages from their serialised bytes, without a message object in between.

rclpy makes a Python object of every field first, which takes most of the time. Here a kernel finds
the bytes of each node, and a node whose bytes have come before is the same value as before.
`scene.update_from_message` and its like say the same, slowly; they are also used for bytes in
another encoding than little-endian XCDR1.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message

from fcp_ros.msg import Attribute, SceneGraphChange, SceneGraphUpdate
from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.nodes.conversions.cdr import CdrInput, decoded, is_little_endian_cdr
from fcp_ros.nodes.conversions.errors import ConversionError
from fcp_ros.nodes.conversions.scene import (
    CONFIDENCE_DIGITS,
    PROVENANCES,
    change_from_message,
    graph_from_message,
    renamed_pairs,
    update_from_message,
)
from fcp_ros.nodes.conversions.scene_values import PublishedChange, PublishedGraph, SceneUpdate
from fcp_ros.nodes.conversions.scene_wire_walk import (
    LEAST_NODE,
    LEAST_RELATION,
    NUMBERS,
    walk_nodes,
    walk_relations,
)
from fcp_ros.scene.graph.garbage import garbage_collection_paused
from fcp_ros.scene.graph.graph import (
    AttributeValue,
    Layer,
    Pose,
    SceneGraph,
    SceneNode,
    SceneRelation,
)

SPARE = 4096
"""Nodes and relations remembered beyond twice as many as the largest message had."""

_LAYERS = {layer.value: layer for layer in Layer}
_PROVENANCES = {int(number): provenance for provenance, number in PROVENANCES.items()}
_POSE_AND_BOX = struct.Struct("<7dB7x3d")
_COUNT = struct.Struct("<I")
_FLOAT = struct.Struct("<f")
_CORNER = struct.Struct("<fff")
_HEIGHT = struct.Struct("<d")
_VALUES = struct.Struct("<qd")

Tail = tuple[
    tuple[tuple[float, float], ...], float | None, dict[str, AttributeValue], tuple[str, ...]
]
"""Footprint, height, attributes, parents."""


@dataclass(slots=True)
class _Seen:
    """What the last node with this beginning was, and the rest of its bytes."""

    id: str
    layer: Layer
    category: str
    pose_known: bool
    rest: bytes = b""
    tail: Tail = ((), None, {}, ())
    node: SceneNode | None = None


class SceneReader:
    """Reads serialised scene messages; for one thread at a time.

    Equal nodes and relations of one message after the other are the same objects, whatever the
    sender. What is remembered is bounded by the size of the largest message.

    Arguments:
        most_nodes: messages with more are refused before anything is made of them.
    """

    def __init__(self, most_nodes: int) -> None:
        self._most_nodes = most_nodes
        self._nodes: dict[bytes, _Seen] = {}
        self._relations: dict[bytes, SceneRelation] = {}
        self._largest = [0, 0]

    def update(self, data: bytes) -> SceneUpdate:
        """A SceneGraphUpdate.

        Raises:
            ConversionError: it is damaged, too large, or says something unknown.
        """
        if not is_little_endian_cdr(data):
            return update_from_message(_by_rclpy(data, SceneGraphUpdate))
        source = CdrInput(data, "SceneGraphUpdate")
        with garbage_collection_paused():
            stamp, frame_id = _header(source)
            update = SceneUpdate(
                stamp=stamp,
                frame_id=frame_id,
                is_full=source.flag(),
                sequence=source.number("q"),
                source=source.text(),
                nodes=self._read_nodes(source),
                removed=source.texts(),
                relations=self._read_relations(source),
                dropped=self._read_relations(source),
            )
            source.end()
        return update

    def graph(self, data: bytes) -> PublishedGraph:
        """A SceneGraph.

        Raises:
            ConversionError: it is damaged, too large, or says something unknown.
            SceneError: it is no valid graph.
        """
        if not is_little_endian_cdr(data):
            message = _by_rclpy(data, SceneGraphMessage)
            return PublishedGraph(message.header.stamp, graph_from_message(message))
        source = CdrInput(data, "SceneGraph")
        with garbage_collection_paused():
            stamp, frame_id = _header(source)
            sequence, name = source.number("q"), source.text()
            nodes, relations = self._read_nodes(source), self._read_relations(source)
            source.end()
            graph = SceneGraph.of(
                nodes, relations, frame_id=frame_id or "map", sequence=sequence, source=name
            )
        return PublishedGraph(stamp, graph)

    def change(self, data: bytes) -> PublishedChange:
        """A SceneGraphChange.

        Raises:
            ConversionError: it is damaged, too large, or says something unknown.
        """
        if not is_little_endian_cdr(data):
            return change_from_message(_by_rclpy(data, SceneGraphChange))
        source = CdrInput(data, "SceneGraphChange")
        with garbage_collection_paused():
            stamp, frame_id = _header(source)
            change = PublishedChange(
                stamp=stamp,
                frame_id=frame_id,
                sequence=source.number("q"),
                previous=source.number("q"),
                is_full=source.flag(),
                source=source.text(),
                nodes=self._read_nodes(source),
                removed=source.texts(),
                relations=self._read_relations(source),
                dropped=self._read_relations(source),
                changed=source.texts(),
                renamed=renamed_pairs(source.texts(), source.texts()),
            )
            source.end()
        return change

    # --- nodes ----------------------------------------------------------------------------------

    def _read_nodes(self, source: CdrInput) -> tuple[SceneNode, ...]:
        count = source.count(LEAST_NODE)
        if count > self._most_nodes:
            raise ConversionError(
                f"the message has {count} nodes, and {self._most_nodes} are allowed: raise the "
                "parameter max_nodes"
            )
        rows = np.empty((count, 4), dtype=np.int64)
        source.at = _behind(source, walk_nodes(source.bytes, source.at, rows), "node")
        self._make_room(self._nodes, 0, count)
        data = source.frozen()
        known = self._nodes
        nodes = []
        for start, head_end, rest, end in rows.tolist():
            head = data[start:head_end]
            seen = known.get(head)
            if seen is None:
                seen = known[head] = _begin(head)
            text = data[rest:end]
            if text != seen.rest or seen.node is None:
                _follow(seen, text)
            nodes.append(seen.node)
        return tuple(nodes)  # type: ignore[arg-type]

    # --- relations ------------------------------------------------------------------------------

    def _read_relations(self, source: CdrInput) -> tuple[SceneRelation, ...]:
        count = source.count(LEAST_RELATION)
        if not count:
            return ()
        rows = np.empty((count, 2), dtype=np.int64)
        source.at = _behind(source, walk_relations(source.bytes, source.at, rows), "relation")
        self._make_room(self._relations, 1, count)
        data = source.frozen()
        known = self._relations
        relations = []
        for start, end in rows.tolist():
            text = data[start:end]
            relation = known.get(text)
            if relation is None:
                relation = known[text] = _relation(text)
            relations.append(relation)
        return tuple(relations)

    def _make_room(self, known: dict[bytes, Any], kind: int, count: int) -> None:
        self._largest[kind] = max(self._largest[kind], count)
        if len(known) > 2 * self._largest[kind] + SPARE:
            known.clear()


def _by_rclpy(data: bytes, kind: Any) -> Any:
    """A message in another encoding, as rclpy reads it."""
    if len(data) < 4 or data[0] != 0:
        raise ConversionError(f"the {kind.__name__} message is damaged: it begins {data[:4]!r}")
    try:
        return deserialize_message(data, kind)
    except Exception as error:  # whatever the middleware raises
        raise ConversionError(f"the {kind.__name__} message can't be read: {error}") from error


def _header(source: CdrInput) -> tuple[Time, str]:
    seconds, nanoseconds = source.number("i"), source.number("I")
    return Time(sec=seconds, nanosec=nanoseconds), source.text()


def _behind(source: CdrInput, at: int, what: str) -> int:
    if at < 0:
        raise source.damaged(f"{what} {-at} reaches beyond its end, or is none")
    return at


# --- one node, one relation: the kernel has checked all lengths -----------------------------------


def _begin(head: bytes) -> _Seen:
    id_, at = _text(head, 0)
    layer_name, at = _text(head, at)
    category, at = _text(head, at)
    layer = _LAYERS.get(layer_name)
    if layer is None:
        raise ConversionError(
            f"the node {id_!r} has the layer {layer_name!r}: give one of {', '.join(_LAYERS)}"
        )
    return _Seen(id_, layer, category, bool(head[-1]))


def _follow(seen: _Seen, rest: bytes) -> None:
    """Make the node that these bytes stand for; the same one where it is equal."""
    if seen.node is None or rest[NUMBERS:] != seen.rest[NUMBERS:]:
        try:
            seen.tail = _tail(rest)
        except ConversionError as error:
            seen.node = None
            raise ConversionError(f"the node {seen.id!r}: {error}") from error
    x, y, z, qx, qy, qz, qw, box_known, *size = _POSE_AND_BOX.unpack_from(rest)
    polygon, height, attributes, parents = seen.tail
    seen.node = SceneNode(
        seen.id,
        seen.layer,
        seen.category,
        Pose((x, y, z), (qx, qy, qz, qw)) if seen.pose_known else None,
        (size[0], size[1], size[2]) if box_known else None,
        polygon,
        height,
        attributes,
        parents,
    )
    seen.rest = rest


def _tail(rest: bytes) -> Tail:
    (corners,) = _COUNT.unpack_from(rest, NUMBERS)
    at = NUMBERS + 4
    end = at + 12 * corners
    polygon = tuple((x, y) for x, y, _ in _CORNER.iter_unpack(rest[at:end]))
    at = -(-end // 8) * 8
    (height,) = _HEIGHT.unpack_from(rest, at)
    attributes, at = _attributes(rest, at + 8)
    parents, at = _texts(rest, at)
    return polygon, height or None, attributes, parents


def _attributes(data: bytes, at: int) -> tuple[dict[str, AttributeValue], int]:
    at = -(-at // 4) * 4
    (count,) = _COUNT.unpack_from(data, at)
    at += 4
    attributes: dict[str, AttributeValue] = {}
    for _ in range(count):
        name, at = _text(data, at)
        kind, flag = data[at], data[at + 1]
        at = -(-(at + 2) // 8) * 8
        integer, number = _VALUES.unpack_from(data, at)
        text, at = _text(data, at + 16)
        if name in attributes:
            raise ConversionError(f"the attribute {name!r} is given twice")
        attributes[name] = _value(name, kind, (bool(flag), integer, number, text))
    return attributes, at


def _value(name: str, kind: int, values: tuple[bool, int, float, str]) -> AttributeValue:
    if not Attribute.BOOL <= kind <= Attribute.STRING:
        raise ConversionError(
            f"the attribute {name!r} has kind {kind}: give BOOL (1), INTEGER (2), FLOAT (3) or "
            "STRING (4)"
        )
    value = values[kind - Attribute.BOOL]
    if isinstance(value, float) and not math.isfinite(value):
        raise ConversionError(f"the attribute {name!r} is {value}")
    return value


def _relation(data: bytes) -> SceneRelation:
    name, at = _text(data, 0)
    elements, at = _texts(data, at)
    at = -(-at // 4) * 4
    (confidence,) = _FLOAT.unpack_from(data, at)
    provenance = _PROVENANCES.get(data[at + 4])
    if provenance is None:
        raise ConversionError(
            f"the relation {name}({', '.join(elements)}) has the provenance {data[at + 4]}: give "
            "GIVEN (1), GEOMETRIC (2) or INFERRED (3)"
        )
    return SceneRelation(name, elements, round(confidence, CONFIDENCE_DIGITS), provenance)


def _text(data: bytes, at: int) -> tuple[str, int]:
    at = -(-at // 4) * 4
    (length,) = _COUNT.unpack_from(data, at)
    at += 4
    return decoded(data[at : at + max(length - 1, 0)]), at + length


def _texts(data: bytes, at: int) -> tuple[tuple[str, ...], int]:
    at = -(-at // 4) * 4
    (count,) = _COUNT.unpack_from(data, at)
    at += 4
    texts = []
    for _ in range(count):
        text, at = _text(data, at)
        texts.append(text)
    return tuple(texts), at
