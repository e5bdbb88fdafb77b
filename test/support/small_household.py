# SPDX-License-Identifier: Apache-2.0
"""A household in small: a schema without any rules, and the mapping of scenes to it."""

from fcp_ros.cset import Attribute, AttributeKind, Relation, Schema
from fcp_ros.domain.scene_names import AttributeFact, SceneMapping

_THING: tuple[str, ...] = ("thing",)

SCHEMA = Schema(
    name="small_household",
    types={
        "thing": (),
        "room": _THING,
        "agent": _THING,
        "robot": ("agent",),
        "person": ("agent",),
        "fixture": _THING,
        "item": _THING,
        "passage": _THING,
        "support": _THING,
        "surface": ("support", "fixture"),
        "container": ("fixture",),
        "fridge": ("container", "support"),
        "tray": ("support", "item"),
    },
    functions=(),
    relations=(
        Relation("at", (("agent", "agent"), ("room", "room")), ("agent",)),
        Relation("holding", (("agent", "agent"), ("item", "item")), ("agent", "item")),
        Relation("on", (("item", "item"), ("support", "support")), ("item",)),
        Relation("inside", (("item", "item"), ("container", "container")), ("item",)),
        Relation("in_room", (("fixture", "fixture"), ("room", "room")), ("fixture",)),
        Relation("connected", (("from", "room"), ("to", "room"), ("passage", "passage"))),
        Relation("closed", (("openable", "container"),)),
    ),
    attributes=(
        Attribute("category", "thing", AttributeKind.STRING),
        Attribute("x", "thing", AttributeKind.FLOAT),
        Attribute("z", "thing", AttributeKind.FLOAT),
        Attribute("size_z", "thing", AttributeKind.FLOAT),
        Attribute("material", "item", AttributeKind.ENUM, ("glass", "steel")),
    ),
)


_SURFACES = ("table", "counter", "couch", "floor", "tv stand")
_ITEMS = ("apple", "mug", "milk", "book", "glass", "bowl", "vase", "sponge", "laptop")

MAPPING = SceneMapping(
    labels={
        **dict.fromkeys(_SURFACES, "surface"),
        **dict.fromkeys(_ITEMS, "item"),
        "refrigerator": "fridge",
        "sink": "container",
        "door": "passage",
        "passage": "passage",
        "person": "person",
        "robot": "robot",
        "tray": "tray",
    },
    layer_types={"room": "room", "agent": "robot"},
    default_type="fixture",
    small_default_type="item",
    small_size=0.3,
    attribute_facts=(AttributeFact("is_open", False, "closed"),),
)
