# SPDX-License-Identifier: Apache-2.0
"""The roles that nodes have by their label: floors, doors, robots, and ways to hold things."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.scene.graph.elements import Layer, SceneNode

FLOOR = "floor"  # Category of the node that a room stands on
PASSAGE = "passage"  # Category of the node that joins two rooms without a door

DOORS = frozenset(
    {"door", "doorway", "doorframe", "door frame", "sliding door", "front door", "folding door"}
    | {"double door", "entrance door", "back door", "interior door", "exterior door"}
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

ROOMS = frozenset(
    {"room", "kitchen", "bathroom", "bedroom", "hallway", "hall", "corridor", "lobby", "office"}
    | {"garage", "toilet", "pantry", "staircase", "balcony", "terrace", "warehouse"}
)
"""Last words of labels that mean a room."""

BUILDINGS = frozenset({"building", "house", "apartment", "flat"})


def find_layer(category: str) -> Layer:
    """Find the layer that a label implies, for sources that know no layers."""
    label = normalise_label(category)
    if label == "robot" or label in PEOPLE:
        return Layer.AGENT
    if label in BUILDINGS:
        return Layer.BUILDING
    return Layer.ROOM if label.rpartition(" ")[2] in ROOMS else Layer.OBJECT


def is_floor(node: SceneNode) -> bool:
    return node.layer is Layer.OBJECT and normalise_label(node.category) == FLOOR


def is_door(node: SceneNode) -> bool:
    """Return True if an object connects rooms, by its label."""
    return node.layer is Layer.OBJECT and normalise_label(node.category) in DOORS


def is_robot(node: SceneNode) -> bool:
    """Return True if a node is an agent that is no person and no animal."""
    return node.layer is Layer.AGENT and normalise_label(node.category) not in PEOPLE


SEATS = frozenset(
    {"chair", "armchair", "recliner", "sofa", "couch", "loveseat", "settee", "futon", "bench"}
    | {"bed", "cot", "crib", "ottoman", "beanbag", "wheelchair", "hammock"}
)
"""Labels of furniture that carries things below the upper end of its box."""

SHELVES = frozenset(
    {"shelf", "shelves", "shelving", "shelving unit", "bookshelf", "bookcase", "book case"}
    | {"rack", "tv stand", "stand shelf", "bookrack", "etagere", "cart", "trolley", "laptop"}
)
"""Labels of what carries things within its box: on boards, on the keys of an open laptop."""

WALLS = frozenset({"wall", "ceiling", "pillar", "column", "beam"})
"""Labels of what holds a building up, where windows and lamps are built in."""

CURTAINS = frozenset({"curtain", "drape", "drapes", "blind", "blinds", "shutter", "shower curtain"})
"""Labels of what hangs in front of windows."""

BUILT_IN = frozenset(
    {"window", "windowpane", "skylight", "vent", "radiator", "range hood"}
    | {"ceiling lamp", "ceiling light", "ceiling fan", "chandelier", "wall lamp", "sconce"}
    | {"light switch", "switch", "outlet", "socket", "wall plug", "power outlet"}
    | {"smoke detector", "sprinkler", "shower head", "faucet", "tap"}
)
"""Labels of what belongs to walls and ceilings: it stands on nothing and contains nothing."""

MOUNTS = frozenset(
    {"hook", "coat hook", "rail", "towel rail", "towel rack", "towel holder", "towel bar", "rod"}
    | {"curtain rod", "hanger", "coat rack", "coat hanger", "peg", "clothesline"}
    | {"hand towel holder"}
)
"""Labels of what things hang on."""

HOLDERS = frozenset(
    {"paper holder", "toilet paper holder", "toilet paper hanger", "paper towel holder"}
    | {"paper roll holder", "kitchen roll holder"}
)
"""Labels of what a roll is put on: a person says that it is on the holder."""

MOUNTED = frozenset(
    {"tv", "television", "tv screen", "picture", "painting", "photo", "photograph", "poster"}
    | {"mirror", "wall clock", "clock", "wall decor", "whiteboard", "blackboard", "wall art"}
    | {"wall cabinet", "hanging cabinet", "magnet", "thermostat", "intercom", "calendar"}
    | {"picture frame", "tapestry", "air conditioner", "towel", "lamp shade"}
)
"""Labels of what often hangs: it is on something only if it touches that."""


class HoldingRole(IntEnum):
    """The way in which a box holds things, by its label.

    From ``MOUNT`` on it carries nothing by its box; from ``WALL`` on it belongs to the building.
    """

    PLAIN = 0
    LEGS = 1
    SEAT = 2
    SHELF = 3
    HOLDER = 4
    MOUNT = 5
    WALL = 6
    BUILT_IN = 7
    CURTAIN = 8


_ROLES = (
    (WALLS, HoldingRole.WALL),
    (CURTAINS, HoldingRole.CURTAIN),
    (BUILT_IN, HoldingRole.BUILT_IN),
    (HOLDERS, HoldingRole.HOLDER),
    (MOUNTS, HoldingRole.MOUNT),
    (OPEN_BELOW, HoldingRole.LEGS),
    (SEATS, HoldingRole.SEAT),
    (SHELVES, HoldingRole.SHELF),
)


@lru_cache(maxsize=16_384)
def find_holding_role(category: str) -> HoldingRole:
    """Find the way in which things with a label hold others; the longest known label counts."""
    for form in label_forms(category):
        for labels, role in _ROLES:
            if form in labels:
                return role
    return HoldingRole.PLAIN


@lru_cache(maxsize=16_384)
def is_often_mounted(category: str) -> bool:
    """Return True for labels of what hangs on walls, or belongs to them."""
    if find_holding_role(category) >= HoldingRole.WALL:
        return True
    return any(form in MOUNTED for form in label_forms(category))
