# SPDX-License-Identifier: Apache-2.0
"""The canonical scene graph that every reader produces (DESIGN section 6).

Frame: REP-103 (x forward, y left, z up, right-handed), metres, quaternions as x, y, z, w.
A graph is a value: readers, deltas and completion make new graphs and never change one. A graph
that a delta makes shares all that did not change with the one before, indexes included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import Any, overload

from fcp_ros.foundation.ordered_table import OrderedTable
from fcp_ros.scene.graph.checks import (
    check_nodes,
    check_relation,
    ids_in_several_cases,
    relations_by_key,
    with_case_note,
)
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.indexes import GraphIndexes, RelationKey, change_table

AttributeValue = bool | int | float | str
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


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


class _RelationsField:
    """The field ``relations``: a tuple that a graph made by a delta builds when asked for it."""

    @overload
    def __get__(self, graph: None, owner: type[SceneGraph]) -> tuple[SceneRelation, ...]: ...

    @overload
    def __get__(
        self, graph: SceneGraph, owner: type[SceneGraph] | None = None
    ) -> tuple[SceneRelation, ...]: ...

    def __get__(
        self, graph: SceneGraph | None, owner: type[SceneGraph] | None = None
    ) -> tuple[SceneRelation, ...]:
        return () if graph is None else graph._relation_tuple()

    def __set__(self, graph: SceneGraph, relations: Iterable[SceneRelation]) -> None:
        graph.__dict__["_tuple"] = tuple(relations)


@dataclass(frozen=True, repr=False)
class SceneGraph:
    """Nodes by id, relations between them, and the frame that the numbers are in.

    Attributes:
        nodes: Nodes by id; the key equals the node's id.
        relations: Relations, each (name, elements) at most once.
        frame_id: Coordinate frame of all positions.
        sequence: Counts updates; a delta must carry the next number.
        source: Where the graph came from, for messages.
        notes: What was repaired, guessed or left out on the way, one sentence each; and which ids
            differ in case only.

    Looking up a node, a relation, or what belongs to one node does not depend on the size of the
    graph; going through all nodes or all relations does.

    Raises:
        SceneError: An id, reference, number or hierarchy is wrong; the error names the node.
    """

    nodes: Mapping[str, SceneNode]
    relations: _RelationsField = _RelationsField()
    frame_id: str = "map"
    sequence: int = 0
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            nodes = self.nodes
            if not isinstance(nodes, OrderedTable):  # else another graph's, which has checked them
                plain = dict(nodes)
                check_nodes(plain)
                nodes = OrderedTable(plain, attrgetter("id"))
            for relation in self.relations:
                check_relation(relation, nodes)
            relations = OrderedTable(relations_by_key(self.relations), attrgetter("key"))
        except SceneError as error:
            if self.source:
                raise error.in_source(self.source) from None
            raise
        spellings = ids_in_several_cases(nodes)
        self.__dict__.update(
            nodes=nodes,
            notes=with_case_note(self.notes, spellings),
            _relations=relations,
            _indexes=GraphIndexes(nodes, relations),
            _several_cases=frozenset(spellings),
        )

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

    # --- looking up

    def in_layer(self, layer: Layer) -> tuple[SceneNode, ...]:
        """The nodes of one layer, in the graph's order."""
        return self._index.by_layer.at(layer)

    def related(self, name: str) -> tuple[SceneRelation, ...]:
        """The relations of one name, in the graph's order."""
        return self._index.by_name.at(name)

    def relations_of(self, id_: str) -> tuple[SceneRelation, ...]:
        """The relations that a node takes part in, in the graph's order; none for no node."""
        return self._index.by_element.at(id_)

    def children_of(self, id_: str) -> tuple[str, ...]:
        """The ids of the nodes that have this one as a parent, in the graph's order."""
        return tuple([node.id for node in self._index.by_parent.at(id_)])

    def relation(self, name: str, *elements: str) -> SceneRelation | None:
        """The relation with this name and these elements; None where it is not there."""
        found: SceneRelation | None = self._table.get((name, elements))
        return found

    def node_rank(self, id_: str) -> int:
        """Where a node stands in the graph's order; KeyError for none. Not kept by ``replace``."""
        return self._node_table.rank(id_)

    def relation_rank(self, relation: SceneRelation) -> int:
        """Where a relation stands in the graph's order; KeyError for one that is not there."""
        return self._table.rank(relation.key)

    @property
    def relation_count(self) -> int:
        """How many relations there are; costs no look at each of them."""
        return len(self._table)

    def prepare(self) -> None:
        """Make now what the first look-ups and the first delta would: all indexes (linear)."""
        self._node_table.prepare()
        self._table.prepare()
        self._index.prepare()

    # --- the same with something else

    def with_notes(self, notes: Iterable[str]) -> SceneGraph:
        """The same graph with more notes; one that is already there is not repeated."""
        return self._copy(notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def with_notes_instead(self, notes: Iterable[str]) -> SceneGraph:
        """The same graph with these notes only, and the one on ids that differ in case."""
        by_folded = self._index.by_folded_id
        several: frozenset[str] = self.__dict__["_several_cases"]
        spellings = {key: [node.id for node in by_folded.at(key)] for key in several}
        return self._copy(notes=with_case_note(notes, spellings))

    def with_sequence(self, sequence: int) -> SceneGraph:
        """The same graph under another sequence number."""
        return self._copy(sequence=sequence)

    def with_source(self, source: str) -> SceneGraph:
        """The same graph from another source."""
        return self._copy(source=source)

    def changed(
        self,
        *,
        put: Mapping[str, SceneNode],
        gone: Iterable[str],
        related: Mapping[RelationKey, SceneRelation],
        unrelated: Iterable[RelationKey],
        sequence: int,
    ) -> SceneGraph:
        """A graph with some nodes and relations changed, in time of that size.

        Nothing is checked but case: use ``apply_delta`` for changes that may be wrong.

        Args:
            put: Nodes that are new or replace the one of their id.
            gone: Ids of nodes to leave out; KeyError for one that is not there.
            related: Relations that are new or replace the one of their key.
            unrelated: Keys of relations to leave out; KeyError for one that is not there.
            sequence: Number of the new graph.
        """
        gone = list(gone)
        nodes, of_nodes = change_table(self._node_table, put.items(), gone)
        relations, of_relations = change_table(self._table, related.items(), unrelated)
        graph = self._copy(
            nodes=nodes,
            sequence=sequence,
            _relations=relations,
            _indexes=self._index.changed(nodes, of_nodes, relations, of_relations),
        )
        graph.__dict__.pop("_tuple", None)
        graph._keep_case_note((*gone, *(id_ for id_ in put if id_ not in self.nodes)))
        return graph

    def rebuilt(
        self,
        nodes: dict[str, SceneNode],
        relations: dict[RelationKey, SceneRelation],
        notes: Iterable[str],
    ) -> SceneGraph:
        """A graph of other nodes and relations that are known to be right; nothing is checked.

        Args:
            nodes: Nodes by id; the graph takes the dict over.
            relations: Relations by key; the graph takes the dict over.
            notes: All notes of the graph.
        """
        node_table = OrderedTable(nodes, attrgetter("id"))
        table = OrderedTable(relations, attrgetter("key"))
        spellings = ids_in_several_cases(nodes)
        graph = self._copy(
            nodes=node_table,
            notes=with_case_note(notes, spellings),
            _relations=table,
            _indexes=GraphIndexes(node_table, table),
            _several_cases=frozenset(spellings),
        )
        graph.__dict__.pop("_tuple", None)
        return graph

    def _keep_case_note(self, ids: Iterable[str]) -> None:
        """Bring the note on ids that differ in case only up to date where ids came or went."""
        by_folded = self._index.by_folded_id
        several: frozenset[str] = self.__dict__["_several_cases"]
        touched = {id_.casefold() for id_ in ids}
        now = {folded for folded in touched if by_folded.count(folded) > 1}
        if now or not several.isdisjoint(touched):
            several = (several - touched) | now
            spellings = {key: [node.id for node in by_folded.at(key)] for key in several}
            self.__dict__["_several_cases"] = several
            self.__dict__["notes"] = with_case_note(self.notes, spellings)

    # --- the parts that are no fields

    @property
    def _node_table(self) -> OrderedTable[str, SceneNode]:
        assert isinstance(self.nodes, OrderedTable)
        return self.nodes

    @property
    def _table(self) -> OrderedTable[RelationKey, SceneRelation]:
        table: OrderedTable[RelationKey, SceneRelation] = self.__dict__["_relations"]
        return table

    @property
    def _index(self) -> GraphIndexes:
        indexes: GraphIndexes = self.__dict__["_indexes"]
        return indexes

    def _relation_tuple(self) -> tuple[SceneRelation, ...]:
        found: tuple[SceneRelation, ...] | None = self.__dict__.get("_tuple")
        if found is None:
            found = self.__dict__["_tuple"] = tuple(self._table.values())
        return found

    def _copy(self, **parts: Any) -> SceneGraph:
        graph = object.__new__(SceneGraph)
        graph.__dict__.update(self.__dict__, **parts)
        return graph

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the indexes; what was written to a file is checked when it is read.
        rest = (self.frame_id, self.sequence, self.source, self.notes)
        return (SceneGraph, (dict(self.nodes), self.relations, *rest))

    def __repr__(self) -> str:
        name = f" from {self.source!r}" if self.source else ""
        sizes = f"{len(self.nodes)} nodes, {self.relation_count} relations"
        return f"<SceneGraph{name}: {sizes}, frame {self.frame_id!r}, number {self.sequence}>"
