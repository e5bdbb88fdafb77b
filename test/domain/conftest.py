# SPDX-License-Identifier: Apache-2.0
"""The household domain and a small flat to act in."""

from pathlib import Path

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.yaml.domain_files import load_domain

HOUSEHOLD = Path(__file__).parents[2] / "config" / "domains" / "household.yaml"


@pytest.fixture(scope="session")
def household():
    return load_domain(HOUSEHOLD)


@pytest.fixture(scope="session")
def flat(household):
    """Kitchen and living room, a closed door from the hall, things of every kind."""
    builder = InstanceBuilder(household.schema)
    elements = [
        ("robot", "robot_1", "robot"),
        ("room", "kitchen_1", "kitchen"),
        ("room", "living_room_1", "living_room"),
        ("room", "hall_1", "hall"),
        ("passage", "arch_1", "archway"),
        ("door", "door_1", "door"),
        ("fridge", "fridge_1", "refrigerator"),
        ("counter", "counter_1", "counter"),
        ("table", "table_1", "dining_table"),
        ("floor", "kitchen_1_floor", "floor"),
        ("stove", "stove_1", "stove"),
        ("bin", "bin_1", "trash can"),
        ("lamp", "lamp_1", "lamp"),
        ("chair", "chair_1", "office chair"),
        ("book", "book_1", "book"),
        ("cup", "mug_1", "mug"),
        ("cup", "mug_2", "coffee mug"),
        ("drink", "milk_1", "milk"),
        ("cleaning_tool", "sponge_1", "sponge"),
        ("person", "anna", "woman"),
        ("cup", "O(3)", "glass"),
    ]
    ids = {
        name: builder.add(type_, name, {"category": category}) for type_, name, category in elements
    }
    facts = [
        ("at", "robot_1", "kitchen_1"),
        ("at", "anna", "living_room_1"),
        ("connected", "kitchen_1", "living_room_1", "arch_1"),
        ("connected", "living_room_1", "kitchen_1", "arch_1"),
        ("connected", "kitchen_1", "hall_1", "door_1"),
        ("connected", "hall_1", "kitchen_1", "door_1"),
        ("closed", "door_1"),
        ("in_room", "fridge_1", "kitchen_1"),
        ("in_room", "counter_1", "kitchen_1"),
        ("in_room", "kitchen_1_floor", "kitchen_1"),
        ("in_room", "stove_1", "kitchen_1"),
        ("in_room", "bin_1", "kitchen_1"),
        ("in_room", "table_1", "living_room_1"),
        ("closed", "fridge_1"),
        ("inside", "milk_1", "fridge_1"),
        ("on", "mug_1", "counter_1"),
        ("on", "mug_2", "table_1"),
        ("on", "O(3)", "counter_1"),
        ("on", "sponge_1", "counter_1"),
        ("on", "lamp_1", "counter_1"),
        ("on", "chair_1", "kitchen_1_floor"),
        ("on", "book_1", "chair_1"),
        ("dirty", "counter_1"),
    ]
    for relation, *names in facts:
        builder.relate(relation, *(ids[name] for name in names))
    return builder.build()
