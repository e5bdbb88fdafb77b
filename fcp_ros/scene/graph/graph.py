# SPDX-License-Identifier: Apache-2.0
"""The canonical scene graph that every reader produces (DESIGN section 6).

Frame: REP-103 (x forward, y left, z up, right-handed), metres, quaternions as x, y, z, w.
A graph is a value: readers, deltas and completion make new graphs and never change one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from fcp_ros.scene.graph.errors import SceneError

AttributeValue = bool | int | float | str
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

UNIT_TOLERANCE = 1e-2
"""How far the length of a quaternion may be from 1: rounding is fine, a wrong order is not."""


class Layer(str, Enum):
    """Layers of a scene graph, from the whole building down to what moves."""

    BUILDING = "building"
    FLOOR = "floor"
    ROOM = "room"
    PLACE = "place"
    OBJECT = "object"
    AGENT = "agent"


class Provenance(str, Enum):
    """Where a relation comes from: the file, its geometry, or an assumption."""

    GIVEN = "given"
    GEOMETRIC = "geometric"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Pose:
    """Position (m) and orientation (unit quaternion x, y, z, w) in the graph's frame."""

    position: Vector
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)

    @property
    def yaw(self) -> float:
        """Rotation about the z axis (rad), in (-pi, pi]."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))

    @staticmethod
    def at(x: float, y: float, z: float, yaw: float = 0.0) -> Pose:
        """A pose from a position (m) and a yaw (rad)."""
        turn = (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0))
        return Pose((float(x), float(y), float(z)), turn)

    def moved_to(self, position: Vector) -> Pose:
        """The same orientation at another position (m)."""
        return Pose(position, self.orientation)


@dataclass(frozen=True, slots=True)
class SceneNode:
    """One element of a scene.

    Attributes:
        id: Name, unique in the graph.
        layer: Layer that the node belongs to.
        category: Label as the source gave it, such as "dining_table".
        pose: Centre of the box, or of the room; None where unknown.
        size: Full extents (m) of the box along its own axes; None where unknown.
        polygon: Footprint of a room or floor, (x, y) in metres, without repeating the first.
        height: Height (m) of a room, from its floor upward; None where unknown.
        attributes: What else is known, such as ``is_open: False``.
        parents: Ids of the nodes that hold this one in the hierarchy (there may be several).
    """

    id: str
    layer: Layer
    category: str
    pose: Pose | None = None
    size: Vector | None = None
    polygon: tuple[tuple[float, float], ...] = ()
    height: float | None = None
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    parents: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.id, self.layer, self.category, self.pose, self.size))


@dataclass(frozen=True, slots=True)
class SceneRelation:
    """A named tuple of nodes with its confidence in [0, 1] and where it comes from."""

    name: str
    elements: tuple[str, ...]
    confidence: float = 1.0
    provenance: Provenance = Provenance.GIVEN

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What makes two relations the same one: name and elements."""
        return self.name, self.elements

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.elements)})"


@dataclass(frozen=True)
class SceneGraph:
    """Nodes by id, relations between them, and the frame that the numbers are in.

    Attributes:
        nodes: Nodes by id; the key equals the node's id.
        relations: Relations, each (name, elements) at most once.
        frame_id: Coordinate frame of all positions.
        sequence: Counts updates; a delta must carry the next number.
        source: Where the graph came from, for messages.
        notes: What was repaired, guessed or left out on the way, one sentence each.

    Raises:
        SceneError: An id, reference, number or hierarchy is wrong; the error names the node.
    """

    nodes: Mapping[str, SceneNode]
    relations: tuple[SceneRelation, ...] = ()
    frame_id: str = "map"
    sequence: int = 0
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", dict(self.nodes))
        try:
            for key, node in self.nodes.items():
                _check_node(key, node, self.nodes)
            _check_hierarchy(self.nodes)
            _check_relations(self.relations, self.nodes)
        except SceneError as error:
            if self.source:
                raise error.in_source(self.source) from None
            raise

    @staticmethod
    def of(
        nodes: Iterable[SceneNode],
        relations: Iterable[SceneRelation] = (),
        *,
        frame_id: str = "map",
        sequence: int = 0,
        source: str = "",
        notes: Iterable[str] = (),
    ) -> SceneGraph:
        """A graph from nodes in order; an id that appears twice is an error."""
        table: dict[str, SceneNode] = {}
        for node in nodes:
            if node.id in table:
                raise SceneError(
                    "this id is given to two nodes",
                    source=source,
                    element=node.id,
                    advice="Ids must be unique in the whole graph: rename one of them.",
                )
            table[node.id] = node
        return SceneGraph(table, tuple(relations), frame_id, sequence, source, tuple(notes))

    def in_layer(self, layer: Layer) -> tuple[SceneNode, ...]:
        """The nodes of one layer, in the graph's order."""
        return tuple(node for node in self.nodes.values() if node.layer is layer)

    def related(self, name: str) -> tuple[SceneRelation, ...]:
        """The relations of one name, in the graph's order."""
        return tuple(relation for relation in self.relations if relation.name == name)

    def with_notes(self, notes: Iterable[str]) -> SceneGraph:
        """The same graph with more notes; one that is already there is not repeated."""
        merged = dict.fromkeys((*self.notes, *notes))
        return replace(self, notes=tuple(merged))


def _check_node(key: str, node: SceneNode, nodes: Mapping[str, SceneNode]) -> None:
    if not node.id or node.id != node.id.strip():
        raise SceneError(
            f"the node id {node.id!r} is empty or has space around it",
            advice="Give every node a non-empty id.",
        )
    if key != node.id:
        raise SceneError(f"stored under {key!r}, but its id is {node.id!r}", element=key)
    if not node.category:
        raise SceneError(
            "the category is empty",
            element=node.id,
            advice='Write a label such as "table", or "unknown".',
        )
    if not math.isfinite(_sum_of_numbers(node)):
        _check_finite(node)
    if node.size is not None and min(node.size) < 0.0:
        raise SceneError(
            f"the size {node.size} has a negative extent",
            element=node.id,
            advice="Sizes are full extents in metres; leave an unknown size out.",
        )
    if node.height is not None and node.height <= 0.0:
        raise SceneError(f"the height {node.height} is not above 0", element=node.id)
    if node.polygon and len(node.polygon) < 3:
        raise SceneError("the polygon has fewer than 3 corners", element=node.id)
    if node.pose is not None:
        length = math.sqrt(sum(part * part for part in node.pose.orientation))
        if abs(length - 1.0) > UNIT_TOLERANCE:
            raise SceneError(
                f"the orientation {node.pose.orientation} is no unit quaternion",
                element=node.id,
                advice="Write it as x, y, z, w with length 1.",
            )
    for parent in node.parents:
        if parent not in nodes:
            raise SceneError(
                f"its parent {parent!r} is not in the graph",
                element=node.id,
                advice="Add that node or remove the reference.",
            )


def _sum_of_numbers(node: SceneNode) -> float:
    """Finite only if every number of the node is; it may overflow though they all are."""
    total = node.height or 0.0
    if node.pose is not None:
        total += sum(node.pose.position) + sum(node.pose.orientation)
    if node.size is not None:
        total += sum(node.size)
    for x, y in node.polygon:
        total += x + y
    for value in node.attributes.values():
        if isinstance(value, float):
            total += value
    return total


def _check_finite(node: SceneNode) -> None:
    for what, numbers in _numbers_of(node):
        if not all(math.isfinite(number) for number in numbers):
            raise SceneError(
                f"{what} holds a number that is not finite ({numbers})",
                element=node.id,
                advice="Leave out what is unknown instead of writing NaN or infinity.",
            )


def _numbers_of(node: SceneNode) -> Iterable[tuple[str, tuple[float, ...]]]:
    if node.pose is not None:
        yield "the position", node.pose.position
        yield "the orientation", node.pose.orientation
    if node.size is not None:
        yield "the size", node.size
    if node.height is not None:
        yield "the height", (node.height,)
    if node.polygon:
        yield "the polygon", tuple(number for corner in node.polygon for number in corner)
    for name, value in node.attributes.items():
        if isinstance(value, float):
            yield f"the attribute {name}", (value,)


def _check_hierarchy(nodes: Mapping[str, SceneNode]) -> None:
    """Parents must not lead back to the node (depth first, without recursion)."""
    finished: set[str] = set()
    for start in nodes:
        if start in finished:
            continue
        if all(parent in finished for parent in nodes[start].parents):
            finished.add(start)
            continue
        path: dict[str, None] = {start: None}
        stack = [iter(nodes[start].parents)]
        while stack:
            parent = next(stack[-1], None)
            if parent is None:
                stack.pop()
                finished.add(path.popitem()[0])
            elif parent in path:
                raise SceneError(
                    f"its parents lead back to itself ({' > '.join([*path, parent])})",
                    element=parent,
                    advice="Remove one of these parent references.",
                )
            elif parent not in finished:
                path[parent] = None
                stack.append(iter(nodes[parent].parents))


def _check_relations(relations: tuple[SceneRelation, ...], nodes: Mapping[str, SceneNode]) -> None:
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for relation in relations:
        if not relation.name or not relation.elements:
            raise SceneError("a relation needs a name and elements", element=str(relation))
        for element in relation.elements:
            if element not in nodes:
                raise SceneError(
                    f"the relation names {element!r}, which is not in the graph",
                    element=str(relation),
                    advice="Add that node or remove the relation.",
                )
        if not 0.0 <= relation.confidence <= 1.0:
            raise SceneError(
                f"the confidence {relation.confidence} is outside [0, 1]", element=str(relation)
            )
        if relation.key in seen:
            raise SceneError(
                "the relation is given twice",
                element=str(relation),
                advice="Remove one of the two.",
            )
        seen.add(relation.key)
