# SPDX-License-Identifier: Apache-2.0
"""The roles that nodes have by their label: floors, doors, robots, furniture on legs."""

from __future__ import annotations

from functools import lru_cache

from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.scene.graph.elements import Layer, SceneNode

FLOOR = "floor"
"""Category of the node that a room stands on."""

DOORS = frozenset(
    {"door", "doorway", "doorframe", "door frame", "sliding door", "front door"}
    | {"passage", "opening", "gate", "archway"}
)
"""Labels of objects that connect rooms rather than stand in one."""

PEOPLE = frozenset(
    {"person", "people", "human", "man", "woman", "child", "baby", "adult"}
    | {"animal", "pet", "cat", "dog"}
)
"""Labels of agents that are no robots."""

OPEN_BELOW = frozenset({"table", "desk", "stool", "workbench", "trestle"})
"""Labels of furniture on legs with a flat top; the last words of a label count."""


def is_floor(node: SceneNode) -> bool:
    """Return True if an object is labelled as a floor."""
    return node.layer is Layer.OBJECT and normalise_label(node.category) == FLOOR


def is_door(node: SceneNode) -> bool:
    """Return True if an object connects rooms, by its label."""
    return node.layer is Layer.OBJECT and normalise_label(node.category) in DOORS


def is_robot(node: SceneNode) -> bool:
    """Return True if a node is an agent that is no person and no animal."""
    return node.layer is Layer.AGENT and normalise_label(node.category) not in PEOPLE


@lru_cache(maxsize=16_384)
def stands_on_legs(category: str) -> bool:
    """Return True if things can stand in the lower half of such a box without being inside it."""
    return any(form in OPEN_BELOW for form in label_forms(category))
