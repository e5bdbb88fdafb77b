# SPDX-License-Identifier: Apache-2.0
"""The places of things as far as they are known, and the relations that say them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.relations.draft_graph import GivenRelations
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.rooms import SceneStructure
from fcp_ros.scene.relations.scored_pairs import ScoredPairs

HOLDING = ("on", "inside")
PLACING = (*HOLDING, "attached")
"""Relations of a thing with what it is held by; the derived ones have no circle."""


class Place(NamedTuple):
    """The place of a thing, with its confidence and provenance."""

    holder: str
    confidence: float
    provenance: Provenance = Provenance.GEOMETRIC


class KnownPlaces:
    """The places of things, given and derived, and whatever holds them.

    ``structure``: Rooms, floors and doors. ``by_boxes``: place by boxes alone, by relation (``on``,
    ``inside``, ``under``) and thing; ``place`` returns the one that holds. ``known_rooms``: the
    room of each thing, without assumptions. ``unsettled``: relation and place of each thing with a
    box that neither rests nor stands nor is inside of anything; None where none is probable.
    ``circular``: things that would lie on or in themselves by the derived places that are left out.
    """

    def __init__(
        self,
        nodes: Mapping[str, SceneNode],
        given: GivenRelations,
        structure: SceneStructure,
        options: RelationOptions,
    ) -> None:
        self.nodes = nodes
        self.given = given
        self.structure = structure
        self.options = options
        self.by_boxes: dict[str, dict[str, Place]] = {"on": {}, "inside": {}, "under": {}}
        self.known_rooms: dict[str, Place] = {}
        self.room_of: dict[str, Place] = {}
        self.floor_under: dict[str, Place] = {}
        self.unsettled: dict[str, tuple[str, Place] | None] = {}
        self.circular: set[str] = set()

    # ---- supports --------------------------------------------------------------------------------

    def is_thing(self, node: SceneNode) -> bool:
        """Return True if a node can lie somewhere: an object that is no door and no floor."""
        return node.layer is Layer.OBJECT and node.id not in self.structure.fixed

    def find_given_place(self, name: str, item: str) -> SceneRelation | None:
        """Return the given relation that replaces a derived one of this name."""
        if name == "under":
            return self.given.find("under", item)
        return self.given.find("inside", item) or self.given.find("on", item)

    def take(self, name: str, pairs: ScoredPairs, ids: Sequence[str]) -> None:
        """Store the best pairs of ``on``, ``inside`` or ``under``."""
        places = self.by_boxes[name]
        rows = zip(
            pairs.item.tolist(), pairs.other.tolist(), pairs.confidence.tolist(), strict=True
        )
        for item, other, confidence in rows:
            places[ids[item]] = Place(ids[other], confidence)

    def place(self, name: str, item: str) -> Place | None:
        """Return the derived place of a thing, unless it is held or its place is given."""
        place = self.by_boxes[name].get(item)
        if place is None or self.given.find("holding", item) is not None:
            return None
        return None if self.find_given_place(name, item) is not None else place

    def holder(self, item: str) -> Place | None:
        """Return the holder of a thing, or what it is in, on or part of; given before derived."""
        given = self.given
        held = given.find("holding", item)
        if held is not None:
            return Place(held.elements[0], held.confidence)
        relation = self.find_given_place("on", item)
        if relation is not None:
            return Place(relation.elements[1], relation.confidence)
        place = self.by_boxes["inside"].get(item) or self.by_boxes["on"].get(item)
        if place is not None:
            return place
        part = given.find("part_of", item)
        return Place(part.elements[1], part.confidence) if part is not None else None

    def is_unsupported(self, id_: str) -> bool:
        """Return True if nothing holds, supports or contains a thing."""
        places = self.by_boxes
        return not (id_ in places["on"] or id_ in places["inside"] or self.given.has_place(id_))

    def list_placed(self) -> dict[str, None]:
        """List all things that something holds, given or derived, each once."""
        places = self.by_boxes
        given = (item for name in PLACING for item in self.given.list_items(name))
        derived = (*places["on"], *places["inside"], *self.unsettled, *self.floor_under)
        return dict.fromkeys((*derived, *given))

    def find_holders(self, item: str) -> list[str]:
        """Find all that a thing is on or inside of, given or derived."""
        places = self.by_boxes
        holders = [
            relation.elements[1] for name in HOLDING for relation in self.given.find_all(name, item)
        ]
        attached = [relation.elements[1] for relation in self.given.find_all("attached", item)]
        if holders or self.given.find("holding", item) is not None:
            return holders + attached
        holders = attached + [places[name][item].holder for name in HOLDING if item in places[name]]
        found = self.unsettled.get(item)
        if found is not None:
            holders.append(found[1].holder)
        if item in self.floor_under:
            holders.append(self.floor_under[item].holder)
        return holders

    # ---- the result ------------------------------------------------------------------------------

    def build_relations(self) -> list[SceneRelation]:
        """Build the derived relations of all things, except ``near``."""
        circular = self.circular
        none_given = self.given.is_empty("on", "inside", "under", "holding")
        relations = [
            SceneRelation(name, (id_, place.holder), place.confidence, place.provenance)
            for name, places in self.by_boxes.items()
            for id_, place in places.items()
            if none_given or self.place(name, id_) is not None
            if id_ not in circular or name not in HOLDING
        ]
        relations += [
            SceneRelation("on", (id_, floor.holder), floor.confidence, floor.provenance)
            for id_, floor in self.floor_under.items()
            if id_ not in circular
        ]
        relations += [
            SceneRelation(name, (id_, place.holder), place.confidence, place.provenance)
            for id_, (name, place) in (
                (id_, found) for id_, found in self.unsettled.items() if found is not None
            )
            if id_ not in circular
        ]
        for id_, room in self.room_of.items():
            relation = self._build_room_relation(id_, room)
            if relation is not None:
                relations.append(relation)
        return relations

    def build_relations_of(self, id_: str) -> Iterator[SceneRelation]:
        """Yield the relations of ``build_relations`` with one thing as first leg."""
        places = [(name, self.place(name, id_)) for name in self.by_boxes]
        places += [("on", self.floor_under.get(id_)), self.unsettled.get(id_) or ("on", None)]
        for name, place in places:
            if place is not None and (name not in PLACING or id_ not in self.circular):
                yield SceneRelation(name, (id_, place.holder), place.confidence, place.provenance)
        room = self.room_of.get(id_)
        relation = self._build_room_relation(id_, room) if room is not None else None
        if relation is not None:
            yield relation

    def _build_room_relation(self, id_: str, room: Place) -> SceneRelation | None:
        name = "at" if self.nodes[id_].layer is Layer.AGENT else "in_room"
        provenance = room.provenance
        if provenance is Provenance.GIVEN:  # perhaps by the other of the two names
            if any(r.elements[1] == room.holder for r in self.given.find_all(name, id_)):
                return None
            provenance = Provenance.INFERRED
        return SceneRelation(name, (id_, room.holder), room.confidence, provenance)

    def forget(self, id_: str) -> None:
        """Drop all that was derived for a thing."""
        for places in (*self.by_boxes.values(), self.known_rooms, self.room_of, self.floor_under):
            places.pop(id_, None)
        self.unsettled.pop(id_, None)
