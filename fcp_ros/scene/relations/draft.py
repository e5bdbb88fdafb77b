# SPDX-License-Identifier: Apache-2.0
"""A scene graph in the making: what completion adds to, before it becomes a value again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor
from fcp_ros.scene.relations.stated import is_kept


class Draft:
    """Nodes, kept relations and notes that grow.

    Args:
        graph: The scene.
        derived: Names of the relations that are derived anew; those of them that nobody gave are
            left out.
    """

    def __init__(self, graph: SceneGraph, derived: frozenset[str]) -> None:
        self._graph = graph
        self.nodes = dict(graph.nodes)
        self.relations = {
            relation.key: relation for relation in graph.relations if is_kept(relation, derived)
        }
        self.notes: list[str] = []

    def finished(self) -> SceneGraph:
        """The graph with all that was added."""
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
        """The nodes of one layer, in order."""
        return [node for node in self.nodes.values() if node.layer is layer]

    def floors(self) -> dict[str, str]:
        """Floor node by room; of several the one with the least id."""
        floors: dict[str, str] = {}
        for node in self.in_layer(Layer.OBJECT):
            for room in floor_rooms(node, self.nodes):
                floors[room] = min(node.id, floors.get(room, node.id))
        return floors

    def free_id(self, wanted: str) -> str:
        """``wanted``, or it with the first number that makes it unique."""
        if wanted not in self.nodes:
            return wanted
        number = 2
        while f"{wanted}_{number}" in self.nodes:
            number += 1
        return f"{wanted}_{number}"

    def passages(self) -> set[str]:
        """Ids of doors and passages: they stand between rooms, not in one."""
        labelled = {node.id for node in self.in_layer(Layer.OBJECT) if is_door(node)}
        stated = {
            relation.elements[2]
            for relation in self.relations.values()
            if relation.name == "connected" and len(relation.elements) == 3
        }
        return labelled | stated


def floor_rooms(node: SceneNode, nodes: Mapping[str, SceneNode]) -> Iterator[str]:
    """The rooms that a node is the floor of: an object labelled floor whose parents they are."""
    if node.parents and is_floor(node):
        for parent in node.parents:
            if nodes[parent].layer is Layer.ROOM:
                yield parent
