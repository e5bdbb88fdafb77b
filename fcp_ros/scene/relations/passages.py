# SPDX-License-Identifier: Apache-2.0
"""How rooms are connected: doors and passages, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcp_ros.scene.graph.graph import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.relations.draft import Draft, listed
from fcp_ros.scene.shapes.footprint import bounds, distance, footprint_of

DOOR_REACH = 0.75
"""How far (m) a door's centre may be from the two rooms that it joins."""

PASSAGE_CATEGORY = "passage"


def connect_rooms(draft: Draft) -> None:
    """Bring ``connected`` into its form (room, room, passage), stored both ways.

    An adjacency without a known door (two legs) becomes a passage node; a door that is named
    by no relation joins its two parent rooms, or else the two rooms that it stands between.
    """
    stated = [draft.relations.pop(key) for key in list(draft.relations) if key[0] == "connected"]
    joined: dict[frozenset[str], str] = {}
    for relation in stated:
        if _check_legs(draft, relation) and len(relation.elements) == 3:
            a, b, passage = relation.elements
            joined[frozenset((a, b))] = passage
            _join(draft, a, b, passage, relation)
    for relation in stated:
        if _check_legs(draft, relation) and len(relation.elements) == 2:
            a, b = sorted(relation.elements)
            if frozenset((a, b)) not in joined:
                node = _passage(draft, a, b)
                draft.nodes[node.id] = node
                joined[frozenset((a, b))] = node.id
                _join(draft, a, b, node.id, relation)
    odd = [str(relation) for relation in stated if not _check_legs(draft, relation)]
    if odd:
        draft.notes.append(f"left out, because it does not join two rooms: {listed(odd)}")
    _join_loose_doors(draft)
    _note_unreachable(draft)


def _check_legs(draft: Draft, relation: SceneRelation) -> bool:
    legs = relation.elements
    rooms = [id_ for id_ in legs[:2] if draft.nodes[id_].layer is Layer.ROOM]
    return len(legs) in (2, 3) and len(rooms) == 2 and legs[0] != legs[1]


def _join(draft: Draft, a: str, b: str, passage: str, like: SceneRelation) -> None:
    for legs in ((a, b, passage), (b, a, passage)):
        relation = SceneRelation("connected", legs, like.confidence, like.provenance)
        draft.relations.setdefault(relation.key, relation)


def _passage(draft: Draft, a: str, b: str) -> SceneNode:
    wanted = f"{a}__{b}_passage"
    id_ = draft.free_id(wanted)
    first, second = draft.nodes[a], draft.nodes[b]
    pose = _between(first, second)
    return SceneNode(id_, Layer.OBJECT, PASSAGE_CATEGORY, pose=pose)


def _between(first: SceneNode, second: SceneNode) -> Pose | None:
    """Where two rooms face each other: on each axis the middle of the overlap, or of the gap."""
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


def _join_loose_doors(draft: Draft) -> None:
    used = {key[1][2] for key in draft.relations if key[0] == "connected" and len(key[1]) == 3}
    rooms = draft.in_layer(Layer.ROOM)
    loose = []
    for id_ in sorted(draft.passages() - used):
        door = draft.nodes[id_]
        given = draft.room_parents(door)
        ends = given if len(given) == 2 else _rooms_beside(door, rooms)
        if len(ends) == 2:
            provenance = Provenance.GIVEN if len(given) == 2 else Provenance.GEOMETRIC
            draft.relate("connected", (ends[0], ends[1], id_), provenance)
            draft.relate("connected", (ends[1], ends[0], id_), provenance)
        else:
            loose.append(id_)
    if loose and len(rooms) > 1:
        draft.notes.append(f"it is not known which rooms are joined by {listed(loose)}")


def _rooms_beside(door: SceneNode, rooms: Iterable[SceneNode]) -> tuple[str, ...]:
    """The two rooms nearest to a door, if both are within its reach."""
    if door.pose is None:
        return ()
    x, y, _ = door.pose.position
    near = sorted(
        (distance(footprint_of(room), (x, y)), room.id) for room in rooms if footprint_of(room)
    )
    return tuple(id_ for away, id_ in near[:2] if away <= DOOR_REACH)


def _note_unreachable(draft: Draft) -> None:
    neighbours: dict[str, set[str]] = {room.id: set() for room in draft.in_layer(Layer.ROOM)}
    for name, legs in draft.relations:
        if name == "connected":
            neighbours[legs[0]].add(legs[1])
    first, *others = neighbours
    reached = _reachable(first, neighbours)
    apart = [id_ for id_ in others if id_ not in reached]
    if apart:
        draft.notes.append(f"no connection from {first} is known to {listed(apart)}")


def _reachable(start: str, neighbours: Mapping[str, set[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        for room in neighbours[waiting.pop()] - reached:
            reached.add(room)
            waiting.append(room)
    return reached
