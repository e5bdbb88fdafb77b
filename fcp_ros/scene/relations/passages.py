# SPDX-License-Identifier: Apache-2.0
"""Passages between rooms that touch, and the reach of things: what completion adds last."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.roles import PASSAGE
from fcp_ros.scene.relations.derivation import Derivation
from fcp_ros.scene.relations.draft_graph import SceneDraft
from fcp_ros.scene.relations.nearness import find_candidates
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.rooms import RoomFinder, find_room_parents
from fcp_ros.scene.relations.scored_pairs import BARELY, to_confidence
from fcp_ros.scene.shapes.boxes import Boxes, Floats
from fcp_ros.scene.shapes.polygons import bounds, footprint_of, storey_of_room

# --- ``adjacent(room, room)`` from outlines, stored both ways; rooms only ---
#
# Two rooms are *adjacent* if
#
# 1. their storeys overlap in height (a room of unknown height may be on any), and
# 2. their outlines run beside each other, at most ``wall`` apart, for at least ``stretch``: summed
#    over all pairs of edges whose directions differ by at most ``SLANT``, the length along the one
#    edge over which the other is within ``wall`` of it.
#
# Rooms that meet only at a corner are not adjacent. A way from one to the other is a different
# relation (``connected``). Clearness: (length - stretch) / stretch. Things side by side are
# ``near`` each other at a distance of about 0.

SLANT = math.radians(20.0)
"""Greatest angle (rad) between two edges that count as running beside each other."""

_EDGES_AT_ONCE = 256


def find_adjacent_rooms(
    rooms: Sequence[SceneNode], options: RelationOptions
) -> list[SceneRelation]:
    """Find ``adjacent`` among rooms with outlines, both ways."""
    shaped = sorted((room for room in rooms if footprint_of(room)), key=lambda room: room.id)
    outlines = [np.array(footprint_of(room), dtype=np.float64) for room in shaped]
    storeys = [storey_of_room(room) for room in shaped]
    relations = []
    for first, second in find_candidates(_make_rectangles(shaped), options.wall):
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            lowest_ceiling = min(storeys[a][1], storeys[b][1])
            if a > b or lowest_ceiling <= max(storeys[a][0], storeys[b][0]):
                continue
            length = measure_length_beside(outlines[a], outlines[b], options.wall)
            if length >= options.stretch and length > 0.0:
                clear = (length - options.stretch) / options.stretch if options.stretch else 1.0
                confidence = BARELY + (1.0 - BARELY) * min(1.0, clear)
                for legs in ((shaped[a].id, shaped[b].id), (shaped[b].id, shaped[a].id)):
                    relations.append(
                        SceneRelation("adjacent", legs, confidence, Provenance.GEOMETRIC)
                    )
    return relations


def measure_length_beside(one: Floats, other: Floats, wall: float) -> float:
    """Measure the length (m) over which the outlines (k, 2) and (m, 2) run within ``wall``."""
    total = 0.0
    begin, run = one, np.roll(one, -1, axis=0) - one
    for start in range(0, len(one), _EDGES_AT_ONCE):
        some = slice(start, start + _EDGES_AT_ONCE)
        total += _measure_edges(begin[some], run[some], other, wall)
    return total


def _measure_edges(begin: Floats, run: Floats, other: Floats, wall: float) -> float:
    length = np.sqrt((run * run).sum(axis=1))
    begin, run, length = begin[length > 0.0], run[length > 0.0], length[length > 0.0]
    way = run / length[:, None]
    offset = other[None, :, :] - begin[:, None, :]
    along = offset[:, :, 0] * way[:, None, 0] + offset[:, :, 1] * way[:, None, 1]
    aside = offset[:, :, 1] * way[:, None, 0] - offset[:, :, 0] * way[:, None, 1]
    after, out = np.roll(along, -1, axis=1), np.roll(aside, -1, axis=1)
    advance = after - along
    parallel = np.abs(out - aside) <= math.tan(SLANT) * np.abs(advance)
    usable = parallel & (advance != 0.0)
    slope = np.where(usable, (out - aside) / np.where(advance == 0.0, 1.0, advance), 0.0)
    low = np.maximum(np.minimum(along, after), 0.0)
    high = np.minimum(np.maximum(along, after), length[:, None])
    # The other edge is within the wall's thickness where |aside + slope * (t - along)| <= wall,
    # t being the position along this edge.
    level = slope == 0.0
    tilt = np.where(level, 1.0, slope)
    first, last = along + (-wall - aside) / tilt, along + (wall - aside) / tilt
    low = np.where(level, low, np.maximum(low, np.minimum(first, last)))
    high = np.where(level, high, np.minimum(high, np.maximum(first, last)))
    usable &= ~level | (np.abs(aside) <= wall)
    return float(np.where(usable, np.maximum(high - low, 0.0), 0.0).sum())


def _make_rectangles(rooms: Sequence[SceneNode]) -> Boxes:
    """Return the upright rectangles around rooms, as boxes without height."""
    sides = np.array([bounds(footprint_of(room)) for room in rooms]).reshape(-1, 4)
    low, high = sides[:, :2], sides[:, 2:]
    flat = np.zeros((len(rooms), 1))
    return Boxes.upright(
        [room.id for room in rooms],
        np.hstack(((low + high) / 2.0, flat)),
        np.hstack(((high - low) / 2.0, flat)),
    )


# --- ``connected(room, room)`` by doors ---


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


# --- the attribute ``reach`` of an object ---

REACH = "reach"
REACH_FROM = "reach_from"
GEOMETRY = "geometry"

HEIGHTS = ("floor", "low", "comfortable", "high", "out_of_reach")
ENCLOSED = "enclosed"


def update_reach(node: SceneNode, derivation: Derivation) -> SceneNode:
    """Return the node with its present class of reach; the same node if nothing changes."""
    if REACH in node.attributes and node.attributes.get(REACH_FROM) != GEOMETRY:
        return node
    reach = _classify_reach(node, derivation) if derivation.is_thing(node) else None
    if reach == node.attributes.get(REACH):
        return node
    attributes = dict(node.attributes)
    attributes.pop(REACH, None)
    attributes.pop(REACH_FROM, None)
    if reach is not None:
        attributes |= {REACH: reach, REACH_FROM: GEOMETRY}
    return replace(node, attributes=attributes)


def _classify_reach(node: SceneNode, derivation: Derivation) -> str | None:
    if derivation.given.find("holding", node.id) is not None:
        return None
    if _is_enclosed(node.id, derivation):
        return ENCLOSED
    room = derivation.room_of.get(node.id)
    if node.pose is None or room is None:
        return None
    floor = derivation.nodes[derivation.structure.floors[room.holder]]
    if floor.pose is None or floor.size is None:
        return None
    height = node.pose.position[2] - (floor.pose.position[2] + floor.size[2] / 2.0)
    return HEIGHTS[bisect_left(derivation.options.reach_heights, height)]


def _is_enclosed(id_: str, derivation: Derivation) -> bool:
    seen: set[str] = set()
    current: str | None = id_
    while current is not None and current not in seen:
        seen.add(current)
        container = derivation.container(current)
        if container is not None and derivation.nodes[container].attributes.get("is_open") is False:
            return True
        holder = derivation.holder(current)
        current = container or (holder.holder if holder is not None else None)
    return False
