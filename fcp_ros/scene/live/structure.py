# SPDX-License-Identifier: Apache-2.0
"""Changes of rooms, passages, floors and agents, after which completion starts anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.roles import DOORS, FLOOR


def concerns_structure(
    delta: SceneDelta, nodes: Mapping[str, SceneNode], is_derived: Callable[[str], bool]
) -> bool:
    """Whether rooms, passages, floors or the number of agents change.

    Completion makes nodes for these (a room's floor, a passage, a robot), so that they are made
    anew and none stays behind.

    Args:
        delta: The change of what sources say.
        nodes: What they said before.
        is_derived: Whether completion made a node.
    """
    if any(relation.name == "connected" for relation in (*delta.added, *delta.dropped)):
        return True
    if any(id_ in nodes and _is_structural(nodes[id_]) for id_ in delta.removed):
        return True
    for node in delta.upserted:
        older = nodes.get(node.id)
        if older is None:
            if _is_structural(node) or is_derived(node.id):
                return True
        elif (_is_structural(node) or _is_structural(older)) and _shape(older) != _shape(node):
            return True
    return False


def _is_structural(node: SceneNode) -> bool:
    if node.layer is not Layer.OBJECT:
        return True
    label = normalise_label(node.category)
    return label == FLOOR or label in DOORS


def _shape(node: SceneNode) -> tuple[object, ...]:
    """What the structure depends on; an agent may go where it likes."""
    if node.layer is Layer.AGENT:
        return (node.layer, node.category)
    rest = (node.pose, node.size, node.polygon, node.height, node.parents)
    return (node.layer, node.category, *rest)
