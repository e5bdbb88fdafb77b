# SPDX-License-Identifier: Apache-2.0
"""The canonical scene graph that every reader produces (docs/design.md).

A graph is a value: readers, deltas and completion make new graphs and never change one. A graph
that a delta makes shares all unchanged parts with the one before, indexes included.

For networkx, nodes are ids. Their data are ``layer``,
``category``, ``attributes`` (a dict), and as far as they are known ``position`` (m),
``orientation`` (quaternion x, y, z, w), ``size`` (m), ``polygon`` and ``height`` (m). Edges are:

- from a node to each of its parents, with the key ``parent``;
- for each relation, from its first element to its second one (to itself if it has only one), with
  the relation's name as the key, and ``relation``, ``elements``, ``confidence`` and ``provenance``
  as data. Keys of relations with other than two elements are tuples that also hold the rest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, overload

from fcp_ros.scene.graph.checks import (
    check_holders,
    check_nodes,
    check_relation,
    index_relations,
    note_case_variants,
)
from fcp_ros.scene.graph.elements import Layer, RelationKey, SceneError, SceneNode, SceneRelation
from fcp_ros.scene.graph.indexes import GraphIndexes, OrderedTable, change_table

PARENT = "parent"  # Key of the edges to parents


def to_networkx(
    nodes: Mapping[str, SceneNode], relations: Iterable[SceneRelation], about: Mapping[str, Any]
) -> Any:
    """Return a scene graph as a `networkx.MultiDiGraph`; ``about`` is data of the graph itself."""
    import networkx

    graph = networkx.MultiDiGraph(**about)
    graph.add_nodes_from((id_, dict(_node_data(node))) for id_, node in nodes.items())
    graph.add_edges_from((node.id, up, PARENT) for node in nodes.values() for up in node.parents)
    for relation in relations:
        ends = relation.elements if len(relation.elements) > 1 else relation.elements * 2
        graph.add_edge(
            *ends[:2],
            key=_key_of(relation),
            relation=relation.name,
            elements=relation.elements,
            confidence=relation.confidence,
            provenance=relation.provenance.value,
        )
    return graph


def _key_of(relation: SceneRelation) -> Hashable:
    """Return a key that no other edge between the same two nodes has."""
    if len(relation.elements) == 2 and relation.name != PARENT:
        return relation.name
    return (relation.name, *relation.elements[2:])


def _node_data(node: SceneNode) -> Iterable[tuple[str, Any]]:
    yield "layer", node.layer.value
    yield "category", node.category
    if node.pose is not None:
        yield "position", node.pose.position
        yield "orientation", node.pose.orientation
    if node.size is not None:
        yield "size", node.size
    if node.polygon:
        yield "polygon", node.polygon
    if node.height is not None:
        yield "height", node.height
    yield "attributes", dict(node.attributes)


class _RelationsField:
    """The field ``relations``: a tuple that a graph made by a delta builds on first access."""

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

    The time to look up a node, a relation, or the relations and children of one node does not
    depend on the size of the graph; iterating over all nodes or relations does. Raises SceneError,
    which names the node, for a wrong id, reference, number or hierarchy, and for things that are
    given to lie on or in themselves.
    """

    nodes: Mapping[str, SceneNode]  # Nodes by id; the key equals the node's id
    relations: _RelationsField = _RelationsField()  # Relations, each (name, elements) at most once
    frame_id: str = "map"  # Coordinate frame of all positions
    sequence: int = 0  # Counts updates; a delta must carry the next number
    source: str = ""  # Where the graph came from, for messages
    # One sentence for each repair, guess or omission on the way; and one on ids that differ in case
    # only, which a delta leaves as it is
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            nodes = self.nodes
            if not isinstance(nodes, OrderedTable):  # else from another graph, checked there
                plain = dict(nodes)
                check_nodes(plain)
                nodes = OrderedTable(plain, attrgetter("id"))
            for relation in self.relations:
                check_relation(relation, nodes)
            check_holders(self.relations)
            relations = OrderedTable(index_relations(self.relations), attrgetter("key"))
        except SceneError as error:
            if self.source:
                raise error.in_source(self.source) from None
            raise
        self.__dict__.update(
            nodes=nodes,
            notes=note_case_variants(self.notes, nodes),
            _relations=relations,
            _indexes=GraphIndexes(nodes, relations),
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
        """Make a graph from nodes in order; an id that appears twice is an error."""
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
        """Return the nodes of one layer, in the graph's order."""
        return self._index.by_layer.at(layer)

    def relations_named(self, name: str) -> tuple[SceneRelation, ...]:
        """Return the relations of one name, in the graph's order."""
        return self._index.by_name.at(name)

    def relations_of(self, id_: str) -> tuple[SceneRelation, ...]:
        """Return the relations of a node in the graph's order; empty for an unknown id."""
        return self._index.by_element.at(id_)

    def children_of(self, id_: str) -> tuple[str, ...]:
        """Return the ids of the nodes that have this one as a parent, in the graph's order."""
        return tuple([node.id for node in self._index.by_parent.at(id_)])

    def relation(self, name: str, *elements: str) -> SceneRelation | None:
        """Return the relation with this name and these elements; None if the graph lacks it."""
        found: SceneRelation | None = self._table.get((name, elements))
        return found

    def node_rank(self, id_: str) -> int:
        """Return a node's position in the graph's order (KeyError); ``replace`` changes it."""
        return self._node_table.rank(id_)

    def relation_rank(self, relation: SceneRelation) -> int:
        """Return a relation's position in the graph's order; raises KeyError without it."""
        return self._table.rank(relation.key)

    @property
    def relation_count(self) -> int:
        """Number of relations, in constant time."""
        return len(self._table)

    def prepare(self) -> None:
        """Make all indexes now (linear time), so that the first look-ups and delta are fast."""
        self._node_table.prepare()
        self._table.prepare()
        self._index.prepare()

    def to_networkx(self) -> Any:
        """Return the graph as a `networkx.MultiDiGraph`; for its data, see above."""
        about = {
            "frame_id": self.frame_id,
            "sequence": self.sequence,
            "source": self.source,
            "notes": self.notes,
        }
        return to_networkx(self.nodes, self.relations, about)

    # --- changed copies

    def with_added_notes(self, notes: Iterable[str]) -> SceneGraph:
        """Return the graph with more notes; one that is already there is not repeated."""
        return self._copy(notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def with_notes(self, notes: Iterable[str]) -> SceneGraph:
        """Return the graph with these notes only."""
        return self._copy(notes=tuple(notes))

    def with_sequence(self, sequence: int) -> SceneGraph:
        """Return the graph under another sequence number."""
        return self._copy(sequence=sequence)

    def with_source(self, source: str) -> SceneGraph:
        return self._copy(source=source)

    def with_changes(
        self,
        *,
        put: Mapping[str, SceneNode],
        gone: Iterable[str],
        related: Mapping[RelationKey, SceneRelation],
        unrelated: Iterable[RelationKey],
        sequence: int,
    ) -> SceneGraph:
        """Return a changed graph in time of the change's size; KeyError if ``gone`` is missing.

        Nothing is checked: use ``apply_delta`` for changes that may be wrong.
        """
        nodes, of_nodes = change_table(self._node_table, put.items(), gone)
        relations, of_relations = change_table(self._table, related.items(), unrelated)
        graph = self._copy(
            nodes=nodes,
            sequence=sequence,
            _relations=relations,
            _indexes=self._index.with_changes(nodes, of_nodes, relations, of_relations),
        )
        graph.__dict__.pop("_tuple", None)
        return graph

    def with_contents(
        self,
        nodes: dict[str, SceneNode],
        relations: dict[RelationKey, SceneRelation],
        notes: Iterable[str],
    ) -> SceneGraph:
        """Return a graph of other contents, known to be right; it takes the dicts over."""
        node_table = OrderedTable(nodes, attrgetter("id"))
        table = OrderedTable(relations, attrgetter("key"))
        graph = self._copy(
            nodes=node_table,
            notes=note_case_variants(notes, nodes),
            _relations=table,
            _indexes=GraphIndexes(node_table, table),
        )
        graph.__dict__.pop("_tuple", None)
        return graph

    # --- parts that are not fields

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
        # Without the indexes; a graph that was written to a file is checked when it is read.
        rest = (self.frame_id, self.sequence, self.source, self.notes)
        return (SceneGraph, (dict(self.nodes), self.relations, *rest))

    def __repr__(self) -> str:
        name = f" from {self.source!r}" if self.source else ""
        sizes = f"{len(self.nodes)} nodes, {self.relation_count} relations"
        return f"<SceneGraph{name}: {sizes}, frame {self.frame_id!r}, number {self.sequence}>"
