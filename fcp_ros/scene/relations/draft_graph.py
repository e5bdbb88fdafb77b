# SPDX-License-Identifier: Apache-2.0
"""A scene graph in the making: completion adds to it before it becomes a value again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.foundation.wording import find_free_name
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor

_ITEM_LEG = {"on": 0, "inside": 0, "attached": 0, "under": 0, "part_of": 0}
_ITEM_LEG |= {"in_room": 0, "at": 0, "holding": 1}
"""Relations of two legs that say where a thing is, with the position of the thing's leg."""


class GivenRelations:
    """The relations that completion keeps, looked up by the thing whose place they state.

    Where a source states several places of one kind for a thing, the one with the greatest
    confidence counts, then the one whose elements come first in the alphabet: the order of a
    file means nothing.
    """

    def __init__(self, relations: Iterable[SceneRelation] = ()) -> None:
        self._places: dict[str, dict[str, list[SceneRelation]]] = {name: {} for name in _ITEM_LEG}
        for relation in relations:
            self.add(relation)

    def add(self, relation: SceneRelation) -> str | None:
        """Add a relation; return the thing whose place it states, None for other relations."""
        leg = _ITEM_LEG.get(relation.name)
        if leg is None or len(relation.elements) != 2:
            return None
        item = relation.elements[leg]
        places = self._places[relation.name].setdefault(item, [])
        places.append(relation)
        if len(places) > 1:
            places.sort(key=lambda place: (-place.confidence, place.elements))
        return item

    def discard(self, relation: SceneRelation) -> str | None:
        """Remove a relation; return the thing whose place it stated."""
        leg = _ITEM_LEG.get(relation.name)
        if leg is None or len(relation.elements) != 2:
            return None
        item = relation.elements[leg]
        table = self._places[relation.name]
        left = [place for place in table.get(item, ()) if place.elements != relation.elements]
        if left:
            table[item] = left
        else:
            table.pop(item, None)
        return item

    def find(self, name: str, item: str) -> SceneRelation | None:
        """Return the relation of this name that counts for a thing; None without one."""
        places = self._places[name].get(item)
        return places[0] if places else None

    def find_all(self, name: str, item: str) -> tuple[SceneRelation, ...]:
        """Return all relations of this name for a thing, the one that counts first."""
        return tuple(self._places[name].get(item, ()))

    def list_items(self, name: str) -> Iterable[str]:
        """Return the things whose place a relation of this name states."""
        return self._places[name]

    def has_place(self, item: str) -> bool:
        """Return True if a thing is given to be held, on or inside something."""
        places = self._places
        return item in places["on"] or item in places["inside"] or item in places["holding"]

    def is_empty(self, *names: str) -> bool:
        return not any(self._places[name] for name in names)


def is_kept(relation: SceneRelation, derived: frozenset[str]) -> bool:
    """Return True if completion keeps a relation: it is given, or its name is not derived."""
    return relation.provenance is Provenance.GIVEN or relation.name not in derived


# --- A scene graph in the making ---


class SceneDraft:
    """Nodes, kept relations and notes that grow; relations in ``derived`` are derived again."""

    def __init__(self, graph: SceneGraph, derived: frozenset[str]) -> None:
        self._graph = graph
        self.nodes = dict(graph.nodes)
        self.relations = {
            relation.key: relation for relation in graph.relations if is_kept(relation, derived)
        }
        self.notes: list[str] = []

    def to_graph(self) -> SceneGraph:
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
        return [node for node in self.nodes.values() if node.layer is layer]

    def free_id(self, wanted: str) -> str:
        """Return ``wanted``, or it with the first number that makes it unique."""
        return find_free_name(wanted, self.nodes)

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


def _rooms_of_floor(node: SceneNode, nodes: Mapping[str, SceneNode]) -> Iterator[str]:
    """Yield the rooms that a node is the floor of: its parents, if it is labelled as a floor."""
    if node.parents and is_floor(node):
        for parent in node.parents:
            if nodes[parent].layer is Layer.ROOM:
                yield parent
