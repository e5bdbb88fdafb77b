# SPDX-License-Identifier: Apache-2.0
"""A schema with everything in it, its instances, and edits of them."""

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

RICH = Schema(
    "rich",
    {"thing": (), "box": ("thing",), "robot": ()},
    (Function("home", "robot", "box"),),
    (
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("near", (("who", "robot"), ("what", "thing"))),
        Relation("closed", (("what", "box"),)),
    ),
    (
        Attribute("colour", "thing", AttributeKind.ENUM, ("red", "blue")),
        Attribute("weight", "thing", AttributeKind.INT),
        Attribute("grip", "on", AttributeKind.INT),
    ),
)


@st.composite
def rich_instances(
    draw: st.DrawFn, most: int = 3, conflicts: bool = True, numbers: bool = False
) -> Instance:
    """Instances of RICH with at most so many things, boxes and robots of each kind.

    Args:
        draw: of hypothesis.
        most: how many things, and how many boxes.
        conflicts: whether functional legs may be broken, as in a pattern.
        numbers: whether things, and tuples of `on`, may have one.
    """
    builder = InstanceBuilder(RICH)
    colours = st.sampled_from([None, "red", "blue"])
    weights = st.sampled_from([None, 1, 2, 3] if numbers else [None])
    boxes, things = (
        [_add(builder, type_, draw(colours), draw(weights)) for _ in range(draw(counts))]
        for type_, counts in (("box", st.integers(1, most)), ("thing", st.integers(0, most)))
    )
    robots = []
    for _ in range(draw(st.integers(0, 1))):
        robots.append(builder.add("robot"))
        builder.set_function("home", robots[-1], draw(st.sampled_from(boxes)))
    items: set[int] = set()
    for relation, *legs in (
        ("on", boxes + things, boxes + things),
        ("near", robots, boxes + things),
        ("closed", boxes),
    ):
        for ids in draw(st.sets(st.sampled_from(sorted(product(*legs)) or [None]), max_size=4)):
            if ids is not None and (conflicts or relation != "on" or ids[0] not in items):
                row = builder.relate(str(relation), *ids)
                items.add(ids[0])
                if relation == "on":
                    builder.set_attribute(row, "grip", draw(weights))
    return builder.build(allow_conflicts=conflicts)


def _add(
    builder: InstanceBuilder, type_: str, colour: str | None, weight: int | None = None
) -> int:
    element = builder.add(type_)
    builder.set_attribute(element, "colour", colour)
    builder.set_attribute(element, "weight", weight)
    return element


@pytest.fixture(scope="session")
def instances() -> Callable[..., st.SearchStrategy[Instance]]:
    """The strategy for instances of the rich schema."""
    return rich_instances


@pytest.fixture(scope="session")
def part_of() -> Callable[..., Instance]:
    """Draws a part of an instance of the rich schema, so a pattern that has a match there."""

    def part(data: st.DataObject, state: Instance, most: int) -> Instance:
        builder = InstanceBuilder.of(state)
        while len(builder.build(allow_conflicts=True).all_elements()) > most:
            _remove_something(data, builder)
        for _ in range(data.draw(st.integers(0, 2))):
            _unrelate(data, builder)
        for thing in builder.build(allow_conflicts=True).elements("thing"):
            if data.draw(st.booleans()):
                builder.set_attribute(thing, "colour", None)
        return builder.build(allow_conflicts=True)

    return part


def _remove_something(data: st.DataObject, builder: InstanceBuilder) -> None:
    """Remove an element, and everything that refers to it."""
    state = builder.build(allow_conflicts=True)
    if not state.all_elements():
        return
    gone = {data.draw(st.sampled_from(state.all_elements()))}
    gone.update(r for r in state.elements("robot") if state.apply("home", r) in gone)
    for relation in RICH.relations:
        for legs in state.tuples(relation.name).values():
            if not gone.isdisjoint(legs):
                builder.unrelate(relation.name, *legs)
    for element in sorted(gone, key=state.elements("robot").__contains__, reverse=True):
        builder.remove(element)


def _unrelate(data: st.DataObject, builder: InstanceBuilder) -> None:
    state = builder.build(allow_conflicts=True)
    there = [(r.name, legs) for r in RICH.relations for legs in state.tuples(r.name).values()]
    if there:
        relation, gone = data.draw(st.sampled_from(there))
        builder.unrelate(relation, *gone)
