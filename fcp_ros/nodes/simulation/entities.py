# SPDX-License-Identifier: Apache-2.0
"""The entities of a simulator as changes of a scene graph; without ROS.

An entity is the node that carries its name in the attribute ``entity``; else the one whose id, or
whose id at its source, is that name, or ends it (``/World/Kitchen/mug_1``); else it is new. Nodes
that never were an entity (rooms, floors) stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.nodes.scene_graph.sightings import PLACING
from fcp_ros.scene.formats.source_graph import SOURCE_ID, to_identifier
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    Provenance,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import Transform, measure_turn
from fcp_ros.scene.live_matching import LiveOptions
from fcp_ros.scene.relations.draft_graph import choose_free_id

ENTITY = "entity"
"""Attribute of a node: its name in the simulator."""

HOLD_REACH = 1.5
"""Distance (m) from the middle of a robot to which a thing in its hand can be."""

_MOVING = frozenset({Layer.OBJECT, Layer.AGENT})
_STILL = LiveOptions()  # smaller moves would not change the graph anyway


@dataclass(frozen=True)
class Shape:
    """The box of an entity in its own frame."""

    centre: Vector  # m
    size: Vector  # Full extents, m


@dataclass(frozen=True)
class Entity:
    """An entity as the simulator describes it; what it doesn't tell is empty."""

    name: str
    pose: Pose  # Of its own frame, in the graph's
    category: str = ""
    layer: Layer | None = None
    shape: Shape | None = None
    attributes: Mapping[str, AttributeValue] | None = None

    def find_box_pose(self) -> Pose:
        """Return the pose of the middle of its box; its own where the box is unknown."""
        if self.shape is None:
            return self.pose
        place = Transform(self.pose.position, self.pose.orientation)
        return self.pose.with_position(place.transform_point(self.shape.centre))


def merge_entities(
    graph: SceneGraph | None,
    entities: Sequence[Entity],
    places: Iterable[SceneNode] = (),  # Rooms and places that the simulator names
    *,
    only_known: bool = False,  # True to leave out entities that the graph has no node for
) -> SceneDelta | None:
    """Compute the change after which a graph shows the entities; None for no change.

    A thing that moved loses the given relations that placed it, and a robot what lies out of its
    reach: these are derived again from where things are.
    """
    graph = graph or SceneGraph({})
    nodes = {node.id: node for node in places if node.id not in graph.nodes}
    ids = _find_ids(graph, entities)
    taken = {*graph.nodes, *nodes}
    for entity in entities:
        id_ = ids.get(entity.name)
        if id_ is None:
            if only_known:
                continue
            id_ = _choose_id(entity, taken)
            taken.add(id_)
            nodes[id_] = _make_node(entity, id_)
        elif (node := _update_node(entity, graph.nodes[id_])) != graph.nodes[id_]:
            nodes[id_] = node
    listed = {entity.name for entity in entities}
    removed = tuple(
        node.id
        for node in graph.nodes.values()
        if ENTITY in node.attributes and node.attributes[ENTITY] not in listed
    )
    if not nodes and not removed:
        return None
    return SceneDelta(
        graph.sequence + 1,
        upserted=tuple(nodes.values()),
        removed=removed,
        dropped=tuple(_find_outdated(graph, nodes, set(removed))),
    )


def _find_ids(graph: SceneGraph, entities: Iterable[Entity]) -> dict[str, str]:
    """Find the node of each entity that has one; no node gets two."""
    known = {
        str(node.attributes[ENTITY]): node.id
        for node in graph.nodes.values()
        if ENTITY in node.attributes
    }
    named: dict[str, str] = {}
    ambiguous = set()
    for node in graph.nodes.values():
        if ENTITY in node.attributes or node.layer not in _MOVING:
            continue
        for name in dict.fromkeys((node.id, str(node.attributes.get(SOURCE_ID, node.id)))):
            for key in dict.fromkeys((name, _last_part(name))):
                if named.setdefault(key, node.id) != node.id:
                    ambiguous.add(key)
    taken = set(known.values())
    found = {}
    for entity in entities:
        id_ = known.get(entity.name)
        for key in (entity.name, _last_part(entity.name)):
            if id_ is None and key not in ambiguous and named.get(key) not in taken:
                id_ = named.get(key)
        if id_ is not None:
            found[entity.name] = id_
            taken.add(id_)
    return found


def _last_part(name: str) -> str:
    """Return the last part of a path or a scoped name: ``/World/Mug``, ``house::Mug``."""
    return name.replace("::", "/").rstrip("/").rpartition("/")[2]


def _choose_id(entity: Entity, taken: set[str]) -> str:
    name = _last_part(entity.name)
    if name.isidentifier() and name.isascii() and name not in taken:
        return name
    return choose_free_id(to_identifier(entity.category or "object"), taken)


def _make_node(entity: Entity, id_: str) -> SceneNode:
    return SceneNode(
        id_,
        entity.layer or Layer.OBJECT,
        entity.category or "object",
        pose=entity.find_box_pose(),
        size=entity.shape.size if entity.shape else None,
        attributes={**(entity.attributes or {}), ENTITY: entity.name},
    )


def _update_node(entity: Entity, before: SceneNode) -> SceneNode:
    """Update a node by its entity; the name and category that the map gave it stay."""
    node = before
    if before.attributes.get(ENTITY) != entity.name:
        node = replace(before, attributes={**before.attributes, ENTITY: entity.name})
    if entity.shape is not None and before.size is None:
        node = replace(node, size=entity.shape.size)
    if before.layer in _MOVING and not _is_still(before.pose, entity.find_box_pose()):
        node = replace(node, pose=entity.find_box_pose(), parents=())
    return node


def _is_still(before: Pose | None, after: Pose) -> bool:
    return (
        before is not None
        and math.dist(before.position, after.position) <= _STILL.still
        and measure_turn(before.orientation, after.orientation) <= _STILL.still_turn
    )


def _find_outdated(
    graph: SceneGraph, nodes: Mapping[str, SceneNode], removed: set[str]
) -> Iterable[SceneRelation]:
    """Find given relations that say where a thing was before it moved."""
    moved = {id_ for id_, node in nodes.items() if _has_moved(graph.nodes.get(id_), node)}
    for relation in graph.relations if moved else ():
        if relation.provenance is not Provenance.GIVEN or removed & {*relation.elements}:
            continue
        first, *others = relation.elements
        if relation.name in PLACING or relation.name == "at":
            if first in moved:
                yield relation
        elif relation.name == "holding" and moved & {*relation.elements} and others:
            holder, item = (nodes.get(id_, graph.nodes[id_]) for id_ in (first, others[0]))
            if not _is_near(holder.pose, item.pose):
                yield relation


def _has_moved(before: SceneNode | None, after: SceneNode) -> bool:
    return before is not None and before.pose != after.pose


def _is_near(one: Pose | None, other: Pose | None) -> bool:
    return one is None or other is None or math.dist(one.position, other.position) <= HOLD_REACH
