# SPDX-License-Identifier: Apache-2.0
"""The entities of a simulator as changes of a scene graph; without ROS.

The box of a node need not be in the middle of its entity's frame: it stays where it is in that, by
the simulator's bounds, else as when the entity was first seen.

An entity is the node that carries its name in the attribute ``entity``; else the one whose id, or
whose id at its source, is that name, or ends it (``/World/Kitchen/mug_1``); else one of the same
category, in the same place, whose entity is gone: it has a new name; else it is new. Nodes that
never were an entity (rooms, floors) stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.foundation.wording import find_free_name
from fcp_ros.nodes.scene_graph.sightings import PLACING
from fcp_ros.nodes.simulation.calls import ENTITY
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
from fcp_ros.scene.live_matching import LiveOptions, associate

HOLD_REACH = 1.5
"""Distance (m) from the middle of a robot to which a thing in its hand can be, by default."""

FRAME_REACH = 0.05
"""Distance (m) from a box at which the origin of its entity's frame can be."""

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


class EntityFrames:
    """The places of the boxes of nodes in the frames of their entities."""

    def __init__(self) -> None:
        self._frames: dict[str, Transform] = {}  # By the name of the entity

    def find_box_pose(self, entity: Entity, node: SceneNode | None) -> Pose:
        """Return the pose of the box now; `node` is the present one, of an entity that has one."""
        place = Transform(entity.pose.position, entity.pose.orientation)
        frame = self._frames.get(entity.name)
        if frame is None:
            frame = self._frames[entity.name] = _find_frame(entity, node, place)
        both = place @ frame
        return Pose(both.translation, both.rotation)

    def keep(self, names: Iterable[str]) -> None:
        kept = set(names)
        self._frames = {name: frame for name, frame in self._frames.items() if name in kept}


def _find_frame(entity: Entity, node: SceneNode | None, place: Transform) -> Transform:
    if entity.shape is not None:
        return Transform(entity.shape.centre)
    if node is None or node.pose is None:
        return Transform()
    # A thing that is further off has been moved since the scene was written.
    reach = math.hypot(*(node.size or ())) / 2.0 + FRAME_REACH
    if math.dist(node.pose.position, entity.pose.position) > reach:
        return Transform()
    return place.inverse() @ Transform(node.pose.position, node.pose.orientation)


def merge_entities(
    graph: SceneGraph | None,
    entities: Sequence[Entity],
    places: Iterable[SceneNode] = (),  # Rooms and places that the simulator names
    frames: EntityFrames | None = None,  # What earlier calls have found out; changes
    *,
    only_known: bool = False,  # True to leave out entities that the graph has no node for
    hold_reach: float = HOLD_REACH,
) -> SceneDelta | None:
    """Compute the change after which a graph shows the entities; None for no change.

    A thing that moved loses the given relations that placed it, and a robot what lies out of its
    reach: these are derived again from where things are.
    """
    graph = graph or SceneGraph({})
    frames = frames or EntityFrames()
    frames.keep(entity.name for entity in entities)
    nodes = {node.id: node for node in places if node.id not in graph.nodes}
    ids = _find_ids(graph, entities)
    gone = _find_gone(graph, entities, ids)
    taken = {*graph.nodes, *nodes}
    for entity in entities:
        id_ = ids.get(entity.name)
        if id_ is None:
            if only_known:
                continue
            id_ = _choose_id(entity, taken)
            taken.add(id_)
            nodes[id_] = _make_node(entity, id_, frames.find_box_pose(entity, None))
            continue
        before = graph.nodes[id_]
        after = _update_node(entity, before, frames.find_box_pose(entity, before))
        if after != before:
            nodes[id_] = after
    if not nodes and not gone:
        return None
    return SceneDelta(
        graph.sequence + 1,
        upserted=tuple(nodes.values()),
        removed=tuple(gone),
        dropped=tuple(_find_outdated(graph, nodes, set(gone), hold_reach)),
    )


def _find_gone(graph: SceneGraph, entities: Sequence[Entity], ids: dict[str, str]) -> list[str]:
    """Return the nodes whose entities are gone; those with a new name are added to `ids`."""
    listed = {entity.name for entity in entities}
    went = [
        node
        for node in graph.nodes.values()
        if ENTITY in node.attributes and node.attributes[ENTITY] not in listed
    ]
    if not went:
        return []
    frames = EntityFrames()
    came = [
        _make_node(entity, entity.name, frames.find_box_pose(entity, None))
        for entity in entities
        if entity.name not in ids
    ]
    pairs = associate(went, came).pairs
    ids.update(pairs)
    return [node.id for node in went if node.id not in pairs.values()]


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
    return find_free_name(to_identifier(entity.category or "object"), taken)


def _make_node(entity: Entity, id_: str, pose: Pose) -> SceneNode:
    return SceneNode(
        id_,
        entity.layer or Layer.OBJECT,
        entity.category or "object",
        pose=pose,
        size=entity.shape.size if entity.shape else None,
        attributes={**(entity.attributes or {}), ENTITY: entity.name},
    )


def _update_node(entity: Entity, before: SceneNode, pose: Pose) -> SceneNode:
    """Update a node by its entity; the name and category that the map gave it stay."""
    node = before
    if before.attributes.get(ENTITY) != entity.name:
        node = replace(before, attributes={**before.attributes, ENTITY: entity.name})
    if entity.shape is not None and before.size is None:
        node = replace(node, size=entity.shape.size)
    if before.layer in _MOVING and not _is_still(before.pose, pose):
        node = replace(node, pose=pose, parents=())
    return node


def _is_still(before: Pose | None, after: Pose) -> bool:
    return (
        before is not None
        and math.dist(before.position, after.position) <= _STILL.still
        and measure_turn(before.orientation, after.orientation) <= _STILL.still_turn
    )


def _find_outdated(
    graph: SceneGraph, nodes: Mapping[str, SceneNode], removed: set[str], hold_reach: float
) -> Iterable[SceneRelation]:
    moved = {id_ for id_, node in nodes.items() if _has_moved(graph.nodes.get(id_), node)}
    for relation in graph.relations if moved else ():
        if relation.provenance is not Provenance.GIVEN or removed & {*relation.elements}:
            continue
        first, *others = relation.elements
        if relation.name in PLACING or relation.name == "at":
            if first in moved:
                yield relation
        elif relation.name == "holding" and moved & {*others}:
            # A robot that has moved alone is on its way: what it holds comes with the next look.
            holder, item = (nodes.get(id_, graph.nodes[id_]) for id_ in (first, others[0]))
            if holder.pose is None or item.pose is None:
                continue
            if math.dist(holder.pose.position, item.pose.position) > hold_reach:
                yield relation


def _has_moved(before: SceneNode | None, after: SceneNode) -> bool:
    return before is not None and before.pose != after.pose
