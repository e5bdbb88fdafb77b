# SPDX-License-Identifier: Apache-2.0
"""Completes a scene's relations from its geometry (DESIGN section 6).

What the source gives always wins; what is derived carries its provenance and confidence, and
a contradiction between the two is kept out and noted. Completing a completed graph derives
everything that was not given anew, so it gives the same graph until something moves.

Confidence of a derived relation: 0.5 + 0.5 * clearness, where clearness in [0, 1] says how far
the geometry is from the limits of the relation's condition (each relation's file has the
formula). A relation that follows from a chain of others is as sure as the least sure of them.
What is only assumed has 0.5 (provenance inferred), what the hierarchy says 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_robot
from fcp_ros.scene.relations.adjacency import adjacent_rooms
from fcp_ros.scene.relations.conflicts import (
    RelationConflict,
    conflict_notes,
    distance_conflicts,
    room_conflicts,
    support_conflicts,
)
from fcp_ros.scene.relations.derivation import ASSUMED, Derivation
from fcp_ros.scene.relations.draft import Draft
from fcp_ros.scene.relations.found import Found
from fcp_ros.scene.relations.holders import Surroundings
from fcp_ros.scene.relations.nearness import all_nearest, both_ways
from fcp_ros.scene.relations.options import DEFAULT_OPTIONS, RelationOptions
from fcp_ros.scene.relations.passages import connect_rooms
from fcp_ros.scene.relations.placing import place_boxes
from fcp_ros.scene.relations.reach import with_reach
from fcp_ros.scene.relations.room_finder import RoomFinder
from fcp_ros.scene.relations.rooms import ensure_floors, ensure_rooms
from fcp_ros.scene.relations.stated import Stated
from fcp_ros.scene.shapes.boxes import Boxes, build_boxes
from fcp_ros.scene.shapes.polygons import inner_point


@dataclass(frozen=True)
class Completion:
    """A completed graph and how it came about.

    Attributes:
        graph: The completed graph; its notes summarise the conflicts.
        conflicts: Given relations that the geometry speaks against, one by one.
        derivation: What was derived for each thing.
        boxes: The boxes of all things, in the graph's order.
        nearest: What each box is near by itself, by number; none unless asked for.
    """

    graph: SceneGraph
    conflicts: tuple[RelationConflict, ...]
    derivation: Derivation
    boxes: Boxes
    nearest: Found


def complete_relations(graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS) -> SceneGraph:
    """The graph with the relations that a planner needs.

    Adds ``on`` and ``inside`` from boxes, ``in_room`` and ``at``, ``connected`` both ways with a
    passage node for each adjacency without a door, one floor node a room, a room where there is
    none, and a robot where there is none; what ``options.also`` names besides. Derived relations
    that are already in the graph are derived anew; given ones are never changed.

    Args:
        graph: Any valid graph with at least one node.
        options: What to derive, and how exact geometry has to be.

    Returns:
        A new graph; its notes say what was assumed and what was contradictory.
    """
    return complete(graph, options).graph


def complete(graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS) -> Completion:
    """``complete_relations``, with the conflicts one by one."""
    with pause_garbage_collection(), np.errstate(over="ignore", invalid="ignore"):
        return _completed(graph, options)


def _completed(graph: SceneGraph, options: RelationOptions) -> Completion:
    draft = Draft(graph, options.derived)
    ensure_rooms(draft)
    _ensure_robot(draft)
    stated = Stated(draft.relations.values())
    rooms = draft.in_layer(Layer.ROOM)
    finder = RoomFinder(rooms, options.clear)
    passages, floors = draft.passages(), draft.floors()
    around = Surroundings(rooms, finder, floors, passages | set(floors.values()))
    derivation = Derivation(draft.nodes, stated, around, options)
    boxes = build_boxes(filter(derivation.is_thing, draft.nodes.values()))
    for name, found in place_boxes(boxes, options).items():
        derivation.take(name, found, boxes.ids)
    things = list(draft.nodes)
    containing = derivation.derive_rooms(things)
    conflicts = (
        *support_conflicts(derivation),
        *distance_conflicts(draft.relations.values(), boxes, options.hovering),
        *room_conflicts(derivation, containing),
    )
    draft.notes += conflict_notes(conflicts)
    room_of = {id_: place.holder for id_, place in derivation.room_of.items()}
    floors = ensure_floors(draft, room_of)
    derivation.around = around._replace(floors=floors, apart=passages | set(floors.values()))
    _note_doubtful(draft, derivation, derivation.derive_floors(room_of))
    draft.relate_all(derivation.relations())
    for room, floor in floors.items():
        draft.relate(SceneRelation("in_room", (floor, room), ASSUMED, Provenance.INFERRED))
    nearest = _add_extras(draft, derivation, boxes)
    passages = connect_rooms(draft, passages, finder, options)
    derivation.around = derivation.around._replace(apart=passages | set(floors.values()))
    return Completion(draft.finished(), conflicts, derivation, boxes, nearest)


def _ensure_robot(draft: Draft) -> None:
    if any(is_robot(agent) for agent in draft.in_layer(Layer.AGENT)):
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


def _note_doubtful(draft: Draft, derivation: Derivation, hovering: list[str]) -> None:
    if hovering:
        draft.notes.append(
            f"nothing is known below {list_names(hovering)}: taken to stand on the floor"
        )
    lost = [
        node.id
        for node in draft.nodes.values()
        if derivation.is_located(node) and node.id not in derivation.room_of
    ]
    if lost:
        draft.notes.append(f"the room of {list_names(lost)} is not known")


def _add_extras(draft: Draft, derivation: Derivation, boxes: Boxes) -> Found:
    """What is derived on request only; what each box is near by itself."""
    options = derivation.options
    nearest = Found.none()
    if "near" in options.also:
        nearest = all_nearest(boxes, options)
        draft.relate_all(
            _near_relations(both_ways(nearest, len(boxes.ids), options.near_most), boxes)
        )
    if "adjacent" in options.also:
        draft.relate_all(adjacent_rooms(derivation.around.rooms, options))
    if "reach" in options.also:
        for node in draft.in_layer(Layer.OBJECT):
            draft.nodes[node.id] = with_reach(node, derivation)
    return nearest


def _near_relations(found: Found, boxes: Boxes) -> list[SceneRelation]:
    name_of = boxes.ids.__getitem__
    legs = zip(map(name_of, found.item.tolist()), map(name_of, found.other.tolist()), strict=True)
    return [
        SceneRelation("near", pair, confidence, Provenance.GEOMETRIC)
        for pair, confidence in zip(legs, found.confidence.tolist(), strict=True)
    ]
