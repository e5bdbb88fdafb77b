# SPDX-License-Identifier: Apache-2.0
"""A scene graph in the making: what completion adds to, before it becomes a value again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fcp_ros.scene.graph.graph import Layer, Provenance, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.graph.labels import normalise_label

DERIVED = frozenset({"on", "inside", "in_room", "connected", "at"})
"""Relations that completion derives; those that nobody gave are derived anew each time."""

CONFIDENCE = {Provenance.GIVEN: 1.0, Provenance.GEOMETRIC: 0.9, Provenance.INFERRED: 0.5}
"""Confidence of a derived relation by its provenance."""

DOORS = frozenset(
    {"door", "doorway", "doorframe", "door frame", "sliding door", "front door"}
    | {"passage", "opening", "gate", "archway"}
)
"""Labels of what connects rooms rather than standing in one."""

FLOOR = "floor"
"""Label of what a room stands on."""

PEOPLE = frozenset(
    {"person", "people", "human", "man", "woman", "child", "baby", "adult"}
    | {"animal", "pet", "cat", "dog"}
)
"""Labels of agents that are no robots."""

_SHOWN = 5


class Draft:
    """Nodes, relations and notes that grow; given relations are never replaced."""

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self.nodes = dict(graph.nodes)
        self.relations = {
            relation.key: relation
            for relation in graph.relations
            if relation.provenance is Provenance.GIVEN or relation.name not in DERIVED
        }
        self.notes: list[str] = []

    def finished(self) -> SceneGraph:
        """The graph with all that was added (validated again)."""
        relations = tuple(self.relations.values())
        notes = tuple(dict.fromkeys((*self._graph.notes, *self.notes)))
        return replace(self._graph, nodes=self.nodes, relations=relations, notes=notes)

    def relate(self, name: str, elements: tuple[str, ...], provenance: Provenance) -> None:
        """Add a relation unless it is there already."""
        relation = SceneRelation(name, elements, CONFIDENCE[provenance], provenance)
        self.relations.setdefault(relation.key, relation)

    def first_of(self, name: str) -> dict[str, str]:
        """First leg -> second leg of a relation; the first tuple of each first leg counts."""
        table: dict[str, str] = {}
        for relation in self.relations.values():
            if relation.name == name and len(relation.elements) >= 2:
                table.setdefault(relation.elements[0], relation.elements[1])
        return table

    def in_layer(self, layer: Layer) -> list[SceneNode]:
        """The nodes of one layer, in order."""
        return [node for node in self.nodes.values() if node.layer is layer]

    def room_of(self) -> dict[str, str]:
        """Room by the id of what is in it or at it; tuples that name no room do not count."""
        stated = {**self._second_legs("in_room"), **self._second_legs("at")}
        return {id_: rooms[0] for id_, rooms in stated.items() if rooms}

    def _second_legs(self, name: str) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for relation, legs in self.relations:
            if relation == name and len(legs) == 2:
                rooms = table.setdefault(legs[0], [])
                if self.nodes[legs[1]].layer is Layer.ROOM:
                    rooms.append(legs[1])
        return table

    def floors(self) -> dict[str, str]:
        """Floor node by room: an object labelled floor whose parent is the room."""
        floors: dict[str, str] = {}
        for node in self.in_layer(Layer.OBJECT):
            if normalise_label(node.category) == FLOOR:
                for parent in node.parents:
                    if self.nodes[parent].layer is Layer.ROOM:
                        floors.setdefault(parent, node.id)
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
        labelled = {
            node.id
            for node in self.in_layer(Layer.OBJECT)
            if normalise_label(node.category) in DOORS
        }
        stated = {
            relation.elements[2]
            for relation in self.relations.values()
            if relation.name == "connected" and len(relation.elements) == 3
        }
        return labelled | stated

    def room_parents(self, node: SceneNode) -> tuple[str, ...]:
        """The rooms above a node in the hierarchy (the nearest on each way up)."""
        rooms: dict[str, None] = {}
        seen: set[str] = set()
        waiting = list(node.parents)
        while waiting:
            parent = self.nodes[waiting.pop(0)]
            if parent.id in seen:
                continue
            seen.add(parent.id)
            if parent.layer is Layer.ROOM:
                rooms[parent.id] = None
            else:
                waiting += parent.parents
        return tuple(rooms)


def listed(names: Sequence[str] | Iterable[str]) -> str:
    """Names for a note: the first few, and how many more there are."""
    names = list(names)
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
