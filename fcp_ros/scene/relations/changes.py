# SPDX-License-Identifier: Apache-2.0
"""What a delta changes, as far as relations depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR, is_robot
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.stated import is_kept
from fcp_ros.scene.shapes.levels import centre_of_room

RelationKey = tuple[str, tuple[str, ...]]


_HOLDING_LEG = {"on": 1, "inside": 1, "part_of": 1, "holding": 0}
"""Which leg of a relation is what something else lies on or in, or belongs to."""


@dataclass(frozen=True)
class Change:
    """A delta, looked at from both sides.

    Attributes:
        nodes: (before, after) by id, where they differ; None for what is not there.
        relations: (before, after) by key, of what is given or not derived; None likewise.
        shapes: The ids of those nodes that differ in more than what relations do not depend on.
        touched: Keys of all relations that the delta names or that go with a node.
    """

    nodes: Mapping[str, tuple[SceneNode | None, SceneNode | None]]
    relations: Mapping[RelationKey, tuple[SceneRelation | None, SceneRelation | None]]
    shapes: frozenset[str]
    touched: frozenset[RelationKey]

    @staticmethod
    def of(
        before: SceneGraph, after: SceneGraph, delta: SceneDelta, options: RelationOptions
    ) -> Change:
        """The change by a delta that led from one graph to the other."""
        ids = dict.fromkeys(node.id for node in delta.upserted)
        touched = {relation.key for relation in (*delta.added, *delta.dropped)}
        for id_ in delta.removed:
            ids[id_] = None
            ids.update(dict.fromkeys(before.children_of(id_)))
            touched.update(relation.key for relation in before.relations_of(id_))
        nodes = {}
        for id_ in ids:
            was, now = before.nodes.get(id_), after.nodes.get(id_)
            if was is not now:
                nodes[id_] = was, now
        relations = {}
        for key in touched:
            old = _kept(before.relation(key[0], *key[1]), options)
            new = _kept(after.relation(key[0], *key[1]), options)
            if old != new:
                relations[key] = old, new
        shapes = frozenset(id_ for id_, (was, now) in nodes.items() if not same_shape(was, now))
        return Change(nodes, relations, shapes, frozenset(touched))

    def concerns_all(
        self, floors: Iterable[str], robots: set[str], options: RelationOptions
    ) -> str:
        """Why everything has to be derived anew; empty where the neighbourhood will do."""
        known_floors = set(floors)
        for id_, (was, now) in self.nodes.items():
            if Layer.ROOM in [node.layer for node in (was, now) if node is not None]:
                if not _same_room(was, now):
                    return f"the room {id_} came, went or changed its shape"
            elif (
                id_ in known_floors or (now is not None and now.parents and _may_be_floor(now))
            ) and not same_shape(was, now):
                return f"the floor {id_} came, went or changed its shape"
        for name, legs in self.touched:
            if name == "connected" and (name, legs) in self.relations:
                return f"a given connection changed: {name}({', '.join(legs)})"
            if name == "adjacent" and "adjacent" in options.also:
                return f"a relation between rooms changed: {name}({', '.join(legs)})"
        left = set(robots)
        for id_, (_, now) in self.nodes.items():
            left.discard(id_)
            if now is not None and is_robot(now):
                left.add(id_)
        return "" if left else "no robot is left"


def _may_be_floor(node: SceneNode) -> bool:
    """Whether a node is labelled floor; its parent may be a room."""
    return node.layer is Layer.OBJECT and normalise_label(node.category) == FLOOR


def descendants(raw: SceneGraph, change: Change) -> set[str]:
    """What is below nodes that came, went, or have other parents or another layer."""
    found: set[str] = set()
    waiting = [
        id_
        for id_, (was, now) in change.nodes.items()
        if was is not None
        and now is not None
        and (was.parents != now.parents or was.layer is not now.layer)
        and now.layer is not Layer.ROOM
    ]
    while waiting:
        for child in raw.children_of(waiting.pop()):
            if child not in found and raw.nodes[child].layer is not Layer.ROOM:
                found.add(child)
                waiting.append(child)
    return found


def with_dependents(raw: SceneGraph, ids: set[str]) -> set[str]:
    """These, and what they hold, carry or contain, however far up."""
    found, waiting = set(ids), list(ids)
    while waiting:
        id_ = waiting.pop()
        for relation in raw.relations_of(id_):
            leg = _HOLDING_LEG.get(relation.name)
            if leg is None or len(relation.elements) != 2 or relation.elements[leg] != id_:
                continue
            item = relation.elements[1 - leg]
            if item not in found:
                found.add(item)
                waiting.append(item)
    return found


def with_centre(room: SceneNode) -> SceneNode:
    """A room with the pose that completion gives it where it has none."""
    centre = centre_of_room(room) if room.pose is None else None
    if centre is None:
        return room
    return SceneNode(
        room.id,
        room.layer,
        room.category,
        pose=Pose(centre),
        size=room.size,
        polygon=room.polygon,
        height=room.height,
        attributes=room.attributes,
        parents=room.parents,
    )


def _kept(relation: SceneRelation | None, options: RelationOptions) -> SceneRelation | None:
    if relation is None or not is_kept(relation, options.derived):
        return None
    return relation


def _same_room(was: SceneNode | None, now: SceneNode | None) -> bool:
    return was is not None and now is not None and same_shape(with_centre(was), with_centre(now))


def same_shape(was: SceneNode | None, now: SceneNode | None) -> bool:
    """Whether all is the same that relations depend on: everything but attributes, for a thing."""
    return (
        was is not None
        and now is not None
        and was.layer is now.layer
        and was.pose == now.pose
        and was.size == now.size
        and was.polygon == now.polygon
        and was.height == now.height
        and (
            was.layer is Layer.ROOM or (was.parents == now.parents and was.category == now.category)
        )
    )
