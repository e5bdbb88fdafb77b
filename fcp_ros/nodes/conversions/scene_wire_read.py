# SPDX-License-Identifier: Apache-2.0
"""Scene messages from their serialised bytes, without a message object in between.

rclpy makes a Python object of every field first, which takes most of the time. Here a kernel finds
the bytes of each node, and a node whose bytes have come before is the same value as before.
`scene.update_from_ros` and its like say the same, slowly; they are also used for bytes in
another encoding than little-endian XCDR1.
"""

from __future__ import annotations

from typing import Any

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange, SceneGraphUpdate
from fcp_ros.nodes.conversions.cdr import CdrInput, is_little_endian_cdr
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import (
    change_from_ros,
    graph_from_ros,
    renamed_pairs,
    update_from_ros,
)
from fcp_ros.nodes.conversions.scene_values import PublishedChange, PublishedGraph, SceneUpdate
from fcp_ros.nodes.conversions.scene_wire_fields import (
    by_rclpy,
    header_of,
    node_rows,
    relation_rows,
)
from fcp_ros.nodes.conversions.scene_wire_node import (
    SeenNode,
    begin_node,
    follow_node,
    relation_of,
)
from fcp_ros.scene.graph.elements import SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

SPARE = 4096
"""Nodes and relations remembered beyond twice as many as the largest message had."""


class SceneReader:
    """Reads serialised scene messages; for one thread at a time.

    Equal nodes and relations of one message after the other are the same objects, whatever the
    sender. What is remembered is bounded by the size of the largest message.

    Arguments:
        most_nodes: messages with more are refused before anything is made of them.
    """

    def __init__(self, most_nodes: int) -> None:
        self._most_nodes = most_nodes
        self._nodes: dict[bytes, SeenNode] = {}
        self._relations: dict[bytes, SceneRelation] = {}
        self._largest = [0, 0]

    def update(self, data: bytes) -> SceneUpdate:
        """A SceneGraphUpdate.

        Raises:
            ConversionError: it is damaged, too large, or says something unknown.
        """
        if not is_little_endian_cdr(data):
            return update_from_ros(by_rclpy(data, SceneGraphUpdate))
        source = CdrInput(data, "SceneGraphUpdate")
        with pause_garbage_collection():
            stamp, frame_id = header_of(source)
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
            message = by_rclpy(data, SceneGraphMessage)
            return PublishedGraph(message.header.stamp, graph_from_ros(message))
        source = CdrInput(data, "SceneGraph")
        with pause_garbage_collection():
            stamp, frame_id = header_of(source)
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
            return change_from_ros(by_rclpy(data, SceneGraphChange))
        source = CdrInput(data, "SceneGraphChange")
        with pause_garbage_collection():
            stamp, frame_id = header_of(source)
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
        rows = node_rows(source)
        if len(rows) > self._most_nodes:
            raise ConversionError(
                f"the message has {len(rows)} nodes, and {self._most_nodes} are allowed: raise "
                "the parameter max_nodes"
            )
        self._make_room(self._nodes, 0, len(rows))
        data = source.frozen()
        known = self._nodes
        nodes = []
        for start, head_end, rest, end in rows.tolist():
            head = data[start:head_end]
            seen = known.get(head)
            if seen is None:
                seen = known[head] = begin_node(head)
            text = data[rest:end]
            if text != seen.rest or seen.node is None:
                follow_node(seen, text)
            nodes.append(seen.node)
        return tuple(nodes)  # type: ignore[arg-type]

    # --- relations ------------------------------------------------------------------------------

    def _read_relations(self, source: CdrInput) -> tuple[SceneRelation, ...]:
        rows = relation_rows(source)
        self._make_room(self._relations, 1, len(rows))
        data = source.frozen()
        known = self._relations
        relations = []
        for start, end in rows.tolist():
            text = data[start:end]
            relation = known.get(text)
            if relation is None:
                relation = known[text] = relation_of(text)
            relations.append(relation)
        return tuple(relations)

    def _make_room(self, known: dict[bytes, Any], kind: int, count: int) -> None:
        self._largest[kind] = max(self._largest[kind], count)
        if len(known) > 2 * self._largest[kind] + SPARE:
            known.clear()
