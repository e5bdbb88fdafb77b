# SPDX-License-Identifier: Apache-2.0
"""The place of each thing, from given relations, boxes and rooms.

Completion derives the places of all things at once, maintenance those of the things that a change
concerns: both with this class, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode
from fcp_ros.scene.graph.roles import HoldingRole, find_holding_role, is_often_mounted
from fcp_ros.scene.relations.places import HOLDING, PLACING, KnownPlaces, Place
from fcp_ros.scene.relations.rooms import find_room_parents
from fcp_ros.scene.relations.scored_pairs import BARELY
from fcp_ros.scene.relations.supports import find_circular, leads_back
from fcp_ros.scene.relations.unsettled import fall_off, find_unsettled_places
from fcp_ros.scene.shapes.boxes import Boxes, Indices, measure_upright_half

ASSUMED = BARELY  # Confidence of an assumption, for want of anything better

STANDING = 1.3
"""Greatest height (m) of a thing's position above the floor that it is assumed to stand on."""

LARGEST_CIRCLE = 200
"""Most things in circles whose least certain places are chosen; of more, all are left out."""

PairFinder = Callable[[Sequence[str]], tuple[Boxes, Iterable[tuple[Indices, Indices]]]]
"""Returns all boxes, and the pairs of these things with what is ``reach_of`` around them."""


class Derivation(KnownPlaces):
    """Known places that ``derive_*`` bring up to date, for the given things."""

    # ---- rooms -----------------------------------------------------------------------------------

    def is_located(self, node: SceneNode) -> bool:
        """Return True if a node is in a room: an object or agent that is no door and no floor."""
        return (
            node.layer is Layer.OBJECT or node.layer is Layer.AGENT
        ) and node.id not in self.structure.fixed

    def find_given_room(self, id_: str) -> str | None:
        """Return the room that the source states for a node; None if it states none."""
        for name in ("at", "in_room"):
            for relation in self.given.find_all(name, id_):
                if self.nodes[relation.elements[1]].layer is Layer.ROOM:
                    return relation.elements[1]
        return None

    def derive_rooms(self, ids: Iterable[str]) -> None:
        """Derive ``in_room`` and ``at``.

        In this order: the given room; the hierarchy (one room above); the room that contains the
        thing, unless something holds or supports it; the room of its holder; the room that contains
        it; the only room; the nearest room centre; for an agent, the first room.
        """
        nodes = self.nodes
        located = {id_: nodes[id_] for id_ in ids if self.is_located(nodes[id_])}
        own: dict[str, Place | None] = {}
        above: dict[str, tuple[str, ...]] = {}
        for id_, node in located.items():
            known = self._find_stated_room(node, above)
            if known is not None:
                own[id_] = known
        waiting = located.keys() - own.keys()
        containing = self.find_containing(
            id_ for id_ in located if id_ in waiting and self.is_unsupported(id_)
        )
        own.update({id_: Place(*found) for id_, found in containing.items()})
        waiting -= containing.keys()

        @cache
        def find_others() -> dict[str, tuple[str, float]]:  # seldom needed
            return self.find_containing(waiting)

        for id_ in located:
            if id_ in waiting:
                self._follow_holders(id_, waiting, own, find_others)
        for id_, node in located.items():
            place = own[id_]
            if place is None:
                self.known_rooms.pop(id_, None)
                place = self._assume_room(node)
            else:
                self.known_rooms[id_] = place
            if place is None:
                self.room_of.pop(id_, None)
            else:
                self.room_of[id_] = place

    def find_containing(self, ids: Iterable[str]) -> dict[str, tuple[str, float]]:
        """Find room and confidence by the rooms' outlines, for the things that a room contains."""
        poses = ((id_, self.nodes[id_].pose) for id_ in ids)
        points = {id_: pose.position for id_, pose in poses if pose is not None}
        if not points:
            return {}
        return self.structure.finder.find_containing(list(points), np.array(list(points.values())))

    def _find_stated_room(self, node: SceneNode, above: dict[str, tuple[str, ...]]) -> Place | None:
        """Find the room of a thing that is given, or the one above it in the hierarchy."""
        given = self.find_given_room(node.id)
        if given is not None:
            return Place(given, 1.0, Provenance.GIVEN)
        parents = find_room_parents(node, self.nodes, above) if node.parents else ()
        return Place(parents[0], 1.0, Provenance.INFERRED) if len(parents) == 1 else None

    def _follow_holders(
        self,
        start: str,
        waiting: Iterable[str],
        own: dict[str, Place | None],
        find_others: Callable[[], Mapping[str, tuple[str, float]]],
    ) -> None:
        """Go up from holder to holder until a room is known; it is the room of the whole chain.

        Extends ``own``; ``find_others`` returns the rooms that contain the things that wait.
        """
        chain: dict[str, Place | None] = {}
        current: str | None = start
        while current is not None and current not in chain and current not in own:
            if current not in waiting:
                break
            link = self.holder(current)
            chain[current] = link
            current = link.holder if link is not None else None
        place: Place | None = None
        if current is not None and current in chain:  # they hold each other in a cycle
            for id_ in _links_from(chain, current):
                found = find_others().get(id_)
                own[id_] = None if found is None else Place(*found)
                chain.pop(id_)
            place = own[current]
        elif current is not None:
            place = own[current] if current in own else self._find_room_of_holder(current)
        for id_, link in reversed(chain.items()):
            if place is None:
                found = find_others().get(id_)
                place = None if found is None else Place(*found)
            elif link is not None:
                inferred = place.provenance is Provenance.INFERRED
                provenance = Provenance.INFERRED if inferred else Provenance.GEOMETRIC
                place = Place(place.holder, min(place.confidence, link.confidence), provenance)
            own[id_] = place

    def _find_room_of_holder(self, id_: str) -> Place | None:
        """Find the room of a node that is not being located itself."""
        node = self.nodes[id_]
        if node.layer is Layer.ROOM:
            return Place(id_, 1.0)
        known = self.known_rooms.get(id_)
        if known is None and id_ in self.structure.fixed:
            rooms = [room for room, floor in self.structure.floors.items() if floor == id_]
            return Place(min(rooms), 1.0) if rooms else None
        return known

    def _assume_room(self, node: SceneNode) -> Place | None:
        rooms = self.structure.rooms
        room = rooms[0].id if len(rooms) == 1 else None
        if room is None and node.pose is not None:
            room = self.structure.finder.find_nearest(node.pose.position)
        if room is None and rooms and node.layer is Layer.AGENT:
            room = rooms[0].id
        return None if room is None else Place(room, ASSUMED, Provenance.INFERRED)

    # ---- floors ----------------------------------------------------------------------------------

    def derive_floors(self, ids: Iterable[str], find_pairs: PairFinder) -> list[str]:
        """Derive the places of things on, in, held by or part of nothing; return those without one.

        A thing whose bottom is at the floor of its room stands there. Of any other with a box, the
        most probable place is taken (``unsettled``), the floor among them where it is at most
        ``hovering`` away. A thing without a box is assumed on the floor, unless it is often
        mounted, or higher than ``STANDING``.
        """
        nowhere: list[str] = []
        waiting: list[str] = []
        for id_ in ids:
            self.floor_under.pop(id_, None)
            self.unsettled.pop(id_, None)
            node = self.nodes[id_]
            if not self.is_unsupported(id_) or self.given.find("part_of", id_) is not None:
                continue
            room = self.room_of.get(id_)
            floor = None if room is None else self.nodes[self.structure.floors[room.holder]]
            place = None
            if room is not None and floor is not None:
                place = self._place_on_floor(node, floor, room)
            if place is not None:
                self.floor_under[id_] = place
            elif node.pose is not None and node.size is not None:
                waiting.append(id_)
            else:
                nowhere.append(id_)
        if waiting:
            nowhere += self._settle(waiting, find_pairs)
        return nowhere

    def _place_on_floor(self, node: SceneNode, floor: SceneNode, room: Place) -> Place | None:
        """Return the place of a thing that stands on the floor, or has no box; None for others."""
        gap = _measure_gap(node, floor)
        if gap is None:
            too_high = _measure_height(node, floor) > STANDING
            if too_high or is_often_mounted(node.category):
                return None
            return Place(floor.id, ASSUMED, Provenance.INFERRED)
        tolerance = self.options.resting
        if abs(gap) > tolerance or find_holding_role(node.category) >= HoldingRole.WALL:
            return None
        left = 1.0 - abs(gap) / tolerance if tolerance > 0.0 else 1.0
        return _follow_room(Place(floor.id, BARELY + (1.0 - BARELY) * left), room)

    def _settle(self, ids: list[str], find_pairs: PairFinder) -> list[str]:
        """Find the most probable places of things with boxes; return those that have none."""
        boxes, pairs = find_pairs(ids)
        found: dict[str, tuple[str, Place]] = {}
        for name, best in find_unsettled_places(boxes, pairs, self.options).items():
            rows = zip(
                best.item.tolist(), best.other.tolist(), best.confidence.tolist(), strict=True
            )
            for item, other, confidence in rows:
                sure = Provenance.GEOMETRIC if confidence >= BARELY else Provenance.INFERRED
                found[boxes.ids[item]] = name, Place(boxes.ids[other], confidence, sure)
        nowhere = []
        floors = self._find_floors_off(ids)
        for id_ in ids:
            place, floor = found.get(id_), floors.get(id_)
            if floor is not None and (place is None or floor.confidence > place[1].confidence):
                place = "on", floor
            self.unsettled[id_] = place
            if place is None:
                nowhere.append(id_)
        return nowhere

    def _find_floors_off(self, ids: Iterable[str]) -> dict[str, Place]:
        """Find the floors of things that are not far above or below that of their room."""
        gaps: dict[str, float] = {}
        for id_ in ids:
            room, node = self.room_of.get(id_), self.nodes[id_]
            if room is not None and not is_often_mounted(node.category):
                gap = _measure_gap(node, self.nodes[self.structure.floors[room.holder]])
                if gap is not None and abs(gap) <= self.options.hovering:
                    gaps[id_] = abs(gap)
        confidence = fall_off(np.array(list(gaps.values())), self.options).tolist()
        found = {}
        for id_, sure in zip(gaps, confidence, strict=True):
            room = self.room_of[id_]
            floor = self.structure.floors[room.holder]
            found[id_] = _follow_room(Place(floor, sure, Provenance.INFERRED), room)
        return found

    # ---- circles ---------------------------------------------------------------------------------

    def find_circles(self) -> None:
        """Find all things that would lie on or in themselves."""
        self.circular = self._find_circular(self.list_placed())

    def update_circles(self, ids: Iterable[str]) -> set[str]:
        """Follow changes of the places of things; return those that were or are in a circle."""
        before = self.circular
        self.circular = self._find_circular((*ids, *before))
        return before | self.circular

    def _find_circular(self, starts: Iterable[str]) -> set[str]:
        """Find the things whose derived places are left out, so that no circle is left.

        Of each circle it is the least certain one: a board is not attached to the fork on it.
        """
        circular = find_circular(starts, self.find_holders)
        dropped: set[str] = set()

        def find_edges(id_: str) -> list[tuple[str, bool]]:
            return self._find_edges(id_, derived=id_ not in dropped)

        sureness = {id_: sure for id_ in circular if (sure := self._measure_sureness(id_)) >= 0.0}
        if len(sureness) > LARGEST_CIRCLE:
            return set(sureness)
        while left := [
            id_ for id_ in sureness if id_ not in dropped and leads_back(id_, id_, find_edges)
        ]:
            dropped.add(min(left, key=lambda id_: (sureness[id_], id_)))
        return dropped

    def _measure_sureness(self, item: str) -> float:
        """Return the confidence of what holds a thing by geometry; -1 if all is given."""
        found = self.unsettled.get(item)
        places = [self.place(name, item) for name in HOLDING]
        places += [self.floor_under.get(item), found[1] if found is not None else None]
        return max((place.confidence for place in places if place is not None), default=-1.0)

    def _find_edges(self, item: str, *, derived: bool) -> list[tuple[str, bool]]:
        """Find all that holds a thing, and whether it lies on or in that."""
        given = self.given
        edges = [
            (relation.elements[1], name in HOLDING)
            for name in PLACING
            for relation in given.find_all(name, item)
        ]
        if derived:
            known = {above for above, _ in edges}
            found = self.unsettled.get(item)
            is_firm = found is None or found[0] in HOLDING
            edges += [(above, is_firm) for above in self.find_holders(item) if above not in known]
        return edges


def _links_from(chain: Mapping[str, Place | None], entry: str) -> list[str]:
    """Return the links of a chain from ``entry`` on, which form a cycle."""
    links = list(chain)
    return links[links.index(entry) :]


def _follow_room(place: Place, room: Place) -> Place:
    """Return a place that is no more certain than the room that it is in."""
    if room.confidence >= place.confidence:
        return place
    return Place(place.holder, room.confidence, room.provenance)


def _measure_height(node: SceneNode, floor: SceneNode) -> float:
    """Measure how far (m) a thing's position is above a floor's; 0 if that is not known."""
    if node.pose is None or floor.pose is None:
        return 0.0
    return node.pose.position[2] - floor.pose.position[2]


def _measure_gap(node: SceneNode, floor: SceneNode) -> float | None:
    """Measure how far (m) a box's bottom is above a floor's top; None if that is not known."""
    if node.pose is None or node.size is None or floor.pose is None or floor.size is None:
        return None
    top = floor.pose.position[2] + floor.size[2] / 2.0
    return node.pose.position[2] - measure_upright_half(node) - top
