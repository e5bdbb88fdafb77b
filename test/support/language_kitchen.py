# SPDX-License-Identifier: Apache-2.0
"""A small kitchen in the words of the household domain, for readers of instructions."""

from __future__ import annotations

from pathlib import Path

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import Domain, load_domain

HOUSEHOLD = Path(__file__).parents[2] / "config" / "domains" / "household.yaml"
ELEMENTS = {
    "robot_1": ("robot", "robot"),
    "person_1": ("person", "person"),
    "kitchen_1": ("room", "kitchen"),
    "table_1": ("table", "dining_table"),
    "counter_1": ("counter", "counter"),
    "mug_1": ("cup", "mug"),
    "mug_2": ("cup", "mug"),
    "apple_1": ("food", "apple"),
    "fridge_1": ("fridge", "fridge"),
    "milk_1": ("drink", "milk"),
}
FACTS = (
    ("at", "robot_1", "kitchen_1"),
    ("at", "person_1", "kitchen_1"),
    ("in_room", "table_1", "kitchen_1"),
    ("in_room", "counter_1", "kitchen_1"),
    ("in_room", "fridge_1", "kitchen_1"),
    ("on", "mug_1", "counter_1"),
    ("on", "mug_2", "table_1"),
    ("on", "apple_1", "counter_1"),
    ("inside", "milk_1", "fridge_1"),
    ("closed", "fridge_1"),
)


def build_kitchen(further: dict[str, tuple[str, str]] | None = None) -> tuple[Domain, Instance]:
    """The domain, and the kitchen with further elements (name -> type, category)."""
    domain = load_domain(HOUSEHOLD)
    builder = InstanceBuilder(domain.schema)
    for name, (type_, category) in {**ELEMENTS, **(further or {})}.items():
        builder.add(type_, name, {"category": category})
    for relation, *names in FACTS:
        builder.relate(relation, *map(builder.id_of, names))
    return domain, builder.build()
