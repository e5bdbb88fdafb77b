# SPDX-License-Identifier: Apache-2.0
"""Scene messages as serialised bytes (XCDR1, little endian), for publishers that take bytes.

The bytes of a node or relation that was written before are written again as they are.
`scene.graph_to_ros` and its like say the same, slowly.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.msg import Attribute
from fcp_ros.nodes.conversions.cdr import ENCAPSULATION, CdrOutput
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import PROVENANCES
from fcp_ros.nodes.conversions.scene_values import PublishedChange, PublishedGraph, SceneUpdate
from fcp_ros.scene.graph.elements import AttributeValue, SceneNode, SceneRelation

SPARE = 4096
"""Nodes and relations remembered beyond twice as many as the largest message had."""

_POSE_AND_BOX = struct.Struct("<7dB7x3d")
_CORNER = struct.Struct("<fff")
_NO_POSE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_NO_SIZE = (0.0, 0.0, 0.0)
_GAP = bytes(3)
"""Between two relations: the last field is a byte, and the next begins at a multiple of 4."""


@dataclass(slots=True)
class _Written:
    """A node and its bytes: the beginning, for a start at a multiple of 8 and 4 beyond; the rest.

    The rest begins at a multiple of 8, and is filled up to a multiple of 4.
    """

    node: SceneNode
    head: bytes
    head_beyond: bytes
    tail: bytes
    rest: bytes


class SceneWriter:
    """Writes scene messages; for one thread at a time. What is remembered is bounded."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Written] = {}
        self._relations: dict[int, tuple[SceneRelation, bytes]] = {}
        self._largest = [0, 0]

    def update(self, update: SceneUpdate) -> bytes:
        """A SceneGraphUpdate.

        Raises:
            ConversionError: something does not fit into the message.
        """
        out = _headed(update.stamp, update.frame_id)
        out.number("B", update.is_full)
        out.number("q", update.sequence)
        out.text(update.source)
        self._write_nodes(out, update.nodes)
        out.texts(update.removed)
        self._write_relations(out, update.relations)
        self._write_relations(out, update.dropped)
        return ENCAPSULATION + out.buffer

    def graph(self, published: PublishedGraph) -> bytes:
        """A SceneGraph.

        Raises:
            ConversionError: something does not fit into the message.
        """
        graph = published.graph
        out = _headed(published.stamp, graph.frame_id)
        out.number("q", graph.sequence)
        out.text(graph.source)
        self._write_nodes(out, tuple(graph.nodes.values()))
        self._write_relations(out, graph.relations)
        return ENCAPSULATION + out.buffer

    def change(self, change: PublishedChange) -> bytes:
        """A SceneGraphChange.

        Raises:
            ConversionError: something does not fit into the message.
        """
        out = _headed(change.stamp, change.frame_id)
        out.number("q", change.sequence)
        out.number("q", change.previous)
        out.number("B", change.is_full)
        out.text(change.source)
        self._write_nodes(out, change.nodes)
        out.texts(change.removed)
        self._write_relations(out, change.relations)
        self._write_relations(out, change.dropped)
        out.texts(change.changed)
        out.texts(tuple(before for before, _ in change.renamed))
        out.texts(tuple(after for _, after in change.renamed))
        return ENCAPSULATION + out.buffer

    def _write_nodes(self, out: CdrOutput, nodes: Sequence[SceneNode]) -> None:
        out.number("I", len(nodes))
        known = self._nodes
        self._largest[0] = max(self._largest[0], len(nodes))
        if len(known) > 2 * self._largest[0] + SPARE:
            known.clear()
        parts = []
        at = len(out.buffer)
        for node in nodes:
            written = known.get(node.id)
            if written is None or written.node is not node:
                written = known[node.id] = _write_node(node, written)
            head = written.head_beyond if at & 4 else written.head
            parts.append(head)
            parts.append(written.rest)
            at += len(head) + len(written.rest)
        out.buffer += b"".join(parts)

    def _write_relations(self, out: CdrOutput, relations: Iterable[SceneRelation]) -> None:
        known = self._relations
        parts = []
        for relation in relations:
            # By identity: hashing a relation takes longer than writing it.
            written = known.get(id(relation))
            if written is None or written[0] is not relation:
                written = known[id(relation)] = (relation, _write_relation(relation))
            parts.append(written[1])
        out.number("I", len(parts))
        out.buffer += _GAP.join(parts)
        self._largest[1] = max(self._largest[1], len(parts))
        if len(known) > 2 * self._largest[1] + SPARE:
            known.clear()


def _headed(stamp: Time, frame_id: str) -> CdrOutput:
    out = CdrOutput()
    out.number("i", stamp.sec)
    out.number("I", stamp.nanosec)
    out.text(frame_id)
    return out


def _write_node(node: SceneNode, before: _Written | None) -> _Written:
    """The bytes of a node; what it has in common with the one before is not written again."""
    old = before.node if before is not None else None
    alike = old is not None and (old.layer, old.category, old.pose is None) == (
        node.layer,
        node.category,
        node.pose is None,
    )
    if before is not None and alike:
        head, head_beyond = before.head, before.head_beyond
    else:
        head, head_beyond = _heads(node)
    if before is not None and old is not None and _same_tail(old, node):
        tail = before.tail
    else:
        tail = _tail(node)
    pose, size = node.pose, node.size
    try:
        numbers = _POSE_AND_BOX.pack(
            *(_NO_POSE if pose is None else (*pose.position, *pose.orientation)),
            size is not None,
            *(_NO_SIZE if size is None else size),
        )
    except struct.error as error:
        raise ConversionError(f"the node {node.id!r} can't be sent: {error}") from None
    return _Written(node, head, head_beyond, tail, numbers + tail)


def _heads(node: SceneNode) -> tuple[bytes, bytes]:
    out = CdrOutput()
    for text in (node.id, node.layer.value, node.category):
        out.text(text)
    out.number("B", node.pose is not None)
    plain = bytes(out.buffer)
    return plain + bytes(-len(plain) % 8), plain + bytes((-len(plain) - 4) % 8)


def _same_tail(old: SceneNode, node: SceneNode) -> bool:
    return (
        old.polygon == node.polygon
        and old.height == node.height
        and old.parents == node.parents
        and (old.attributes is node.attributes or _typed(old) == _typed(node))
    )


def _typed(node: SceneNode) -> list[tuple[str, AttributeValue, type]]:
    """Attributes with their kinds: True, 1 and 1.0 are equal, and yet other bytes."""
    return sorted((name, value, type(value)) for name, value in node.attributes.items())


def _tail(node: SceneNode) -> bytes:
    out = CdrOutput()  # from a multiple of 8 on, as pose and box end at one
    out.number("I", len(node.polygon))
    try:
        out.buffer += b"".join(_CORNER.pack(x, y, 0.0) for x, y in node.polygon)
        out.align(8)
        out.buffer += struct.pack("<d", node.height or 0.0)
    except (struct.error, OverflowError) as error:
        raise ConversionError(f"the footprint of {node.id!r} can't be sent: {error}") from None
    out.number("I", len(node.attributes))
    for name in sorted(node.attributes):
        _write_attribute(out, name, node.attributes[name])
    out.texts(node.parents)
    out.align(4)
    return bytes(out.buffer)


def _write_attribute(out: CdrOutput, name: str, value: AttributeValue) -> None:
    kind, integer, number, text = Attribute.STRING, 0, 0.0, ""
    if isinstance(value, bool):  # a kind of int in Python
        kind = Attribute.BOOL
    elif isinstance(value, int):
        kind, integer = Attribute.INTEGER, value
        if not -(2**63) <= value < 2**63:
            raise ConversionError(f"the attribute {name} is {value}: it does not fit into 64 bits")
    elif isinstance(value, float):
        kind, number = Attribute.FLOAT, value
    else:
        text = str(value)
    out.text(name)
    out.number("B", kind)
    out.number("B", value is True)
    out.number("q", integer)
    out.buffer += struct.pack("<d", number)
    out.text(text)


def _write_relation(relation: SceneRelation) -> bytes:
    out = CdrOutput()
    out.text(relation.name)
    out.texts(relation.elements)
    out.number("f", relation.confidence)
    out.number("B", PROVENANCES[relation.provenance])
    return bytes(out.buffer)
