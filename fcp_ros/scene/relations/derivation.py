# SPDX-License-Identifier: Apache-2.0
"""What follows for each thing from boxes, rooms and what is stated.

Completion works through all things at once, the keeper through those that a change concerns:
both with this class, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.relations.found import BARELY
from fcp_ros.scene.relations.holders import Holders, Place, Surroundings
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.stated import Stated

ASSUMED = BARELY
"""Confidence of what is assumed, for want of anything better."""


class Derivation(Holders):
    """What follows for each thing; ``derive_*`` bring that of the given things up to date.

    Attributes:
        followed: The room of each thing that is more than assumed.
        room_of: The room of each thing.
        floor_under: The floor under each thing that stands on one.
    """

    def __init__(
        self,
        nodes: Mapping[str, SceneNode],
        stated: Stated,
        around: Surroundings,
        options: RelationOptions,
    ) -> None:
        super().__init__(nodes, stated, around, options)
        self.followed: dict[str, Place] = {}
        self.room_of: dict[str, Place] = {}
        self.floor_under: dict[str, Place] = {}

    # ---- rooms -----------------------------------------------------------------------------------

    def is_located(self, node: SceneNode) -> bool:
        """Whether a node is in a room: an object or an agent, but no door and no floor."""
        return (
            node.layer is Layer.OBJECT or node.layer is Layer.AGENT
        ) and node.id not in self.around.apart

    def stated_room(self, id_: str) -> str | None:
        """The room that the source puts something in, if it names one."""
        for name in ("at", "in_room"):
            for relation in self.stated.all_about(name, id_):
                if self.nodes[relation.elements[1]].layer is Layer.ROOM:
                    return relation.elements[1]
        return None

    def derive_rooms(self, ids: Iterable[str]) -> dict[str, tuple[str, float]]:
        """``in_room`` and ``at``; in this order: given; the hierarchy (one room above); the
        room that contains it, unless something holds or supports it; the room of its holder;
        the room that contains it; the only room; the nearest room centre; for an agent, the
        first room.

        Returns:
            What each room's outline says, for those that some room contains.
        """
        nodes = self.nodes
        located = {id_: nodes[id_] for id_ in ids if self.is_located(nodes[id_])}
        posed = [id_ for id_, node in located.items() if node.pose is not None]
        points = np.array(
            [node.pose.position for node in located.values() if node.pose is not None]
        ).reshape(-1, 3)
        containing = self.around.finder.containing(posed, points) if posed else {}
        own: dict[str, Place | None] = {}
        for id_, node in located.items():
            known = self._own_room(node, containing.get(id_))
            if known is not None:
                own[id_] = known
        waiting = located.keys() - own.keys()
        for id_ in located:
            if id_ in waiting:
                self._follow(id_, waiting, own, containing)
        for id_, node in located.items():
            place = own[id_]
            if place is None:
                self.followed.pop(id_, None)
                place = self._assumed_room(node)
            else:
                self.followed[id_] = place
            if place is None:
                self.room_of.pop(id_, None)
            else:
                self.room_of[id_] = place
        return containing

    def _own_room(self, node: SceneNode, containing: tuple[str, float] | None) -> Place | None:
        """The room that a thing is in whatever holds it."""
        given = self.stated_room(node.id)
        if given is not None:
            return Place(given, 1.0, Provenance.GIVEN)
        parents = room_parents(node, self.nodes) if node.parents else ()
        if len(parents) == 1:
            return Place(parents[0], 1.0, Provenance.INFERRED)
        if containing is not None and self.lies_free(node.id):
            return Place(*containing)
        return None

    def _follow(
        self,
        start: str,
        waiting: Iterable[str],
        own: dict[str, Place | None],
        containing: Mapping[str, tuple[str, float]],
    ) -> None:
        """Go up from holder to holder until one's room is known; then that is the room of all."""
        chain: dict[str, Place | None] = {}
        current: str | None = start
        while current is not None and current not in chain and current not in own:
            if current not in waiting:
                break
            link = self.holder(current)
            chain[current] = link
            current = link.holder if link is not None else None
        place: Place | None = None
        if current is not None and current in chain:  # they hold each other in a circle
            for id_ in _circle(chain, current):
                own[id_] = Place(*containing[id_]) if id_ in containing else None
                chain.pop(id_)
            place = own[current]
        elif current is not None:
            place = own[current] if current in own else self._room_of_holder(current)
        for id_, link in reversed(chain.items()):
            if place is None:
                place = Place(*containing[id_]) if id_ in containing else None
            elif link is not None:
                inferred = place.provenance is Provenance.INFERRED
                provenance = Provenance.INFERRED if inferred else Provenance.GEOMETRIC
                place = Place(place.holder, min(place.confidence, link.confidence), provenance)
            own[id_] = place

    def _room_of_holder(self, id_: str) -> Place | None:
        """The room of something that is not being located itself."""
        node = self.nodes[id_]
        if node.layer is Layer.ROOM:
            return Place(id_, 1.0)
        known = self.followed.get(id_)
        if known is None and id_ in self.around.apart:
            rooms = [room for room, floor in self.around.floors.items() if floor == id_]
            return Place(min(rooms), 1.0) if rooms else None
        return known

    def _assumed_room(self, node: SceneNode) -> Place | None:
        rooms = self.around.rooms
        room = rooms[0].id if len(rooms) == 1 else None
        if room is None and node.pose is not None:
            room = self.around.finder.nearest(node.pose.position)
        if room is None and node.layer is Layer.AGENT:
            room = rooms[0].id
        return None if room is None else Place(room, ASSUMED, Provenance.INFERRED)

    # ---- floors ----------------------------------------------------------------------------------

    def derive_floors(self, ids: Iterable[str]) -> list[str]:
        """``on`` the floor of its room: what is on, in, held by or part of nothing.

        Returns:
            The things that are higher above their floor than ``hovering``.
        """
        hovering = []
        for id_ in ids:
            self.floor_under.pop(id_, None)
            node = self.nodes[id_]
            room = self.room_of.get(id_)
            if room is None or node.layer is not Layer.OBJECT or not self.lies_free(id_):
                continue
            if self.stated.about("part_of", id_) is not None:
                continue
            floor = self.nodes[self.around.floors[room.holder]]
            gap = height_above(node, floor)
            self.floor_under[id_] = self._standing(floor.id, gap)
            if gap is not None and gap > self.options.hovering:
                hovering.append(id_)
        return hovering

    def _standing(self, floor: str, gap: float | None) -> Place:
        tolerance = self.options.resting
        if gap is None or abs(gap) > tolerance:
            return Place(floor, ASSUMED, Provenance.INFERRED)
        left = 1.0 - abs(gap) / tolerance if tolerance > 0.0 else 1.0
        return Place(floor, BARELY + (1.0 - BARELY) * left)

    # ---- the result ------------------------------------------------------------------------------

    def relations(self) -> list[SceneRelation]:
        """The derived relations of all things, except those that they have with their like."""
        silent = self.stated.says_nothing_of("on", "inside", "under", "holding")
        made = [
            SceneRelation(name, (id_, place.holder), place.confidence, place.provenance)
            for name, places in self.found.items()
            for id_, place in places.items()
            if silent or self.place(name, id_) is not None
        ]
        made += [
            SceneRelation("on", (id_, floor.holder), floor.confidence, floor.provenance)
            for id_, floor in self.floor_under.items()
        ]
        for id_, room in self.room_of.items():
            relation = self._room_relation(id_, room)
            if relation is not None:
                made.append(relation)
        return made

    def relations_of(self, id_: str) -> Iterator[SceneRelation]:
        """The derived relations of one thing: those of ``relations`` with it as first leg."""
        for name in self.found:
            place = self.place(name, id_)
            if place is not None:
                yield SceneRelation(name, (id_, place.holder), place.confidence, place.provenance)
        floor = self.floor_under.get(id_)
        if floor is not None:
            yield SceneRelation("on", (id_, floor.holder), floor.confidence, floor.provenance)
        room = self.room_of.get(id_)
        relation = self._room_relation(id_, room) if room is not None else None
        if relation is not None:
            yield relation

    def _room_relation(self, id_: str, room: Place) -> SceneRelation | None:
        name = "at" if self.nodes[id_].layer is Layer.AGENT else "in_room"
        provenance = room.provenance
        if provenance is Provenance.GIVEN:  # by the other of the two names, perhaps
            if any(r.elements[1] == room.holder for r in self.stated.all_about(name, id_)):
                return None
            provenance = Provenance.INFERRED
        return SceneRelation(name, (id_, room.holder), room.confidence, provenance)

    def forget(self, id_: str) -> None:
        """Drop all that was derived for a thing."""
        for places in (*self.found.values(), self.followed, self.room_of, self.floor_under):
            places.pop(id_, None)


def _circle(chain: Mapping[str, Place | None], entry: str) -> list[str]:
    """The links of a chain from ``entry`` on: they lead back to it."""
    links = list(chain)
    return links[links.index(entry) :]


def room_parents(node: SceneNode, nodes: Mapping[str, SceneNode]) -> tuple[str, ...]:
    """The rooms above a node in the hierarchy (the nearest on each way up)."""
    rooms: dict[str, None] = {}
    seen: set[str] = set()
    waiting = list(node.parents)
    while waiting:
        parent = nodes[waiting.pop()]
        if parent.id in seen:
            continue
        seen.add(parent.id)
        if parent.layer is Layer.ROOM:
            rooms[parent.id] = None
        else:
            waiting += parent.parents
    return tuple(rooms)


def height_above(node: SceneNode, floor: SceneNode) -> float | None:
    """How far (m) a box's bottom is above a floor's top; None where that is not known."""
    if node.pose is None or node.size is None or floor.pose is None or floor.size is None:
        return None
    top = floor.pose.position[2] + floor.size[2] / 2.0
    return node.pose.position[2] - node.size[2] / 2.0 - top
