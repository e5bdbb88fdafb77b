# SPDX-License-Identifier: Apache-2.0
"""Rooms: which there are, what is in them, and the floor of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.graph import Layer, Pose, Provenance, SceneNode, Vector
from fcp_ros.scene.relations.draft import FLOOR, Draft, listed
from fcp_ros.scene.shapes.footprint import area, bounds, centroid, contains, footprint_of

FLOOR_THICKNESS = 0.02
"""Thickness (m) of a floor's box; its top is the room's floor level."""

_MARGIN = 0.5
"""Room (m) left around everything when the only room has to be assumed."""


def ensure_rooms(draft: Draft) -> None:
    """Without any room, one room around everything; every room gets a pose if it can."""
    if not draft.in_layer(Layer.ROOM):
        _assume_room(draft)
    for room in draft.in_layer(Layer.ROOM):
        centre = room_centre(room)
        if room.pose is None and centre is not None:
            draft.nodes[room.id] = replace(room, pose=Pose(centre))


def _assume_room(draft: Draft) -> None:
    corners = [
        corner
        for node in draft.nodes.values()
        for corner in footprint_of(node) or ((node.pose.position[:2],) if node.pose else ())
    ]
    id_ = draft.free_id("room_1")
    node = SceneNode(id_, Layer.ROOM, "room")
    if corners:
        x0, y0, x1, y1 = bounds(corners)
        x0, y0, x1, y1 = x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN
        polygon = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        node = SceneNode(id_, Layer.ROOM, "room", polygon=polygon)
    draft.nodes[id_] = node
    draft.notes.append(f"the scene has no room: {id_} was put around everything")


class RoomFinder:
    """Finds the room of a point: the smallest that contains it, else the nearest centre."""

    def __init__(self, rooms: Sequence[SceneNode]) -> None:
        self._rooms = sorted(
            (room for room in rooms if footprint_of(room)),
            key=lambda room: area(footprint_of(room)),
        )
        self._centres = {
            room.id: centre for room in rooms if (centre := room_centre(room)) is not None
        }

    def containing(self, points: Mapping[str, Vector]) -> dict[str, str]:
        """Room ids by point id, for the points that some room contains."""
        if not points:
            return {}
        ids = list(points)
        places = np.array([points[id_] for id_ in ids], dtype=np.float64)
        found: dict[str, str] = {}
        for room in self._rooms:
            footprint = footprint_of(room)
            near = _in_bounds(places, bounds(footprint))
            inside = np.zeros(len(ids), dtype=np.bool_)
            inside[near] = contains(footprint, places[near, :2])
            level = _level_of(room)
            if level is not None and room.height is not None:
                height = places[:, 2]
                inside &= (height >= level - _MARGIN) & (height <= level + room.height + _MARGIN)
            for index in np.flatnonzero(inside).tolist():
                found.setdefault(ids[index], room.id)
        return found

    def nearest(self, point: Vector) -> str | None:
        """The room whose centre is nearest; None where no room has a known centre."""
        if not self._centres:
            return None
        return min(self._centres, key=lambda id_: math.dist(self._centres[id_], point))


def _in_bounds(
    places: NDArray[np.float64], box: tuple[float, float, float, float]
) -> NDArray[np.intp]:
    """Numbers of the places within least x, least y, greatest x, greatest y."""
    x, y = places[:, 0], places[:, 1]
    near = (x >= box[0]) & (y >= box[1]) & (x <= box[2]) & (y <= box[3])
    return np.flatnonzero(near)


def room_centre(room: SceneNode) -> Vector | None:
    """Centre of a room (m): of its footprint, at the height of its pose or half its height."""
    footprint = footprint_of(room)
    level = room.pose.position[2] if room.pose else (room.height or 0.0) / 2.0
    if footprint:
        return (*centroid(footprint), level)
    return room.pose.position if room.pose else None


def _level_of(room: SceneNode) -> float | None:
    """Height (m) of a room's floor where the room itself says so."""
    height = room.height or (room.size[2] if room.size else None)
    if room.pose is not None and height is not None:
        return room.pose.position[2] - height / 2.0
    return 0.0 if room.pose is None and room.polygon else None


def locate_in_rooms(draft: Draft) -> None:
    """``in_room`` for objects and ``at`` for agents, from what is given or else geometry.

    In this order: given; the hierarchy; containment in a room; the room of what holds or
    supports it; the only room there is; the nearest room centre.
    """
    rooms = draft.in_layer(Layer.ROOM)
    finder = RoomFinder(rooms)
    apart = draft.passages() | set(draft.floors().values())
    located = {
        node.id: node
        for node in draft.nodes.values()
        if node.layer in (Layer.OBJECT, Layer.AGENT) and node.id not in apart
    }
    held = {item for relation in ("on", "inside") for item in draft.first_of(relation)}
    held |= {
        relation.elements[1]
        for relation in draft.relations.values()
        if relation.name == "holding" and len(relation.elements) == 2
    }
    points = {id_: node.pose.position for id_, node in located.items() if node.pose is not None}
    containing = finder.containing(points)
    given = draft.room_of()
    room_of: dict[str, tuple[str, Provenance]] = {}
    for id_, node in located.items():
        parents = draft.room_parents(node)
        if id_ in given:
            room_of[id_] = given[id_], Provenance.GIVEN
        elif len(parents) == 1:
            room_of[id_] = parents[0], Provenance.GIVEN
        elif id_ in containing and id_ not in held:
            room_of[id_] = containing[id_], Provenance.GEOMETRIC
    _note_conflicts(draft, room_of, containing)
    _follow_holders(draft, located, room_of, containing)
    lost = []
    for id_, node in located.items():
        if id_ not in room_of:
            room = rooms[0].id if len(rooms) == 1 else None
            if room is None and node.pose is not None:
                room = finder.nearest(node.pose.position)
            if room is None and node.layer is Layer.AGENT:
                room = rooms[0].id
            if room is None:
                lost.append(id_)
                continue
            room_of[id_] = room, Provenance.INFERRED
    for id_, (room, provenance) in room_of.items():
        name = "at" if located[id_].layer is Layer.AGENT else "in_room"
        draft.relate(name, (id_, room), provenance)
    if lost:
        draft.notes.append(f"the room of {listed(lost)} is not known")


def _note_conflicts(
    draft: Draft, room_of: Mapping[str, tuple[str, Provenance]], containing: Mapping[str, str]
) -> None:
    differing = [
        f"{id_} (given {room}, drawn in {containing[id_]})"
        for id_, (room, provenance) in room_of.items()
        if provenance is Provenance.GIVEN and containing.get(id_, room) != room
    ]
    if differing:
        draft.notes.append(
            f"the given room differs from the geometry and is kept: {listed(differing)}"
        )


def _follow_holders(
    draft: Draft,
    located: Mapping[str, SceneNode],
    room_of: dict[str, tuple[str, Provenance]],
    containing: Mapping[str, str],
) -> None:
    """What lies on, is inside, is held by or is part of another thing is in that thing's room."""
    holders = {**draft.first_of("part_of"), **draft.first_of("on"), **draft.first_of("inside")}
    for relation in draft.relations.values():
        if relation.name == "holding" and len(relation.elements) == 2:
            holders[relation.elements[1]] = relation.elements[0]
    for id_ in located:
        chain: dict[str, None] = {}
        current: str | None = id_
        while current is not None and current not in room_of and current not in chain:
            chain[current] = None
            current = holders.get(current)
        if current is not None and current in room_of:
            room, provenance = room_of[current]
            derived = provenance if provenance is Provenance.INFERRED else Provenance.GEOMETRIC
            room_of.update((link, (room, derived)) for link in chain if link in located)
        elif id_ in containing:
            room_of[id_] = containing[id_], Provenance.GEOMETRIC


def ensure_floors(draft: Draft) -> dict[str, str]:
    """Each room's floor node, made where there is none; floor ids by room id."""
    floors = draft.floors()
    lowest = _lowest_bottoms(draft)
    for room in draft.in_layer(Layer.ROOM):
        if room.id not in floors:
            floor = _floor_node(draft.free_id(f"{room.id}_floor"), room, lowest.get(room.id))
            draft.nodes[floor.id] = floor
            floors[room.id] = floor.id
        draft.relate("in_room", (floors[room.id], room.id), Provenance.INFERRED)
    return floors


def _lowest_bottoms(draft: Draft) -> dict[str, float]:
    """The lowest underside (m) of the boxes in each room."""
    lowest: dict[str, float] = {}
    for id_, room in draft.room_of().items():
        node = draft.nodes[id_]
        if node.pose is not None and node.size is not None:
            bottom = node.pose.position[2] - node.size[2] / 2.0
            lowest[room] = min(bottom, lowest.get(room, bottom))
    return lowest


def _floor_node(id_: str, room: SceneNode, lowest: float | None) -> SceneNode:
    footprint = footprint_of(room)
    if not footprint:
        return SceneNode(id_, Layer.OBJECT, FLOOR, parents=(room.id,))
    level = _level_of(room)
    if level is None or (room.height is None and lowest is not None):
        level = lowest if lowest is not None else (room.pose.position[2] if room.pose else 0.0)
    x0, y0, x1, y1 = bounds(footprint)
    middle = Pose(((x0 + x1) / 2.0, (y0 + y1) / 2.0, level - FLOOR_THICKNESS / 2.0))
    return SceneNode(
        id_,
        Layer.OBJECT,
        FLOOR,
        pose=middle,
        size=(x1 - x0, y1 - y0, FLOOR_THICKNESS),
        polygon=footprint,
        parents=(room.id,),
    )
