# SPDX-License-Identifier: Apache-2.0
"""Completes a scene's relations from its geometry (DESIGN section 6).

What the source gives always wins; what is derived carries its provenance and confidence, and
a contradiction between the two is kept out and noted. Completing a completed graph derives
everything that was not given anew, so it gives the same graph until something moves.
"""

from __future__ import annotations

from fcp_ros.scene.graph.graph import Layer, Pose, Provenance, SceneGraph, SceneNode
from fcp_ros.scene.graph.labels import normalise_label
from fcp_ros.scene.relations.draft import PEOPLE, Draft, listed
from fcp_ros.scene.relations.options import DEFAULT_OPTIONS, RelationOptions
from fcp_ros.scene.relations.passages import connect_rooms
from fcp_ros.scene.relations.rooms import ensure_floors, ensure_rooms, locate_in_rooms
from fcp_ros.scene.shapes.boxes import boxes_of, containers_around, supports_below
from fcp_ros.scene.shapes.footprint import inner_point


def complete_relations(graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS) -> SceneGraph:
    """The graph with the relations that a planner needs.

    Adds ``on`` and ``inside`` from boxes, ``in_room`` and ``at``, ``connected`` both ways with a
    passage node for each adjacency without a door, one floor node a room, a room where there is
    none, and a robot where there is none. Derived relations that are already in the graph are
    derived anew; given ones are never changed.

    Args:
        graph: Any valid graph with at least one node.
        options: What to derive, and how exact geometry has to be.

    Returns:
        A new graph; its notes say what was assumed and what was contradictory.
    """
    draft = Draft(graph)
    ensure_rooms(draft)
    _ensure_robot(draft)
    _rest_things(draft, options)
    locate_in_rooms(draft)
    floors = ensure_floors(draft)
    _put_on_floors(draft, floors, options)
    connect_rooms(draft)
    return draft.finished()


def _ensure_robot(draft: Draft) -> None:
    agents = draft.in_layer(Layer.AGENT)
    if any(normalise_label(agent.category) not in PEOPLE for agent in agents):
        return
    room = draft.in_layer(Layer.ROOM)[0]
    id_ = draft.free_id("robot_1")
    if room.polygon and room.pose is not None:
        level = room.pose.position[2] - (room.height or 0.0) / 2.0
        pose = Pose((*inner_point(room.polygon), level))
        draft.nodes[id_] = SceneNode(id_, Layer.AGENT, "robot", pose=pose)
    else:
        draft.nodes[id_] = SceneNode(id_, Layer.AGENT, "robot", parents=(room.id,))
    draft.notes.append(f"the scene has no robot: {id_} was put in {room.id}")


def _rest_things(draft: Draft, options: RelationOptions) -> None:
    """``on`` and ``inside`` from boxes, for things whose place nobody gave."""
    given = {**draft.first_of("on"), **draft.first_of("inside")}
    held = {
        relation.elements[1]
        for relation in draft.relations.values()
        if relation.name == "holding" and len(relation.elements) == 2
    }
    apart = draft.passages() | set(draft.floors().values())
    boxes = boxes_of(node for node in draft.in_layer(Layer.OBJECT) if node.id not in apart)
    differing = []
    for name, found in (
        ("on", supports_below(boxes, options.resting)),
        ("inside", containers_around(boxes)),
    ):
        for item, holder in found.items():
            a, b = boxes.ids[item], boxes.ids[holder]
            if a in held:
                continue
            if a not in given:
                draft.relate(name, (a, b), Provenance.GEOMETRIC)
            elif name == "on" and given[a] != b:
                differing.append(f"{a} (given {given[a]}, drawn on {b})")
    if differing:
        draft.notes.append(
            f"the given support differs from the geometry and is kept: {listed(differing)}"
        )


def _put_on_floors(draft: Draft, floors: dict[str, str], options: RelationOptions) -> None:
    """What rests on nothing and is inside nothing stands on the floor of its room."""
    placed = set(draft.first_of("on")) | set(draft.first_of("inside"))
    for relation in draft.relations.values():
        if relation.name in ("holding", "part_of") and len(relation.elements) == 2:
            placed.add(relation.elements[relation.name == "holding"])
    room_of = draft.room_of()
    leave = draft.passages() | set(floors.values()) | placed
    hovering = []
    for node in draft.in_layer(Layer.OBJECT):
        floor = draft.nodes[floors[room_of[node.id]]] if node.id in room_of else None
        if node.id in leave or floor is None:
            continue
        gap = _height_above(node, floor)
        near = gap is not None and abs(gap) <= options.resting
        provenance = Provenance.GEOMETRIC if near else Provenance.INFERRED
        draft.relate("on", (node.id, floor.id), provenance)
        if gap is not None and gap > options.hovering:
            hovering.append(node.id)
    if hovering:
        draft.notes.append(
            f"nothing is known below {listed(hovering)}: taken to stand on the floor"
        )


def _height_above(node: SceneNode, floor: SceneNode) -> float | None:
    """How far (m) a box's bottom is above a floor's top; None where that is not known."""
    if node.pose is None or node.size is None or floor.pose is None or floor.size is None:
        return None
    top = floor.pose.position[2] + floor.size[2] / 2.0
    return node.pose.position[2] - node.size[2] / 2.0 - top
