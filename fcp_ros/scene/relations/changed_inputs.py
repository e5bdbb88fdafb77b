# SPDX-License-Identifier: Apache-2.0
"""The changes of a delta that derived relations depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, RelationKey, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor, is_robot
from fcp_ros.scene.relations.draft_graph import is_kept
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.rooms import ensure_pose

_HOLDER_LEG = {"on": 1, "inside": 1, "part_of": 1, "holding": 0}
"""Position of the holder, or of the whole, among the legs of a relation."""


@dataclass(frozen=True)
class ChangedInputs:
    """The changed nodes and relations of a delta, before and after."""

    # (before, after) by id, where they differ; None for a node that is missing
    nodes: Mapping[str, tuple[SceneNode | None, SceneNode | None]]
    # (before, after) by key, for kept relations (see ``is_kept``); None likewise
    relations: Mapping[RelationKey, tuple[SceneRelation | None, SceneRelation | None]]
    shapes: frozenset[str]  # Ids of the nodes with a change that relations depend on
    # Keys of all relations that the delta names or that go with a node
    touched: frozenset[RelationKey]

    @staticmethod
    def of(
        before: SceneGraph, after: SceneGraph, delta: SceneDelta, options: RelationOptions
    ) -> ChangedInputs:
        """Collect the changes of a delta that led from one graph to the other."""
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
            old = _if_kept(before.relation(key[0], *key[1]), options)
            new = _if_kept(after.relation(key[0], *key[1]), options)
            if old != new:
                relations[key] = old, new
        shapes = [id_ for id_, (was, now) in nodes.items() if not _has_same_shape(was, now)]
        return ChangedInputs(nodes, relations, frozenset(shapes), frozenset(touched))

    def explain_full_derivation(self, floors: Iterable[str], robots: set[str]) -> str:
        """Return why everything must be derived again; "" if the neighbourhood is enough."""
        known_floors = set(floors)
        for id_, (was, now) in self.nodes.items():
            if Layer.ROOM in [node.layer for node in (was, now) if node is not None]:
                if not _is_same_room(was, now):
                    return f"the room {id_} came, went or changed its shape"
            elif (
                id_ in known_floors or (now is not None and now.parents and is_floor(now))
            ) and not _has_same_shape(was, now):
                return f"the floor {id_} came, went or changed its shape"
            elif id_ in self.shapes and any(node and is_door(node) for node in (was, now)):
                return f"the door {id_} came, went or changed its shape"
        for name, legs in self.touched:
            if name == "connected":
                return f"a connection changed: {name}({', '.join(legs)})"
        left = set(robots)
        for id_, (_, now) in self.nodes.items():
            left.discard(id_)
            if now is not None and is_robot(now):
                left.add(id_)
        return "" if left else "no robot is left"


def find_descendants(raw: SceneGraph, change: ChangedInputs) -> set[str]:
    """Find the nodes below nodes whose parents or layer changed, down to the next rooms."""
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


def add_dependents(raw: SceneGraph, ids: set[str]) -> set[str]:
    """Return these nodes and all that they hold, carry or contain, transitively."""
    found, waiting = set(ids), list(ids)
    while waiting:
        id_ = waiting.pop()
        for relation in raw.relations_of(id_):
            leg = _HOLDER_LEG.get(relation.name)
            if leg is None or len(relation.elements) != 2 or relation.elements[leg] != id_:
                continue
            item = relation.elements[1 - leg]
            if item not in found:
                found.add(item)
                waiting.append(item)
    return found


def _if_kept(relation: SceneRelation | None, options: RelationOptions) -> SceneRelation | None:
    if relation is None or not is_kept(relation, options.derived):
        return None
    return relation


def _is_same_room(was: SceneNode | None, now: SceneNode | None) -> bool:
    if was is None or now is None:
        return False
    return _has_same_shape(ensure_pose(was), ensure_pose(now))


def _has_same_shape(was: SceneNode | None, now: SceneNode | None) -> bool:
    """Return True if nothing changed that relations depend on; attributes do not count."""
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
