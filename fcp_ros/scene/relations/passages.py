# SPDX-License-Identifier: Apache-2.0
"""``connected(room, room, passage)``, both ways: given, or by doors between two rooms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.roles import PASSAGE
from fcp_ros.scene.relations.draft_graph import SceneDraft
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.rooms import RoomFinder, find_room_parents
from fcp_ros.scene.relations.scored_pairs import to_confidence
from fcp_ros.scene.shapes.polygons import bounds, footprint_of


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
