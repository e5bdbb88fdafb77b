# SPDX-License-Identifier: Apache-2.0
"""What a scene graph says in the words of a schema, fact by fact.

Everything here looks at a few nodes and relations only, so that a state can be made of a whole
scene and also follow its changes by the same rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from enum import Enum

from fcp_ros.cset import Fact
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.scene.graph.graph import Layer, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.graph.labels import normalise_label
from fcp_ros.scene.state.label_types import TypeChoice
from fcp_ros.scene.state.location import LOCATIONS, ItemPlace, place_of
from fcp_ros.scene.state.mapping import SceneMapping
from fcp_ros.scene.state.vocabulary import Vocabulary

Order = tuple[int, int, int]
"""Of two facts that contradict each other, the lesser one is kept: relations in the graph's order,
then attributes that state facts, then where things are."""


class Standing(Enum):
    """What becomes of a fact that a scene states."""

    NO_ELEMENT = "it is about nodes that take no part"
    UNKNOWN = "the schema has no such relation"
    UNFIT = "the types do not fit the legs"
    FITS = "it may hold"


class Reading:
    """A graph as a schema sees it.

    Args:
        graph: A completed scene.
        vocabulary: Of the schema.
        mapping: Which attributes state facts.
        typing: How each node that takes part got its type.
    """

    def __init__(
        self,
        graph: SceneGraph,
        vocabulary: Vocabulary,
        mapping: SceneMapping,
        typing: PersistentMap[str, TypeChoice],
    ) -> None:
        self.graph = graph
        self.vocabulary = vocabulary
        self.mapping = mapping
        self.typing = typing
        self._places: dict[str, ItemPlace | None] | None = None
        self._holders: dict[str, list[tuple[str, str]]] | None = None
        self._room_of: dict[str, str] = {}
        self._held: set[str] = set()

    def prepare(self) -> None:
        """Look at all relations once, which is faster where all items are asked for."""
        holders: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name in LOCATIONS:
            for relation in self.graph.related(name):
                if len(relation.elements) == 2:
                    holders[relation.elements[0]].append((name, relation.elements[1]))
        self._holders = holders
        for relation in self.graph.related("in_room"):
            if len(relation.elements) == 2:
                self._room_of[relation.elements[0]] = relation.elements[1]
        for relation in self.graph.related("holding"):
            if len(relation.elements) == 2:
                self._held.add(relation.elements[1])

    def remembering(self) -> Reading:
        """The same reading for a short time: what it finds out about places, it remembers."""
        reading = Reading(self.graph, self.vocabulary, self.mapping, self.typing)
        reading._places = {}
        return reading

    def type_of(self, id_: str) -> str | None:
        """The type of a node; None for one that takes no part."""
        choice = self.typing.get(id_)
        return None if choice is None else choice.type

    # --- what is stated

    def fact_of(self, relation: SceneRelation) -> Fact | None:
        """The fact that a relation states; None for what the place of an item says.

        ``in_room`` of an agent that was mapped as an object is ``at`` the room.
        """
        name, elements = relation.name, relation.elements
        if name in LOCATIONS:
            return None
        if name == "in_room" and not self.fits(name, elements):
            if self.fits("at", elements):
                name = "at"
            elif self.is_item(elements[0]):
                return None  # items are in a room by what they lie on
        return Fact(name, elements)

    def state_facts(self, node: SceneNode) -> Iterator[Fact]:
        """The facts that a node's attributes state."""
        for stated in self.mapping.attribute_facts:
            if stated.holds(node):
                yield Fact(stated.relation, (node.id,))

    def place(self, id_: str) -> ItemPlace | None:
        """Where an item lies; None for what is no item, or is held."""
        known = self._places
        if known is None:
            return place_of(id_, self)
        if id_ not in known:
            known[id_] = place_of(id_, self)
        return known[id_]

    def standing(self, fact: Fact) -> Standing:
        """What becomes of a fact that the scene states (see ``order_of``)."""
        relation, arguments = fact
        typing = self.typing
        for argument in arguments:
            if argument not in typing:
                return Standing.NO_ELEMENT
        if relation not in self.vocabulary.relations:
            return Standing.UNKNOWN
        return Standing.FITS if self.fits(relation, arguments) else Standing.UNFIT

    def order_of(self, fact: Fact) -> Order | None:
        """Which of several facts comes first; None for one that the scene does not state."""
        return min(self._orders(fact), default=None)

    def _orders(self, fact: Fact) -> Iterator[Order]:
        name, elements = fact
        graph = self.graph
        if name != "in_room" and name not in LOCATIONS:
            relation = graph.relation(name, *elements)
            if relation is not None:
                yield 0, 0, graph.relation_rank(relation)
        if len(elements) == 1 and elements[0] in graph.nodes:
            for number, stated in enumerate(self.mapping.attribute_facts):
                if stated.relation == name and stated.holds(graph.nodes[elements[0]]):
                    yield 1, number, graph.node_rank(elements[0])
        if name in ("in_room", "at"):
            relation = graph.relation("in_room", *elements)
            if relation is not None and self.fact_of(relation) == fact:
                yield 2, 0, graph.relation_rank(relation)
        if name in LOCATIONS and elements[0] in graph.nodes:
            place = self.place(elements[0])
            if place is not None and place.fact == fact:
                yield 3, 0, graph.node_rank(elements[0])

    # --- what places depend on

    def fits(self, relation: str, elements: tuple[str, ...]) -> bool:
        """Whether the elements may be the legs of the relation."""
        return self.vocabulary.fits(relation, elements, self.type_of)

    def is_item(self, id_: str) -> bool:
        """Whether something may be on or inside something else."""
        type_ = self.type_of(id_)
        return any(self.vocabulary.admits(name, 0, type_) for name in LOCATIONS)

    def holders(self, id_: str) -> list[tuple[str, str]]:
        """(``on`` or ``inside``, holder) as stated, ``inside`` first."""
        if self._holders is not None:
            return self._holders.get(id_, [])
        of = self.graph.relations_of(id_)
        return [
            (name, relation.elements[1])
            for name in LOCATIONS
            for relation in of
            if relation.name == name and len(relation.elements) == 2 and relation.elements[0] == id_
        ]

    def is_held(self, id_: str) -> bool:
        """Whether an agent holds something."""
        if self._holders is not None:
            return id_ in self._held
        return any(
            relation.name == "holding"
            and len(relation.elements) == 2
            and relation.elements[1] == id_
            for relation in self.graph.relations_of(id_)
        )

    def room_of(self, id_: str) -> str | None:
        """The room that something is in; the last one that is stated."""
        if self._holders is not None:
            return self._room_of.get(id_)
        room = None
        for relation in self.graph.relations_of(id_):
            if relation.name == "in_room" and len(relation.elements) == 2:
                room = relation.elements[1] if relation.elements[0] == id_ else room
        return room

    def floor_of(self, room: str) -> str | None:
        """The floor of a room; the last of several."""
        nodes = self.graph.nodes
        floors = [id_ for id_ in self.graph.children_of(room) if is_floor(nodes[id_])]
        return floors[-1] if floors else None


def is_floor(node: SceneNode) -> bool:
    """Whether a node is what a room stands on."""
    return node.layer is Layer.OBJECT and normalise_label(node.category) == "floor"
