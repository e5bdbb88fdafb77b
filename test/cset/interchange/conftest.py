# SPDX-License-Identifier: Apache-2.0
"""Random instances of a schema with everything in it, variables and awkward names included."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    InstanceBuilder,
    Relation,
    Schema,
)
from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.schema.symbols import PathEquation

FULL = Schema(
    "full house",
    {"thing": (), "mug": ("thing",), "place": ()},
    (Function("home", "thing", "place"), Function("near", "place", "place")),
    (
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("in", (("item", "thing"), ("place", "place")), static=True),
    ),
    (
        Attribute("colour", "thing", AttributeKind.ENUM, ("red", "blue")),
        Attribute("litres", "mug", AttributeKind.FLOAT),
        Attribute("clean", "mug", AttributeKind.BOOL),
        Attribute("label", "place", AttributeKind.STRING),
        Attribute("since", "on", AttributeKind.INT),
    ),
    (PathEquation("place", ("near", "near"), ("near",)),),
)

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=4)
VALUES = {
    AttributeKind.ENUM: st.sampled_from(["red", "blue"]),
    AttributeKind.FLOAT: st.floats(allow_nan=False, allow_infinity=False),
    AttributeKind.BOOL: st.booleans(),
    AttributeKind.STRING: st.text(st.characters(exclude_categories=("Cs",)), max_size=4),
    AttributeKind.INT: st.integers(),
}


@st.composite
def _full_instances(draw: st.DrawFn, variables: bool = True) -> Instance:
    builder = InstanceBuilder(FULL)
    names = draw(st.lists(TEXTS, min_size=1, max_size=5, unique=True))
    hub = builder.add("place", names[0])
    ids: dict[str, list[int]] = {"place": [hub], "thing": [], "mug": []}
    for name in names[1:]:
        type_ = draw(st.sampled_from(sorted(ids)))
        ids[type_].append(builder.add(type_, name))
    for place in ids["place"]:
        builder.set_function("near", place, hub)
    things = ids["thing"] + ids["mug"]
    for thing in things:
        builder.set_function("home", thing, draw(st.sampled_from(ids["place"])))
    rows = []
    for item in draw(st.sets(st.sampled_from(things))) if things else ():
        rows.append(builder.relate("on", item, draw(st.sampled_from(things))))
    for item, place in product(things, ids["place"]):
        if draw(st.booleans()):
            builder.relate("in", item, place)
    owned = [(id_, type_) for type_, found in ids.items() for id_ in found]
    for id_, type_ in [*owned, *((row, "on") for row in rows)]:
        for attribute in FULL.attributes_of(type_):
            choices = [st.none(), VALUES[attribute.kind]]
            if variables:
                choices.append(st.sampled_from([ValueVariable("x"), ValueVariable("y z")]))
            builder.set_attribute(id_, attribute.name, draw(st.one_of(*choices)))
    return builder.build()


@pytest.fixture(scope="session")
def full_schema() -> Schema:
    """Types and subtypes, functions, relations, attributes of all kinds, an equation."""
    return FULL


@pytest.fixture(scope="session")
def full_instances() -> Callable[..., st.SearchStrategy[Instance]]:
    """The strategy for instances of the full schema; `variables` allows attribute variables."""
    return _full_instances
