# SPDX-License-Identifier: Apache-2.0
"""Writer of Spark-DSG files, JSON and binary, through the ``spark-dsg`` package.

Nodes, boxes, labels, hierarchy and connected rooms are written like those of Hydra. Attributes, and
outlines of rooms and floors, are kept in the nodes' metadata, which other tools preserve and
`assembly` reads. An edge makes the node of the higher layer the parent; a door becomes a child of
both its rooms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fcp_ros.scene.formats.scene_file import LossNotes, missing_package
from fcp_ros.scene.formats.spark_dsg.assembly import (
    CATEGORY_KEY,
    ID_KEY,
    OUTLINE_KEY,
    PLACED_KEY,
    PLAIN_ID,
)
from fcp_ros.scene.formats.spark_dsg.raw import FRAME_KEY, NO_LABEL
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.relation_options import ALWAYS
from fcp_ros.scene.shapes.polygons import bounds, centroid, footprint_of

_LEVELS = {Layer.AGENT: 2, Layer.OBJECT: 2, Layer.PLACE: 3, Layer.ROOM: 4, Layer.BUILDING: 5}
_LETTERS = {Layer.OBJECT: "O", Layer.PLACE: "p", Layer.ROOM: "R", Layer.BUILDING: "B"}
_AGENT_LETTERS = "abcdefghijklmnoqruvwxyzACDEFGHIJKLMNQSTUVWXYZ"
"""Letters of agents, one each; nodes of Hydra's layers have other letters."""

_OWN_KEYS = (CATEGORY_KEY, ID_KEY, OUTLINE_KEY, PLACED_KEY)
_INT64 = 2**63


def write_spark(graph: SceneGraph, path: Path) -> tuple[str, ...]:
    """Write ``.json`` or binary (``.sparkdsg``); return a sentence for each loss."""
    try:
        import spark_dsg
    except ImportError:
        raise missing_package("writing Spark-DSG", "spark-dsg", str(path)) from None
    writer = _Writer(spark_dsg, graph)
    writer.target.save(str(path), False)
    return writer.losses.write()


class _Writer:
    """A Spark-DSG made of a graph, and the losses."""

    def __init__(self, dsg: Any, graph: SceneGraph) -> None:
        self._dsg = dsg
        self._graph = graph
        self.losses = LossNotes("Spark-DSG")
        self.target = dsg.DynamicSceneGraph()
        self._symbols = dict(self._number(graph))
        self._numbers = _number_labels(graph)
        self._adopted: dict[str, list[str]] = {}
        for node in graph.nodes.values():
            if node.id in self._symbols:
                self._add(node)
        for node in graph.nodes.values():
            self._add_parents(node)
        self._add_relations()
        spaces = {
            f"_l{level}p0": [[number, name] for name, number in names.items()]
            for level, names in self._numbers.items()
            if names
        }
        self.target.metadata.add({"labelspaces": spaces, FRAME_KEY: graph.frame_id})
        if graph.sequence:
            self.losses.add("the sequence number", str(graph.sequence))

    def _number(self, graph: SceneGraph) -> Iterator[tuple[str, Any]]:
        """Yield id and symbol: ``O33`` keeps its own, other nodes get unused numbers."""
        taken = {
            id_
            for id_, node in graph.nodes.items()
            if re.fullmatch(_LETTERS.get(node.layer, " ") + r"(0|[1-9]\d{0,8})", id_)
        }
        free = Counter[str]()
        agents = iter(_AGENT_LETTERS)
        for id_, node in graph.nodes.items():
            if not PLAIN_ID.fullmatch(id_) and node.layer is not Layer.FLOOR:
                self.losses.add("ids that are no plain names", id_)
            if node.layer is Layer.AGENT:
                letter = next(agents, "")
                if letter:
                    yield id_, self._dsg.NodeSymbol(letter, 0)
                else:
                    self.losses.add(f"more than {len(_AGENT_LETTERS)} agents", id_)
            elif node.layer not in _LETTERS:
                self.losses.add(f"the layer {node.layer.value}", id_)
            elif id_ in taken:
                yield id_, self._dsg.NodeSymbol(id_[0], int(id_[1:]))
            else:
                letter = _LETTERS[node.layer]
                while f"{letter}{free[letter]}" in graph.nodes:
                    free[letter] += 1
                yield id_, self._dsg.NodeSymbol(letter, free[letter])
                free[letter] += 1

    def _add(self, node: SceneNode) -> None:
        dsg, symbol = self._dsg, self._symbols[node.id]
        if node.layer is Layer.AGENT:
            attributes = self._build_agent(node)
            self.target.add_node(2, symbol.value, attributes, ord(symbol.category))
            return
        kinds = {
            Layer.OBJECT: dsg.ObjectNodeAttributes,
            Layer.PLACE: dsg.PlaceNodeAttributes,
            Layer.ROOM: dsg.RoomNodeAttributes,
            Layer.BUILDING: dsg.SemanticNodeAttributes,
        }
        attributes = kinds[node.layer]()
        level = _LEVELS[node.layer]
        attributes.name = node.id
        attributes.semantic_label = self._numbers[level].get(node.category, NO_LABEL)
        attributes.position = np.array(_choose_position(node))
        attributes.metadata.add(self._build_metadata(node))
        box = self._build_room_box(node) if node.layer is Layer.ROOM else self._build_box(node)
        if box is not None:
            attributes.bounding_box = box
        self.target.add_node(level, symbol, attributes)

    def _build_agent(self, node: SceneNode) -> Any:
        attributes = self._dsg.AgentNodeAttributes()
        attributes.position = np.array(_choose_position(node))
        if node.pose is not None:
            x, y, z, w = node.pose.orientation
            attributes.world_R_body = self._dsg.Quaternion(w, x, y, z)
        attributes.metadata.add(
            {**self._build_metadata(node), ID_KEY: node.id, CATEGORY_KEY: node.category}
        )
        if node.size is not None:
            self.losses.add("the boxes of agents", node.id)
        return attributes

    def _build_metadata(self, node: SceneNode) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        for name, value in node.attributes.items():
            if name in _OWN_KEYS or (type(value) is int and not -_INT64 <= value < _INT64):
                self.losses.add("some attributes", f"{node.id}.{name}")
            else:
                metadata[name] = value
        if node.pose is None:
            metadata[PLACED_KEY] = False
            self.losses.add("unknown positions (others read the origin)", node.id)
        if node.polygon:
            metadata[OUTLINE_KEY] = [list(corner) for corner in node.polygon]
        if node.height is not None and (node.layer is not Layer.ROOM or not node.polygon):
            self.losses.add("heights without a room's outline", node.id)
        return metadata

    def _build_box(self, node: SceneNode) -> Any:
        if node.size is None or node.pose is None:
            if node.size is not None:
                self.losses.add("sizes without a position", node.id)
            elif node.pose is not None and node.pose.orientation != Pose((0, 0, 0)).orientation:
                self.losses.add("orientations without a box", node.id)
            return None
        if np.min(np.float32(np.array(node.size))) <= 0.0:
            self.losses.add("flat boxes", node.id)
            return None
        return self._make_box(node.pose, node.size)

    def _build_room_box(self, node: SceneNode) -> Any:
        if node.pose is not None and node.pose.orientation != Pose((0, 0, 0)).orientation:
            self.losses.add("orientations of rooms", node.id)
        if node.size is not None:
            self.losses.add("boxes of rooms, which become outlines", node.id)
        outline = footprint_of(node)
        height = node.height or (node.size[2] if node.size else None)
        if not outline or height is None:
            return None
        x0, y0, x1, y1 = bounds(outline)
        middle = node.pose.position[2] if node.pose else height / 2.0
        centre = Pose(((x0 + x1) / 2.0, (y0 + y1) / 2.0, middle))
        return self._make_box(centre, (x1 - x0, y1 - y0, height))

    def _make_box(self, pose: Pose, size: tuple[float, float, float]) -> Any:
        from scipy.spatial.transform import Rotation

        types = self._dsg.BoundingBoxType
        turned = pose.orientation != Pose((0, 0, 0)).orientation
        upright = pose.orientation[:2] == (0.0, 0.0)
        return self._dsg.BoundingBox(
            (types.RAABB if upright else types.OBB) if turned else types.AABB,
            np.array(size, dtype=np.float32),
            np.array(pose.position, dtype=np.float32),
            Rotation.from_quat(pose.orientation).as_matrix().astype(np.float32),
        )

    def _add_parents(self, node: SceneNode) -> None:
        for parent in node.parents:
            if not self._connect(parent, node.id):
                self.losses.add("parents in the same or a lower layer", f"{node.id} in {parent}")

    def _connect(self, parent: str, child: str) -> bool:
        """Add an edge; return False if it would not make the one the parent of the other."""
        above, below = self._symbols.get(parent), self._symbols.get(child)
        if above is None or below is None:
            return True  # the lost layer is noted already
        nodes = self._graph.nodes
        if _LEVELS[nodes[parent].layer] <= _LEVELS[nodes[child].layer]:
            return False
        if not self.target.has_edge(above, below):
            self.target.insert_edge(above, below)
        return True

    def _add_relations(self) -> None:
        rooms = {node.id for node in self._graph.in_layer(Layer.ROOM)}
        lost = Counter[str]()
        for relation in self._graph.relations:
            legs = relation.elements
            if relation.name == "connected" and len(legs) in (2, 3) and rooms.issuperset(legs[:2]):
                if legs[0] != legs[1]:
                    self._join(legs)
            elif relation.name in ALWAYS and relation.provenance is not Provenance.GIVEN:
                continue  # derived again on reading
            elif relation.name in ("in_room", "at") and len(legs) == 2 and legs[1] in rooms:
                lost[relation.name] += not self._connect(legs[1], legs[0])
                self._note_new_parent(legs[1], legs[0])
            else:
                lost[relation.name] += 1
        for name, count in sorted(lost.items()):
            if count:
                self.losses.add("relations", f"{count} {name}")

    def _join(self, legs: tuple[str, ...]) -> None:
        a, b = (self._symbols[room] for room in legs[:2])
        if not self.target.has_edge(a, b):
            self.target.insert_edge(a, b)
        for door in legs[2:]:
            if not (self._connect(legs[0], door) and self._connect(legs[1], door)):
                self.losses.add("doors of another layer", door)
            for room in legs[:2]:
                self._note_new_parent(room, door)

    def _note_new_parent(self, parent: str, child: str) -> None:
        """Note an edge that stands for a relation, but reads back as a parent, too."""
        above, below = self._symbols.get(parent), self._symbols.get(child)
        if above is None or below is None or parent in self._graph.nodes[child].parents:
            return
        if self.target.has_edge(above, below) and parent not in self._adopted.setdefault(child, []):
            self._adopted[child].append(parent)
            what = "doors and things that are no children of their rooms"
            self.losses.add(what, f"{parent} becomes a parent of {child}")


def _choose_position(node: SceneNode) -> tuple[float, float, float]:
    if node.pose is not None:
        return node.pose.position
    if node.polygon:
        return (*centroid(node.polygon), (node.height or 0.0) / 2.0)
    return (0.0, 0.0, 0.0)


def _number_labels(graph: SceneGraph) -> dict[int, Mapping[str, int]]:
    """Number the categories in each layer; the name that stands for "no label" gets none."""
    return {
        _LEVELS[layer]: _number_categories(
            (node.category for node in graph.in_layer(layer)),
            "unknown" if layer is Layer.OBJECT else layer.value,
        )
        for layer in _LETTERS
    }


def _number_categories(categories: Iterable[str], unlabelled: str) -> Mapping[str, int]:
    names = sorted(set(categories) - {unlabelled})
    return {name: number for number, name in enumerate(names, start=1)}
