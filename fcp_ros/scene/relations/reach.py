# SPDX-License-Identifier: Apache-2.0
"""The attribute ``reach`` of an object: the height from which it has to be fetched.

``enclosed`` if it is inside something closed (attribute is_open False), however deep; otherwise
by the height of its centre above the floor of its room: ``floor``, ``low``, ``comfortable``,
``high`` up to the four ``reach_heights``, and ``out_of_reach`` above. Things that are held, have no
position or no floor have no such attribute.

A derived value is marked by the attribute ``reach_from: geometry``; a value that the source gives
lacks the mark and is kept.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.relations.derivation import Derivation

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
