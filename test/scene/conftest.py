# SPDX-License-Identifier: Apache-2.0
"""Scenes, and a small schema with its mapping, that the tests of this folder share."""

from pathlib import Path

import pytest

from fcp_ros.cset import Attribute, AttributeKind, Relation, Schema
from fcp_ros.scene import AttributeFact, Layer, SceneGraph, SceneMapping, load_scene


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The scene files that belong to the tests."""
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def house_file(repository: Path) -> Path:
    """The twin house in the canonical format."""
    return repository / "config" / "scenes" / "twin_house.json"


@pytest.fixture(scope="session")
def house(house_file: Path) -> SceneGraph:
    """The twin house, completed."""
    return load_scene(house_file)


@pytest.fixture(scope="session")
def furnished(repository: Path) -> SceneGraph:
    """The furnished twin house, completed."""
    return load_scene(repository / "config" / "scenes" / "twin_house_furnished.json")


@pytest.fixture(scope="session")
def schema() -> Schema:
    """A household in small: what this layer needs, without any rules."""
    thing: tuple[str, ...] = ("thing",)
    return Schema(
        name="small_household",
        types={
            "thing": (),
            "room": thing,
            "agent": thing,
            "robot": ("agent",),
            "person": ("agent",),
            "fixture": thing,
            "item": thing,
            "passage": thing,
            "support": thing,
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


@pytest.fixture(scope="session")
def mapping() -> SceneMapping:
    """How scenes become instances of the small household."""
    surfaces = ("table", "counter", "couch", "floor", "tv stand")
    items = ("apple", "mug", "milk", "book", "glass", "bowl", "vase", "sponge", "laptop")
    return SceneMapping(
        labels={
            **dict.fromkeys(surfaces, "surface"),
            **dict.fromkeys(items, "item"),
            "refrigerator": "fridge",
            "sink": "container",
            "door": "passage",
            "passage": "passage",
            "person": "person",
            "robot": "robot",
            "tray": "tray",
        },
        layer_types={Layer.ROOM: "room", Layer.AGENT: "robot"},
        default_type="fixture",
        small_default_type="item",
        small_size=0.3,
        attribute_facts=(AttributeFact("is_open", False, "closed"),),
    )
