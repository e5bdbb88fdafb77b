# SPDX-License-Identifier: Apache-2.0
"""A home in which things are picked and placed: what the tests of composite rules share."""

from collections.abc import Callable
from typing import Any

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    Relation,
    Rule,
    Schema,
)
from fcp_ros.cset.instance.expressions import Operator, ValueOperation, ValueVariable

HOME = Schema(
    "home",
    {"robot": (), "item": (), "mug": ("item",), "place": ()},
    (),
    (
        Relation("on", (("item", "item"), ("place", "place")), ("item",)),
        Relation("holding", (("robot", "robot"), ("item", "item")), ("robot", "item")),
        Relation("clean", (("item", "item"),)),
        Relation("route", (("here", "place"), ("there", "place"))),
    ),
    (
        Attribute("level", "item", AttributeKind.INT),
        Attribute("length", "route", AttributeKind.FLOAT),
    ),
)
RXP, XP, X = (
    {"r": "robot", "x": "item", "p": "place"},
    {"x": "item", "p": "place"},
    {"x": "item"},
)
ON, HOLDS, CLEAN = ("on", "x", "p"), ("holding", "r", "x"), ("clean", "x")
HELD = ({"any": "item"}, [("holding", "r", "any")])
LEVEL = ("x", "level")
V = ValueVariable("v")
Make = Callable[..., Any]


def shown(instance: Instance) -> list[str]:
    """The tuples, and the elements without any, by names."""
    rows = [row for r in instance.schema.relations for row in instance.tuples(r.name)]
    met = {
        leg
        for r in instance.schema.relations
        for legs in instance.tuples(r.name).values()
        for leg in legs
    }
    alone = [instance.name_of(e) for e in instance.all_elements() if e not in met]
    return sorted([*alone, *map(instance.name_of, rows)])


def shared(first: Rule, second: Rule, **names: str) -> dict[int, int]:
    """The overlap by the names of elements."""
    return {first.R.id_of(ours): second.L.id_of(theirs) for ours, theirs in names.items()}


def pour(action: Make, **options: Any) -> Rule:
    """A rule that adds one to an item's level."""
    more = ValueOperation(Operator.ADD, (V, 1))
    made: Rule = action(HOME, "pour", X, reads={LEVEL: V}, sets={LEVEL: more}, **options)
    return made
