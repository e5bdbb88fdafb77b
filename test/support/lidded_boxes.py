# SPDX-License-Identifier: Apache-2.0
"""Boxes with lids: closing a box makes dark what is inside (a conditional effect)."""

from pathlib import Path

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import load_domain
from fcp_ros.planning.model.plan import PlanStep

DOMAIN = load_domain(Path(__file__).parents[1] / "data" / "lidded_boxes.yaml")


def make_boxes(*facts):
    """Two boxes, a sock and a ball, both lit; and facts such as ("inside", "sock", "b1")."""
    builder = InstanceBuilder(DOMAIN.schema)
    elements = {"r1": "robot", "b1": "box", "b2": "box", "sock": "item", "ball": "item"}
    for name, type_ in elements.items():
        builder.add(type_, name)
    for relation, *names in (("awake", "r1"), *facts):
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def make_step(rule, *values):
    """A step of the domain."""
    names = DOMAIN.rules[rule].parameter_names
    return PlanStep(rule, tuple(zip(names, values, strict=True)), 1.0, 1.0, 1.0, rule)
