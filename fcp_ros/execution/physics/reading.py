# SPDX-License-Identifier: Apache-2.0
"""The state of a physics world as a scene graph: what is where, measured, not remembered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from fcp_ros.execution.physics.arena import FLOOR, Arena
from fcp_ros.scene.graph.elements import Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

_PLACES = ("on", "inside", "holding", "in_room", "at")
"""Relations that say where things that move are."""
_STATES = ("closed", "dirty", "switched_on")
OPEN = "is_open"
_ATTRIBUTES = {"is_dirty": "dirty", "is_on": "switched_on"}


def read_graph(
    graph: SceneGraph, arena: Arena, dirty: Collection[str], switched_on: Collection[str]
) -> SceneGraph:
    """Return a graph with the poses and relations that hold in a world.

    `dirty`, `switched_on`: ids of the things of which that is true; no pose shows it.
    """
    states = {"dirty": dirty, "switched_on": switched_on}
    moving = {*arena.movable, *arena.rigs} & graph.nodes.keys()
    rooms = {id_: _find_room(arena, id_) for id_ in moving}
    nodes: dict[str, SceneNode] = {}
    for id_, node in graph.nodes.items():
        if id_ in moving:
            node = _move_node(node, arena, rooms[id_])
        nodes[id_] = _set_states(node, arena, states)
    relations = [r for r in graph.relations if not _is_outdated(r, moving)]
    relations += _list_places(graph, arena, moving, rooms)
    relations += _list_states(nodes, arena, states)
    return replace(graph, nodes=nodes, relations=tuple(relations))


def _find_room(arena: Arena, id_: str) -> str | None:
    x, y, _ = arena.pose(id_).position
    return arena.find_room(x, y)


def _move_node(node: SceneNode, arena: Arena, room: str | None) -> SceneNode:
    pose = arena.pose(node.id)
    if node.id in arena.rigs:
        # A robot's node is at the middle of its box, as in the scene that it came from.
        x, y, _ = pose.position
        z = pose.position[2] if node.pose is None else node.pose.position[2]
        pose = Pose((x, y, z), pose.orientation)
    parents = (room,) if room is not None else node.parents
    size = node.size if node.size is not None or node.id in arena.rigs else arena.body(node.id).size
    return replace(node, pose=pose, size=size, parents=parents)


def _set_states(node: SceneNode, arena: Arena, states: dict[str, Collection[str]]) -> SceneNode:
    attributes = dict(node.attributes)
    if OPEN in attributes and node.id in arena.layout.bodies and arena.has_hinge(node.id):
        attributes[OPEN] = not arena.is_closed(node.id)
    for attribute, state in _ATTRIBUTES.items():
        if attribute in attributes:
            attributes[attribute] = node.id in states[state]
    return node if attributes == dict(node.attributes) else replace(node, attributes=attributes)


def _is_outdated(relation: SceneRelation, moving: set[str]) -> bool:
    if relation.name in _STATES:
        return len(relation.elements) == 1
    item = relation.elements[1 if relation.name == "holding" else 0]
    return relation.name in _PLACES and item in moving


def _list_places(
    graph: SceneGraph, arena: Arena, moving: set[str], rooms: dict[str, str | None]
) -> list[SceneRelation]:
    floors = {room: floor for floor, room in arena.layout.floors.items()}
    found = []
    for id_ in (one for one in graph.nodes if one in moving):
        room = rooms[id_]
        if id_ in arena.rigs:
            found += [SceneRelation("at", (id_, room))] if room is not None else []
            continue
        if room is not None:
            found.append(SceneRelation("in_room", (id_, room)))
        holder = arena.find_holder(id_)
        if holder is not None:
            found.append(SceneRelation("holding", (holder, id_)))
            continue
        support = arena.find_support(id_)
        if support is None:
            continue
        under = floors.get(room or "") if support.body == FLOOR else support.body
        if under is not None and under in graph.nodes:
            name = "inside" if support.is_inside else "on"
            found.append(SceneRelation(name, (id_, under)))
    return found


def _list_states(
    nodes: dict[str, SceneNode], arena: Arena, states: dict[str, Collection[str]]
) -> list[SceneRelation]:
    """List states as relations, where no attribute of the node says them."""
    found = []
    for id_, node in nodes.items():
        if OPEN not in node.attributes and id_ in arena.layout.bodies and arena.is_closed(id_):
            found.append(SceneRelation("closed", (id_,)))
        for attribute, state in _ATTRIBUTES.items():
            if attribute not in node.attributes and id_ in states[state]:
                found.append(SceneRelation(state, (id_,)))
    return found
