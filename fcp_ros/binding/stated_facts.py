# SPDX-License-Identifier: Apache-2.0
"""The facts that a scene graph states, read through a schema.

Each question here looks at a few nodes and relations only, so that a state can be made of a whole
scene and also follow its changes by the same rules.

An item lies in at most one place that its types allow: inside a container before on a support,
since a container must be opened first; else in what holds *that*. What hangs (``attached``), and
what the scene states no such place for, lies nowhere that a state knows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fcp_ros.binding.label_types import TypeChoice
from fcp_ros.binding.renaming import SchemaVocabulary
from fcp_ros.cset import Fact
from fcp_ros.domain.scene_names import DOORLESS, SceneMapping
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.scene.graph.elements import Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

LOCATIONS = ("inside", "on")
"""Relations that say where an item lies, in the order in which they are tried."""

_OTHER_LOCATION = {"inside": "on", "on": "inside"}

FactOrder = tuple[int, int, int]
"""Precedence of a fact; of two that contradict each other, the lesser one is kept. Relations come
first, in the graph's order, then attributes that state facts, then where things are."""


class FactStatus(Enum):
    """The use that a state can make of a fact that a scene states."""

    NO_ELEMENT = "it is about nodes that take no part"
    UNKNOWN = "the schema has no such relation"
    UNFIT = "the types do not fit the legs"
    FITS = "it may hold"


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """The place of an item."""

    fact: Fact | None  # ``on`` or ``inside``; None if the scene states no place, or none fits
    read_as: str = ""  # "on(a, b) as inside(a, b)" where the scene says otherwise; else ""
    is_guess: bool = False  # True if the scene assumes this place, for want of anything better


class StatedFacts:
    """A scene graph as a schema sees it."""

    def __init__(
        self,
        graph: SceneGraph,
        vocabulary: SchemaVocabulary,
        mapping: SceneMapping,
        typing: PersistentMap[str, TypeChoice],
    ) -> None:
        self.graph = graph
        self.vocabulary = vocabulary
        self.mapping = mapping
        self.typing = typing
        self._places: dict[str, ItemPlace | None] | None = None
        self._holders: dict[str, list[tuple[str, str]]] | None = None
        self._held: set[str] = set()

    def prepare(self) -> None:
        """Index all relations once, which is faster where all items are asked for."""
        holders: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name in LOCATIONS:
            for relation in self.graph.relations_named(name):
                if len(relation.elements) == 2:
                    holders[relation.elements[0]].append((name, relation.elements[1]))
        self._holders = holders
        for relation in self.graph.relations_named("holding"):
            if len(relation.elements) == 2:
                self._held.add(relation.elements[1])

    def with_cache(self) -> StatedFacts:
        """Return a copy for a short time that remembers the places of items it was asked for."""
        facts = StatedFacts(self.graph, self.vocabulary, self.mapping, self.typing)
        facts._places = {}
        return facts

    def type_of(self, id_: str) -> str | None:
        """Return the type of a node; None for one that takes no part."""
        choice = self.typing.get(id_)
        return None if choice is None else choice.type

    # --- stated facts

    def fact_of(self, relation: SceneRelation) -> Fact | None:
        """Return the fact that a relation states; None if the place of an item implies it.

        ``in_room`` of an agent that was mapped as an object is ``at`` the room. A domain without
        passages has the two rooms of ``connected``. The given place of what is no item is a fact
        that does not fit.
        """
        name, elements = relation.name, relation.elements
        if name in LOCATIONS:
            is_left_out = relation.provenance is Provenance.GIVEN and not self.is_item(elements[0])
            return Fact(name, elements) if is_left_out else None
        if name == DOORLESS and self.vocabulary.is_doorless:
            return Fact(name, elements[:2])
        if name == "in_room" and not self.fits(name, elements):
            if self.fits("at", elements):
                name = "at"
            elif self.is_item(elements[0]):
                return None  # items are in a room by what they lie on
        return Fact(name, elements)

    def state_facts(self, node: SceneNode) -> Iterator[Fact]:
        """Yield the facts that a node's attributes state."""
        for rule in self.mapping.attribute_facts:
            if rule.holds(node.attributes):
                yield Fact(rule.relation, (node.id,))

    def is_unseen(self, fact: Fact) -> bool:
        """Return True if attributes state such facts, and the node has none that says yes or no."""
        if len(fact.arguments) != 1 or fact.arguments[0] not in self.graph.nodes:
            return False
        rules = [rule for rule in self.mapping.attribute_facts if rule.relation == fact.relation]
        if not rules or self.graph.relation(fact.relation, *fact.arguments) is not None:
            return False
        known = self.graph.nodes[fact.arguments[0]].attributes
        return not any(rule.attribute in known for rule in rules)

    def place(self, id_: str) -> ItemPlace | None:
        """Return the place of an item; None for a node that is not an item, or is held."""
        known = self._places
        if known is None:
            return self._find_place(id_)
        if id_ not in known:
            known[id_] = self._find_place(id_)
        return known[id_]

    def status(self, fact: Fact) -> FactStatus:
        """Return the use of a fact that the scene states (see ``order_of``)."""
        relation, arguments = fact
        typing = self.typing
        for argument in arguments:
            if argument not in typing:
                return FactStatus.NO_ELEMENT
        if relation not in self.vocabulary.relations:
            return FactStatus.UNKNOWN
        return FactStatus.FITS if self.fits(relation, arguments) else FactStatus.UNFIT

    def order_of(self, fact: Fact) -> FactOrder | None:
        """Return the precedence of a fact; None for one that the scene does not state."""
        return min(self._orders(fact), default=None)

    def _orders(self, fact: Fact) -> Iterator[FactOrder]:
        name, elements = fact
        graph = self.graph
        if name == DOORLESS and self.vocabulary.is_doorless:
            for joining in graph.relations_of(elements[0]):
                if joining.name == name and joining.elements[:2] == elements:
                    yield 0, 0, graph.relation_rank(joining)
        elif name != "in_room":
            relation = graph.relation(name, *elements)
            if relation is not None and (name not in LOCATIONS or self.fact_of(relation)):
                yield 0, 0, graph.relation_rank(relation)
        if len(elements) == 1 and elements[0] in graph.nodes:
            node = graph.nodes[elements[0]]
            for number, rule in enumerate(self.mapping.attribute_facts):
                if rule.relation == name and rule.holds(node.attributes):
                    yield 1, number, graph.node_rank(elements[0])
        if name in ("in_room", "at"):
            relation = graph.relation("in_room", *elements)
            if relation is not None and self.fact_of(relation) == fact:
                yield 2, 0, graph.relation_rank(relation)
        if name in LOCATIONS and elements[0] in graph.nodes:
            place = self.place(elements[0])
            if place is not None and place.fact == fact:
                yield 3, 0, graph.node_rank(elements[0])

    # --- places of items

    def _find_place(self, item: str) -> ItemPlace | None:
        if not self.is_item(item) or self.is_held(item):
            return None
        best = next(self._fitting_places(item), None)
        if best is None:
            return ItemPlace(None)
        name, holder = best
        stated = self.holders(item)
        read_as = ""
        if best not in stated:
            read_as = f"{stated[0][0]}({item}, {stated[0][1]}) as {name}({item}, {holder})"
        relation = self.graph.relation(name, item, holder)
        is_guess = relation is not None and is_assumed(relation)
        return ItemPlace(Fact(name, (item, holder)), read_as, is_guess)

    def _fitting_places(self, item: str) -> Iterator[tuple[str, str]]:
        """Yield places that fit, best first: as stated, as the other relation, below."""
        seen = {item}
        holders = list(self.holders(item))
        while holders:
            for name, holder in holders:
                if self.fits(name, (item, holder)):
                    yield name, holder
            for name, holder in holders:
                if self.fits(_OTHER_LOCATION[name], (item, holder)):
                    yield _OTHER_LOCATION[name], holder
            below = [holder for _, holder in holders if holder not in seen]
            seen.update(below)
            holders = [
                further
                for holder in dict.fromkeys(below)
                for further in self.holders(holder)
                if further[1] != item
            ]

    def fits(self, relation: str, elements: tuple[str, ...]) -> bool:
        """Return True if the elements may be the legs of the relation."""
        return self.vocabulary.fits(relation, elements, self.type_of)

    def is_item(self, id_: str) -> bool:
        """Return True if a node may be on or inside something else."""
        type_ = self.type_of(id_)
        return any(self.vocabulary.admits(name, 0, type_) for name in LOCATIONS)

    def holders(self, id_: str) -> list[tuple[str, str]]:
        """Return the stated pairs (``on`` or ``inside``, holder) of a node, ``inside`` first."""
        if self._holders is not None:
            return self._holders.get(id_, [])
        relations = self.graph.relations_of(id_)
        return [
            (name, relation.elements[1])
            for name in LOCATIONS
            for relation in relations
            if relation.name == name and len(relation.elements) == 2 and relation.elements[0] == id_
        ]

    def is_held(self, id_: str) -> bool:
        """Return True if an agent holds the node."""
        if self._holders is not None:
            return id_ in self._held
        return any(
            relation.name == "holding"
            and len(relation.elements) == 2
            and relation.elements[1] == id_
            for relation in self.graph.relations_of(id_)
        )

    def find_attachment(self, id_: str) -> str | None:
        """Return what a node is attached to; None if the scene does not state it."""
        for relation in self.graph.relations_of(id_):
            if relation.name == "attached" and relation.elements[:-1] == (id_,):
                return relation.elements[1]
        return None


def is_assumed(relation: SceneRelation) -> bool:
    """Return True for a place that completion assumed: it was not seen, and may be wrong."""
    return relation.name in LOCATIONS and relation.provenance is Provenance.INFERRED
