# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a small flat in the words of the household domain, and steps in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain.model import Domain
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.planning.model.plan import PlanStep


@pytest.fixture(scope="session")
def household(repository: Path) -> Domain:
    """The domain that comes with the package."""
    return load_domain(repository / "config" / "domains" / "household.yaml")


@pytest.fixture(scope="session")
def flat(household: Domain) -> Instance:
    """A kitchen with a table, a closed fridge and a router, a hall behind a door, and a robot."""
    builder = InstanceBuilder(household.schema)
    elements = {
        "room": ("kitchen", "hall"),
        "door": ("door_1",),
        "table": ("table_1",),
        "fridge": ("fridge_1",),
        "appliance": ("router_1",),
        "cup": ("mug_1", "mug_2"),
        "drink": ("milk_1",),
        "robot": ("robot_1",),
    }
    for type_, names in elements.items():
        for name in names:
            builder.add(type_, name)
    facts = [
        ("connected", "kitchen", "hall", "door_1"),
        ("connected", "hall", "kitchen", "door_1"),
        ("in_room", "table_1", "kitchen"),
        ("in_room", "fridge_1", "kitchen"),
        ("in_room", "router_1", "kitchen"),
        ("closed", "fridge_1"),
        ("on", "mug_1", "table_1"),
        ("on", "mug_2", "table_1"),
        ("inside", "milk_1", "fridge_1"),
        ("at", "robot_1", "hall"),
    ]
    for relation, *names in facts:
        builder.relate(relation, *(builder.id_of(name) for name in names))
    return builder.build()


@pytest.fixture(scope="session")
def step(household: Domain) -> Callable[..., PlanStep]:
    """Makes steps of the domain: `step("pick", "robot_1", "mug_1", "table_1", "kitchen")`."""

    def make(rule: str, *values: str, duration: float = 5.0) -> PlanStep:
        known = household.rules.get(rule)
        names = known.parameter_names if known else tuple(f"p{i}" for i in range(len(values)))
        executor = known.executor if known else rule
        return PlanStep(rule, tuple(zip(names, values, strict=False)), 1.0, 1.0, duration, executor)

    return make


@pytest.fixture
def fetch(step: Callable[..., PlanStep]) -> tuple[PlanStep, ...]:
    """From the hall into the kitchen, and the mug from the table to the router."""
    return (
        step("navigate", "robot_1", "hall", "kitchen", "door_1"),
        step("pick", "robot_1", "mug_1", "table_1", "kitchen"),
        step("place", "robot_1", "mug_1", "router_1", "kitchen"),
    )
