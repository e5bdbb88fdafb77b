# SPDX-License-Identifier: Apache-2.0
"""Rooms, floors and passages of a scene, made where a source has none, and the rooms of points.

A point is *in* a room if it lies in the room's outline or on it (even-odd rule; concave outlines
and rooms within rooms are fine) and, where the room's height is known, at most ``STOREY`` below its
floor or above its ceiling. Of several rooms the one counts whose storey fits the point best (least
excess above or below), then the one with the smallest area, then the lesser id. Clearness:
distance to the outline / clear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import shapely

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import (
    Layer,
    Pose,
    Provenance,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.roles import FLOOR, PASSAGE, is_robot
from fcp_ros.scene.relations.draft_graph import SceneDraft
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import BestPairs, ScoredPairs, share_of, to_confidence
from fcp_ros.scene.shapes.boxes import Floats, Indices, measure_upright_half
from fcp_ros.scene.shapes.polygons import (
    area,
    bounds,
    centre_of_room,
    footprint_of,
    inner_point,
    own_floor_level,
    storey_of_room,
)

STOREY = 0.5  # Greatest distance (m) of a point in a room below its floor or above its ceiling


class RoomFinder:
    """A search for rooms by position; those without an outline or box by their centre only.

    ``clear`` is the distance (m) inside an outline from which a point is there for certain.
    """

    def __init__(self, rooms: Sequence[SceneNode], clear: float) -> None:
        self._clear = clear
        shaped = [room for room in rooms if footprint_of(room)]
        self._ids = [room.id for room in shaped]
        footprints = [footprint_of(room) for room in shaped]
        self._outlines = np.array([shapely.Polygon(footprint) for footprint in footprints])
        self._areas = np.array([area(footprint) for footprint in footprints], dtype=np.float64)
        self._tree = shapely.STRtree(self._outlines)
        extents = [storey_of_room(room) for room in shaped]
        self._floor = np.array([low for low, _ in extents], dtype=np.float64)
        self._ceiling = np.array([high for _, high in extents], dtype=np.float64)
        centres = [(c, room.id) for room in rooms if (c := centre_of_room(room)) is not None]
        self._centre_ids = [id_ for _, id_ in centres]
        self._centres = np.array([centre for centre, _ in centres]).reshape(-1, 3)

    def find_containing(self, ids: Sequence[str], points: Floats) -> dict[str, tuple[str, float]]:
        """Find room and confidence by id, for the points (n, 3), in metres, in some room."""
        places = shapely.points(points[:, :2])
        point, room = self._tree.query(places, predicate="intersects")
        excess = self._measure_excess(points[point, 2], room)
        keep = np.flatnonzero(excess <= STOREY)
        point, room, excess = point[keep], room[keep], excess[keep]
        best = BestPairs(self._ids)
        best.add(ScoredPairs(point, room, excess, self._areas[room], np.ones(len(keep))))
        pairs = best.best()
        if pairs is None:
            return {}
        walls = shapely.boundary(self._outlines[pairs.other])
        depth = shapely.distance(places[pairs.item], walls)
        confidence = to_confidence(share_of(depth, self._clear))
        return {
            ids[point]: (self._ids[room], sure)
            for point, room, sure in zip(
                pairs.item.tolist(), pairs.other.tolist(), confidence.tolist(), strict=True
            )
        }

    def find_beside(self, points: Floats, reach: float) -> tuple[Indices, Indices, Floats]:
        """Find all rooms within reach (m) of points: numbers of point and room, distance (m)."""
        places = shapely.points(points[:, :2])
        point, room = self._tree.query(places, predicate="dwithin", distance=reach)
        keep = self._measure_excess(points[point, 2], room) <= STOREY
        point, room = point[keep], room[keep]
        return point, room, shapely.distance(places[point], self._outlines[room])

    def id_of(self, room: int) -> str:
        return self._ids[room]

    def find_nearest(self, point: Vector) -> str | None:
        """Find the room whose centre is nearest; None if no room has a known centre."""
        if not self._centre_ids:
            return None
        away = np.square(self._centres - np.array(point)).sum(axis=1)
        return min(self._centre_ids[number] for number in np.flatnonzero(away == away.min()))

    def _measure_excess(self, height: Floats, room: Indices) -> Floats:
        """Measure how far (m) heights are below the floors or above the ceilings of rooms."""
        excess: Floats = np.maximum(
            np.maximum(self._floor[room] - height, height - self._ceiling[room]), 0.0
        )
        return excess


FLOOR_THICKNESS = 0.02  # Thickness (m) of a floor's box; its top is the room's floor level
_MARGIN = 0.5  # Distance (m) from the outermost things to the walls of an assumed room


class SceneStructure(NamedTuple):
    """The part of a scene that stays while things move."""

    rooms: Sequence[SceneNode]  # All rooms, in order
    finder: RoomFinder
    floors: Mapping[str, str]
    # Doors, passages and floors: they are in no room and rest on nothing
    fixed: frozenset[str] | set[str]


def ensure_rooms(draft: SceneDraft, *, assume: bool) -> None:
    """Add a room around everything if there is none (``assume``), and poses where possible."""
    if assume and not draft.in_layer(Layer.ROOM):
        _assume_room(draft)
    for room in draft.in_layer(Layer.ROOM):
        draft.nodes[room.id] = ensure_pose(room)


def ensure_pose(room: SceneNode) -> SceneNode:
    """Return a room with a pose at its centre, if it has none and the centre is known."""
    if room.pose is not None:
        return room
    centre = centre_of_room(room)
    return room if centre is None else replace(room, pose=Pose(centre))


def _assume_room(draft: SceneDraft) -> None:
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


def ensure_robot(draft: SceneDraft) -> None:
    """Add a robot in the first room if there is none; without a room there is no place for it."""
    rooms = draft.in_layer(Layer.ROOM)
    if not rooms or any(is_robot(agent) for agent in draft.in_layer(Layer.AGENT)):
        return
    room = rooms[0]
    id_ = draft.free_id("robot_1")
    if room.polygon and room.pose is not None:
        level = room.pose.position[2] - (room.height or 0.0) / 2.0
        pose = Pose((*inner_point(room.polygon), level))
        draft.nodes[id_] = SceneNode(id_, Layer.AGENT, "robot", pose=pose)
    else:
        draft.nodes[id_] = SceneNode(id_, Layer.AGENT, "robot", parents=(room.id,))
    draft.notes.append(f"the scene has no robot: {id_} was put in {room.id}")


def ensure_floors(draft: SceneDraft, room_of: Mapping[str, str]) -> dict[str, str]:
    """Add a floor node to each room that has none; return floor ids by room id."""
    floors = draft.find_floors()
    lowest = _find_lowest_bottoms(draft, room_of)
    for room in draft.in_layer(Layer.ROOM):
        if room.id not in floors:
            floor = _make_floor(draft.free_id(f"{room.id}_floor"), room, lowest.get(room.id))
            draft.nodes[floor.id] = floor
            floors[room.id] = floor.id
    return floors


def _find_lowest_bottoms(draft: SceneDraft, room_of: Mapping[str, str]) -> dict[str, float]:
    """Find the lowest underside (m) of the boxes in each room."""
    lowest: dict[str, float] = {}
    for id_, room in room_of.items():
        node = draft.nodes[id_]
        if node.pose is not None and node.size is not None:
            bottom = node.pose.position[2] - measure_upright_half(node)
            lowest[room] = min(bottom, lowest.get(room, bottom))
    return lowest


def _make_floor(id_: str, room: SceneNode, lowest: float | None) -> SceneNode:
    footprint = footprint_of(room)
    if not footprint:
        return SceneNode(id_, Layer.OBJECT, FLOOR, parents=(room.id,))
    level = own_floor_level(room)
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


def find_room_parents(
    node: SceneNode, nodes: Mapping[str, SceneNode], known: dict[str, tuple[str, ...]] | None = None
) -> tuple[str, ...]:
    """Return the rooms above a node in the hierarchy (the nearest on each way up).

    One table ``known`` for many calls, which each extends, makes their time linear in the
    hierarchy instead of in the sum of all depths.
    """
    known = {} if known is None else known
    waiting = [node]
    while waiting:
        current = waiting[-1]
        if current.id in known:
            waiting.pop()
            continue
        above = [nodes[parent] for parent in current.parents]
        ahead = [each for each in above if each.layer is not Layer.ROOM and each.id not in known]
        if ahead:
            waiting += ahead
            continue
        waiting.pop()
        rooms: dict[str, None] = {}
        for each in reversed(above):
            found = (each.id,) if each.layer is Layer.ROOM else known[each.id]
            rooms.update(dict.fromkeys(found))
        known[current.id] = tuple(rooms)
    return known[node.id]


# --- ``connected(room, room, passage)``, both ways: given, or by doors between two rooms ---


def connect_rooms(
    draft: SceneDraft, passages: set[str], finder: RoomFinder, options: RelationOptions
) -> set[str]:
    """Bring ``connected`` into its form (room, room, passage), both ways; return all passages."""
    given = [draft.relations.pop(key) for key in list(draft.relations) if key[0] == "connected"]
    joined: dict[frozenset[str], str] = {}
    for relation in given:
        if _joins_two_rooms(draft, relation) and len(relation.elements) == 3:
            a, b, passage = relation.elements
            joined[frozenset((a, b))] = passage
            _join(draft, a, b, passage, relation)
    for relation in given:
        if _joins_two_rooms(draft, relation) and len(relation.elements) == 2:
            a, b = sorted(relation.elements)
            if frozenset((a, b)) not in joined:
                node = _make_passage(draft, a, b)
                draft.nodes[node.id] = node
                joined[frozenset((a, b))] = node.id
                _join(draft, a, b, node.id, relation)
    odd = [str(relation) for relation in given if not _joins_two_rooms(draft, relation)]
    if odd:
        draft.notes.append(f"left out, because it does not join two rooms: {list_names(odd)}")
    _join_loose_doors(draft, passages, finder, options)
    _note_unreachable(draft)
    return passages | set(joined.values())


def _joins_two_rooms(draft: SceneDraft, relation: SceneRelation) -> bool:
    legs = relation.elements
    rooms = [id_ for id_ in legs[:2] if draft.nodes[id_].layer is Layer.ROOM]
    return len(legs) in (2, 3) and len(rooms) == 2 and legs[0] != legs[1]


def _join(draft: SceneDraft, a: str, b: str, passage: str, like: SceneRelation) -> None:
    for legs in ((a, b, passage), (b, a, passage)):
        relation = SceneRelation("connected", legs, like.confidence, like.provenance)
        draft.relations.setdefault(relation.key, relation)


def _make_passage(draft: SceneDraft, a: str, b: str) -> SceneNode:
    wanted = f"{a}__{b}_passage"
    id_ = draft.free_id(wanted)
    first, second = draft.nodes[a], draft.nodes[b]
    pose = _find_middle(first, second)
    return SceneNode(id_, Layer.OBJECT, PASSAGE, pose=pose)


def _find_middle(first: SceneNode, second: SceneNode) -> Pose | None:
    """Find the point between two rooms: on each axis the middle of the overlap, or of the gap."""
    one, two = footprint_of(first), footprint_of(second)
    if not one or not two:
        return None
    a, b = bounds(one), bounds(two)
    x = (max(a[0], b[0]) + min(a[2], b[2])) / 2.0
    y = (max(a[1], b[1]) + min(a[3], b[3])) / 2.0
    heights = [
        room.pose.position[2] - (room.height or 0.0) / 2.0 for room in (first, second) if room.pose
    ]
    return Pose.at(x, y, min(heights, default=0.0))


def _join_loose_doors(
    draft: SceneDraft, passages: set[str], finder: RoomFinder, options: RelationOptions
) -> None:
    used = {key[1][2] for key in draft.relations if key[0] == "connected" and len(key[1]) == 3}
    doors = [draft.nodes[id_] for id_ in sorted(passages - used)]
    found = relate_doors(doors, draft.nodes, finder, options)
    loose = []
    for door in doors:
        for relation in found.get(door.id, ()):
            draft.relations[relation.key] = relation
        if door.id not in found:
            loose.append(door.id)
    if loose and len(draft.in_layer(Layer.ROOM)) > 1:
        draft.notes.append(f"it is not known which rooms are joined by {list_names(loose)}")


def relate_doors(
    doors: Sequence[SceneNode],
    nodes: Mapping[str, SceneNode],
    finder: RoomFinder,
    options: RelationOptions,
) -> dict[str, tuple[SceneRelation, SceneRelation]]:
    """Derive ``connected``, both ways, for doors that no given relation names.

    Doors that join no two rooms are absent.
    """
    relations: dict[str, tuple[SceneRelation, SceneRelation]] = {}
    by_place = []
    above: dict[str, tuple[str, ...]] = {}
    for door in doors:
        parents = find_room_parents(door, nodes, above)
        if len(parents) == 2:
            relations[door.id] = _build_both_ways(
                door.id, sorted(parents), 1.0, Provenance.INFERRED
            )
        elif door.pose is not None:
            by_place.append(door)
    for id_, rooms, confidence in _find_rooms_beside(by_place, finder, options):
        relations[id_] = _build_both_ways(id_, rooms, confidence, Provenance.GEOMETRIC)
    return relations


def _build_both_ways(
    door: str, rooms: Sequence[str], confidence: float, provenance: Provenance
) -> tuple[SceneRelation, SceneRelation]:
    a, b = rooms
    return (
        SceneRelation("connected", (a, b, door), confidence, provenance),
        SceneRelation("connected", (b, a, door), confidence, provenance),
    )


def _find_rooms_beside(
    doors: Sequence[SceneNode], finder: RoomFinder, options: RelationOptions
) -> Iterator[tuple[str, tuple[str, str], float]]:
    """Yield each door between two rooms, with the rooms and the confidence."""
    if not doors:
        return
    points = np.array([door.pose.position for door in doors if door.pose is not None])
    near: list[list[tuple[float, str]]] = [[] for _ in doors]
    for point, room, away in zip(
        *(values.tolist() for values in finder.find_beside(points, options.door_reach)), strict=True
    ):
        near[point].append((away, finder.id_of(room)))
    for door, rooms in zip(doors, near, strict=True):
        if len(rooms) < 2:
            continue
        rooms.sort()
        clearness = 1.0 - rooms[1][0] / options.door_reach if options.door_reach else 1.0
        if len(rooms) > 2 and options.clear:
            clearness = min(clearness, (rooms[2][0] - rooms[1][0]) / options.clear)
        confidence = float(to_confidence(np.float64(clearness)))
        yield door.id, (rooms[0][1], rooms[1][1]), confidence


def _note_unreachable(draft: SceneDraft) -> None:
    neighbours: dict[str, set[str]] = {room.id: set() for room in draft.in_layer(Layer.ROOM)}
    for name, legs in draft.relations:
        if name == "connected" and len(legs) > 1 and neighbours.keys() >= set(legs[:2]):
            neighbours[legs[0]].add(legs[1])
    if not neighbours:
        return
    first, *others = neighbours
    reached = _find_reachable(first, neighbours)
    unreachable = [id_ for id_ in others if id_ not in reached]
    if unreachable:
        draft.notes.append(f"no connection from {first} is known to {list_names(unreachable)}")


def _find_reachable(start: str, neighbours: Mapping[str, set[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        for room in neighbours[waiting.pop()] - reached:
            reached.add(room)
            waiting.append(room)
    return reached
