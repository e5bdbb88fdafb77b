# SPDX-License-Identifier: Apache-2.0
"""Maps of schemas of all sorts, and random instances of their schemas."""

from collections.abc import Callable, Mapping

import pytest
from example_graphs import GRAPH
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
from fcp_ros.cset.migration.schema_map import RelationImage, SchemaMap
from fcp_ros.cset.schema.symbols import PathEquation

DDS = Schema("dynamical systems", {"X": ()}, (Function("phi", "X", "X"),))

REFLEXIVE = Schema(
    "reflexive graphs",
    {"V": (), "E": ()},
    (*GRAPH.functions, Function("refl", "V", "E")),
    equations=(PathEquation("V", ("refl", "src"), ()), PathEquation("V", ("refl", "tgt"), ())),
)

SETS = Schema("sets", {"X": ()})

SIMPLE = Schema("simple graphs", {"V": ()}, (), (Relation("arrow", (("from", "V"), ("to", "V"))),))

# The words of a robot, and those of the people of the house.
ROBOT = Schema(
    "robot",
    {"thing": (), "mug": ("thing",), "furniture": (), "room": ()},
    (Function("stands_in", "furniture", "room"),),
    (
        Relation("on", (("item", "thing"), ("support", "furniture")), ("item",)),
        Relation("in_room", (("item", "thing"), ("room", "room"))),
    ),
    (
        Attribute("colour", "thing", AttributeKind.ENUM, ("red", "white")),
        Attribute("height", "furniture", AttributeKind.FLOAT),
        Attribute("sure", "on", AttributeKind.BOOL),
    ),
)
HOUSE = Schema(
    "house",
    {"article": (), "vessel": ("article",), "surface": (), "zone": (), "person": ()},
    (Function("zone_of", "surface", "zone"), Function("owner", "article", "person")),
    (Relation("placement", (("what", "article"), ("where", "surface")), ("what",)),),
    (
        Attribute("tint", "article", AttributeKind.ENUM, ("red", "white")),
        Attribute("level", "surface", AttributeKind.FLOAT),
        Attribute("seen", "placement", AttributeKind.BOOL),
    ),
)

HOUSEHOLD = SchemaMap(
    ROBOT,
    HOUSE,
    {"thing": "article", "mug": "vessel", "furniture": "surface", "room": "zone"},
    {"stands_in": "zone_of"},
    {
        "on": RelationImage("placement", {"item": "what", "support": "where"}),
        "in_room": RelationImage("placement", {"item": "what", "room": "where.zone_of"}),
    },
    {"thing.colour": "tint", "furniture.height": "level", "on.sure": "seen"},
)

MAPS = {
    "graphs to dynamical systems": SchemaMap(
        GRAPH, DDS, {"V": "X", "E": "X"}, {"src": "", "tgt": "phi"}
    ),
    "graphs to reflexive graphs": SchemaMap(GRAPH, REFLEXIVE),
    "graphs to sets": SchemaMap(GRAPH, SETS, {"V": "X", "E": "X"}, {"src": (), "tgt": ()}),
    "sets to graphs": SchemaMap(SETS, GRAPH, {"X": "V"}),
    "graphs to simple graphs": SchemaMap(
        GRAPH, SIMPLE, {"E": "arrow"}, {"src": "from", "tgt": "to"}
    ),
    "simple graphs to graphs": SchemaMap(
        SIMPLE, GRAPH, relations={"arrow": RelationImage("E", {"from": "src", "to": "tgt"})}
    ),
    "household": HOUSEHOLD,
}


@st.composite
def _instances(draw: st.DrawFn, schema: Schema, most: int = 2) -> Instance:
    """Instances with at most so many elements of each type; free of broken functional legs."""
    if schema == REFLEXIVE:
        return draw(_reflexive_graphs(most))
    builder = InstanceBuilder(schema)
    ids = {
        type_: [builder.add(type_) for _ in range(draw(st.integers(0, most)))]
        for type_ in schema.types
    }
    members: dict[str, list[int]] = {
        type_: [e for sub in schema.subtypes(type_) for e in ids.get(sub, ())]
        for type_ in schema.types
    }
    for type_, elements in ids.items():
        for function in schema.functions_of(type_):
            for element in elements:
                if not members[function.target]:
                    members[function.target].append(_fresh(builder, schema, function.target))
                value = draw(st.sampled_from(members[function.target]))
                builder.set_function(function.name, element, value)
    for type_, elements in ids.items():
        for element in elements:
            _set_attributes(draw, builder, schema, type_, element)
    for relation in schema.relations:
        columns = [members[type_] for _, type_ in relation.legs]
        taken: set[tuple[int, int]] = set()
        for _ in range(draw(st.integers(0, most)) if all(columns) else 0):
            legs = tuple(draw(st.sampled_from(column)) for column in columns)
            keys = {(p, legs[p]) for p in map(relation.position, relation.functional)}
            if not keys & taken:
                taken |= keys
                row = builder.relate(relation.name, *legs)
                _set_attributes(draw, builder, schema, relation.name, row)
    return builder.build()


def _fresh(builder: InstanceBuilder, schema: Schema, type_: str) -> int:
    """An element without functions, for one that lacks a value."""
    assert not schema.functions_of(type_), "write another strategy for this schema"
    return builder.add(type_)


def _set_attributes(
    draw: st.DrawFn, builder: InstanceBuilder, schema: Schema, type_: str, id_: int
) -> None:
    values = {
        AttributeKind.BOOL: (True, False),
        AttributeKind.FLOAT: (0.5, 1.5),
    }
    for attribute in schema.attributes_of(type_):
        choices = attribute.values or values[attribute.kind]
        builder.set_attribute(id_, attribute.name, draw(st.sampled_from([None, *choices])))


@st.composite
def _reflexive_graphs(draw: st.DrawFn, most: int) -> Instance:
    builder = InstanceBuilder(REFLEXIVE)
    vertices = [builder.add("V") for _ in range(draw(st.integers(0, most)))]
    for vertex in vertices:
        loop = builder.add("E")
        builder.set_function("refl", vertex, loop)
        builder.set_function("src", loop, vertex)
        builder.set_function("tgt", loop, vertex)
    for _ in range(draw(st.integers(0, most)) if vertices else 0):
        edge = builder.add("E")
        for end in ("src", "tgt"):
            builder.set_function(end, edge, draw(st.sampled_from(vertices)))
    return builder.build()


@pytest.fixture(scope="session")
def instances() -> Callable[..., st.SearchStrategy[Instance]]:
    """The strategy for instances of a schema."""
    return _instances


@pytest.fixture(scope="session")
def maps() -> Mapping[str, SchemaMap]:
    """Maps of schemas by what they say in what."""
    return MAPS


@pytest.fixture(scope="session")
def household() -> SchemaMap:
    """From the words of the robot to those of the people of the house."""
    return HOUSEHOLD
