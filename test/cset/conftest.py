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
from fcp_ros.cset.draft import Change

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
def edited() -> Callable[[st.DataObject, Instance], tuple[Instance, Change]]:
    """Draws some random edits of an instance of the rich schema; the next state, and the change."""

    def edit(
        data: st.DataObject, state: Instance, kinds: tuple[str, ...] = tuple(EDITS)
    ) -> tuple[Instance, Change]:
        builder = InstanceBuilder.of(state)
        for _ in range(data.draw(st.integers(1, 3))):
            EDITS[data.draw(st.sampled_from(kinds))](data, builder)
            # What is there is easiest to read from an instance.
            builder = InstanceBuilder.of(builder.build(allow_conflicts=True))
        result = builder.build(allow_conflicts=True)
        return result, change_between(state, result)

    return edit


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


def change_between(before: Instance, after: Instance) -> Change:
    """How two states differ that share their ids, found by comparing everything."""
    old, new = set(before.all_elements()), set(after.all_elements())
    # Not by state: two states are equal when a tuple was removed and added again, with a new id.
    there, here = (
        {
            (relation.name, row, legs)
            for relation in RICH.relations
            for row, legs in state.tuples(relation.name).items()
        }
        for state in (before, after)
    )
    homes = [
        ("home", robot)
        for robot in after.elements("robot")
        if robot not in old or after.apply("home", robot) != before.apply("home", robot)
    ]
    colours = [
        ("colour", thing)
        for thing in after.elements("thing")
        if after.attribute(thing, "colour") != before.attribute(thing, "colour")
    ]
    parts = map(
        tuple, map(sorted, (new - old, old - new, here - there, there - here, homes, colours))
    )
    return Change(*parts)


def _add_something(data: st.DataObject, builder: InstanceBuilder) -> None:
    type_ = data.draw(st.sampled_from(["thing", "box", "robot"]))
    boxes = builder.build(allow_conflicts=True).elements("box")
    if type_ == "robot" and boxes:
        builder.set_function("home", builder.add("robot"), data.draw(st.sampled_from(boxes)))
    elif type_ != "robot":
        _add(builder, type_, data.draw(st.sampled_from([None, "red", "blue"])))


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


def _relate(data: st.DataObject, builder: InstanceBuilder) -> None:
    state = builder.build(allow_conflicts=True)
    relation = data.draw(st.sampled_from(RICH.relations))
    legs = [state.elements(type_) for _, type_ in relation.legs]
    if all(legs):
        builder.relate(relation.name, *(data.draw(st.sampled_from(leg)) for leg in legs))


def _unrelate(data: st.DataObject, builder: InstanceBuilder) -> None:
    state = builder.build(allow_conflicts=True)
    there = [(r.name, legs) for r in RICH.relations for legs in state.tuples(r.name).values()]
    if there:
        relation, gone = data.draw(st.sampled_from(there))
        builder.unrelate(relation, *gone)


def _paint(data: st.DataObject, builder: InstanceBuilder) -> None:
    things = builder.build(allow_conflicts=True).elements("thing")
    if things:
        colour = data.draw(st.sampled_from([None, "red", "blue"]))
        builder.set_attribute(data.draw(st.sampled_from(things)), "colour", colour)


def _move_home(data: st.DataObject, builder: InstanceBuilder) -> None:
    robots, boxes = (
        builder.build(allow_conflicts=True).elements("robot"),
        builder.build(allow_conflicts=True).elements("box"),
    )
    if robots and boxes:
        builder.set_function("home", robots[0], data.draw(st.sampled_from(boxes)))


def _merge(data: st.DataObject, builder: InstanceBuilder) -> None:
    state = builder.build(allow_conflicts=True)
    pairs = [
        (keep, gone)
        for keep in state.all_elements()
        for gone in state.elements(state.type_of(keep), subtypes=False)
        if keep != gone
    ]
    if pairs:
        builder.merge(*data.draw(st.sampled_from(pairs)))


EDITS = {
    "add": _add_something,
    "remove": _remove_something,
    "relate": _relate,
    "unrelate": _unrelate,
    "paint": _paint,
    "move": _move_home,
    "merge": _merge,
}
