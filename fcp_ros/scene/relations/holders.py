# SPDX-License-Identifier: Apache-2.0
"""Where each thing lies: by what is stated, or else by its box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.relations.found import Found
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.room_finder import RoomFinder
from fcp_ros.scene.relations.stated import Stated


class Place(NamedTuple):
    """Where a thing is, how sure that is, and how it is known."""

    holder: str
    confidence: float
    provenance: Provenance = Provenance.GEOMETRIC


class Surroundings(NamedTuple):
    """What does not change while things move.

    Attributes:
        rooms: All rooms, in order.
        finder: Finds them by position.
        floors: Floor node by room.
        apart: Doors, passages and floors: they are in no room and rest on nothing.
    """

    rooms: Sequence[SceneNode]
    finder: RoomFinder
    floors: Mapping[str, str]
    apart: frozenset[str] | set[str]


class Holders:
    """What each thing is on, in, under or held by.

    Args:
        nodes: All nodes.
        stated: What the source says.
        around: Rooms, floors and doors.
        options: Tolerances.

    Attributes:
        found: What the boxes say, by relation and thing; ``place`` is what holds of it.
    """

    def __init__(
        self,
        nodes: Mapping[str, SceneNode],
        stated: Stated,
        around: Surroundings,
        options: RelationOptions,
    ) -> None:
        self.nodes = nodes
        self.stated = stated
        self.around = around
        self.options = options
        self.found: dict[str, dict[str, Place]] = {"on": {}, "inside": {}, "under": {}}

    def is_thing(self, node: SceneNode) -> bool:
        """Whether a node can lie somewhere: an object that is no door and no floor."""
        return node.layer is Layer.OBJECT and node.id not in self.around.apart

    def stated_place(self, name: str, item: str) -> SceneRelation | None:
        """What the source says instead of a derived relation of this name."""
        if name == "under":
            return self.stated.about("under", item)
        return self.stated.about("inside", item) or self.stated.about("on", item)

    def take(self, name: str, found: Found, ids: Sequence[str]) -> None:
        """Take over the best pairs of ``on``, ``inside`` or ``under``."""
        places = self.found[name]
        rows = zip(
            found.item.tolist(), found.other.tolist(), found.confidence.tolist(), strict=True
        )
        for item, other, confidence in rows:
            places[ids[item]] = Place(ids[other], confidence)

    def place(self, name: str, item: str) -> Place | None:
        """The derived place of a thing, unless it is held or its place is given."""
        place = self.found[name].get(item)
        if place is None or self.stated.about("holding", item) is not None:
            return None
        return None if self.stated_place(name, item) is not None else place

    def holder(self, item: str) -> Place | None:
        """Who holds a thing, or what it is in, on or part of; given before derived."""
        stated = self.stated
        held = stated.about("holding", item)
        if held is not None:
            return Place(held.elements[0], held.confidence)
        given = self.stated_place("on", item)
        if given is not None:
            return Place(given.elements[1], given.confidence)
        place = self.found["inside"].get(item) or self.found["on"].get(item)
        if place is not None:
            return place
        part = stated.about("part_of", item)
        return Place(part.elements[1], part.confidence) if part is not None else None

    def container(self, item: str) -> str | None:
        """What a thing is inside of; given before derived."""
        given = self.stated.about("inside", item)
        if given is not None:
            return given.elements[1]
        place = self.place("inside", item)
        return place.holder if place is not None else None

    def lies_free(self, id_: str) -> bool:
        """Whether nothing holds, supports or contains a thing."""
        found = self.found
        return not (id_ in found["on"] or id_ in found["inside"] or self.stated.says_where(id_))
