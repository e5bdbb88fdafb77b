# SPDX-License-Identifier: Apache-2.0
"""A scene graph in the making: completion adds to it before it becomes a value again."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor
from fcp_ros.scene.relations.given import is_kept


class SceneDraft:
    """Nodes, kept relations and notes that grow.

    Args:
        graph: The scene.
        derived: Names of the relations that are derived again; those of them that are not given
            are left out.
    """

    def __init__(self, graph: SceneGraph, derived: frozenset[str]) -> None:
        self._graph = graph
        self.nodes = dict(graph.nodes)
        self.relations = {
            relation.key: relation for relation in graph.relations if is_kept(relation, derived)
        }
        self.notes: list[str] = []

    def to_graph(self) -> SceneGraph:
        """Return the graph with all additions."""
        notes = dict.fromkeys((*self._graph.notes, *self.notes))
        return self._graph.with_contents(self.nodes, self.relations, notes)

    def relate(self, relation: SceneRelation) -> None:
        """Add a relation unless it is there already."""
        self.relations.setdefault(relation.key, relation)

    def relate_all(self, relations: Iterable[SceneRelation]) -> None:
        """Add relations, except those that are there already."""
        known = self.relations
        if known:
            for relation in relations:
                known.setdefault((relation.name, relation.elements), relation)
        else:
            known.update([((each.name, each.elements), each) for each in relations])

    def in_layer(self, layer: Layer) -> list[SceneNode]:
        """Return the nodes of one layer, in order."""
        return [node for node in self.nodes.values() if node.layer is layer]

    def free_id(self, wanted: str) -> str:
        """Return ``wanted``, or it with the first number that makes it unique."""
        return choose_free_id(wanted, self.nodes)

    def find_floors(self) -> dict[str, str]:
        """Find the floor node of each room; of several the one with the least id."""
        floors: dict[str, str] = {}
        for node in self.in_layer(Layer.OBJECT):
            for room in _rooms_of_floor(node, self.nodes):
                floors[room] = min(node.id, floors.get(room, node.id))
        return floors

    def find_passages(self) -> set[str]:
        """Find the ids of doors and passages: they stand between rooms, not in one."""
        doors = {node.id for node in self.in_layer(Layer.OBJECT) if is_door(node)}
        given = {
            relation.elements[2]
            for relation in self.relations.values()
            if relation.name == "connected" and len(relation.elements) == 3
        }
        return doors | given


def choose_free_id(wanted: str, *taken: Container[str]) -> str:
    """Return ``wanted``, or it with the first number that is in none of ``taken``."""
    id_, number = wanted, 2
    while any(id_ in ids for ids in taken):
        id_ = f"{wanted}_{number}"
        number += 1
    return id_


def _rooms_of_floor(node: SceneNode, nodes: Mapping[str, SceneNode]) -> Iterator[str]:
    """Yield the rooms that a node is the floor of: its parents, if it is labelled as a floor."""
    if node.parents and is_floor(node):
        for parent in node.parents:
            if nodes[parent].layer is Layer.ROOM:
                yield parent
