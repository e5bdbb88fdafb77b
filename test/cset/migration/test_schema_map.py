# SPDX-License-Identifier: Apache-2.0
"""Maps of schemas: what is left out, what is refused, how they compose."""

import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from example_graphs import GRAPH

from fcp_ros.cset import Attribute, AttributeKind, Function, Relation, Schema
from fcp_ros.cset.migration.images import AttributeImage, MigrationError
from fcp_ros.cset.migration.schema_map import RelationImage, SchemaMap
from fcp_ros.cset.schema.symbols import PathEquation

WORDS = Schema(
    "words",
    {"thing": (), "mug": ("thing",), "room": ()},
    (Function("home", "thing", "room"), Function("best", "room", "thing")),
    (Relation("on", (("item", "thing"), ("support", "thing"))),),
    (
        Attribute("colour", "thing", AttributeKind.STRING),
        Attribute("size", "on", AttributeKind.INT),
    ),
)


def test_what_is_not_listed_keeps_its_name() -> None:
    same = SchemaMap(WORDS, WORDS)
    assert same.types == {"thing": "thing", "mug": "mug", "room": "room"}
    assert same.functions == {"home": ("home",), "best": ("best",)}
    assert same.relations == {
        "on": RelationImage("on", {"item": ("item",), "support": ("support",)})
    }
    assert same.attributes == {
        ("thing", "colour"): AttributeImage((), "colour"),
        ("on", "size"): AttributeImage((), "size"),
    }
    assert same == SchemaMap(WORDS, WORDS, functions={"home": "home"})
    assert hash(same) == hash(SchemaMap(WORDS, WORDS))
    assert pickle.loads(pickle.dumps(same)) == same


def test_paths_may_be_written_with_dots() -> None:
    written = SchemaMap(
        WORDS,
        WORDS,
        functions={"home": "home.best.home"},
        relations={"on": RelationImage("on", {"item": "support.home.best"})},
        attributes={"thing.colour": "home.best.colour", ("on", "size"): None},
    )
    assert written.functions["home"] == ("home", "best", "home")
    path = written.path("on", ("item", "home"))
    assert ".".join(path) == "support.home.best.home.best.home"
    assert written.attributes["thing", "colour"] == AttributeImage(("home", "best"), "colour")
    assert written.attributes["on", "size"] is None


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"types": {"mog": "mug"}}, "no type 'mog' in schema 'words'; did you mean 'mug'?"),
        ({"functions": {"hme": "home"}}, "no function 'hme' in schema 'words'"),
        ({"relations": {"onn": "on"}}, "no relation 'onn' in schema 'words'"),
        ({"relations": {"on": RelationImage("on", {"itm": ""})}}, "no leg 'itm' in relation 'on'"),
        ({"attributes": {"thing.color": "colour"}}, "no attribute 'thing.color' in schema 'words'"),
        ({"types": {"mug": "mog"}}, "type 'mug' goes to no type 'mog' in schema 'words'"),
        ({"types": {"mug": "room"}}, "'mug' is_a 'thing', but its image 'room' is no 'thing'"),
        ({"types": {"thing": "mug"}}, "to path 'room.best', which ends in 'thing'; it must end in"),
        (
            {"functions": {"home": ""}},
            "goes to path 'thing', which ends in 'thing'; it must end in",
        ),
        ({"functions": {"home": "home.hme"}}, "function 'home': no function 'hme' in type 'room'"),
        ({"relations": {"on": "under"}}, "relation 'on' goes to no type 'under'"),
        ({"relations": {"on": "room"}}, "leg 'item' of relation 'on': no function 'item' in type"),
        (
            {"relations": {"on": RelationImage("on", {"item": "item.home"})}},
            "leg 'item' of relation 'on' goes to path 'on.item.home', which ends in 'room'",
        ),
        ({"attributes": {"thing.colour": "home.colour"}}, "no attribute 'colour' in type 'room'"),
        (
            {"relations": {"on": RelationImage("on")}, "attributes": {"on.size": "item.colour"}},
            "'size' of 'on' has values of kind int, but 'colour' of 'thing' of kind string",
        ),
    ],
)
def test_what_is_no_functor_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(MigrationError) as caught:
        SchemaMap(WORDS, WORDS, **parts)
    assert message in str(caught.value)


def test_equations_are_proven_refused_or_left_to_the_results() -> None:
    functions = (Function("f", "X", "X"),)
    period = Schema("period 3", {"X": ()}, functions, equations=(
        PathEquation("X", ("f", "f", "f"), ()),
    ))  # fmt: skip
    steady = Schema("idempotent", {"X": ()}, functions, equations=(
        PathEquation("X", ("f", "f"), ("f",)),
    ))  # fmt: skip
    free = Schema("dynamical systems", {"X": ()}, functions)
    assert SchemaMap(period, period, functions={"f": "f.f"}).unproven == ()
    assert SchemaMap(period, steady, functions={"f": ""}).unproven == ()
    for target in (free, steady):
        with pytest.raises(MigrationError) as caught:
            SchemaMap(period, target)
        text = "equation 'X.f.f.f = X' is not respected: 'X.f.f.f = X' does not follow"
        assert text in str(caught.value)
    # Infinitely many paths are equal to f, and there are infinitely many elements.
    endless = Schema(
        "endless", {"X": ()}, (*functions, Function("g", "X", "X")), equations=steady.equations
    )
    assert SchemaMap(period, endless, bound=100).unproven == period.equations


def test_maps_compose(maps: Mapping[str, SchemaMap], household: SchemaMap) -> None:
    graphs = maps["graphs to simple graphs"]
    points = SchemaMap(
        graphs.target, maps["graphs to sets"].target, {"V": "X"},
        relations={"arrow": RelationImage("X", {"from": "", "to": ""})},
    )  # fmt: skip
    assert graphs.then(points) == maps["graphs to sets"]
    same = SchemaMap(household.target, household.target, attributes={"article.tint": None})
    after = household.then(same)
    assert after.attributes["thing", "colour"] is None
    assert after.attributes["furniture", "height"] == AttributeImage((), "level")
    assert after.relations == household.relations
    with pytest.raises(MigrationError, match="ends in 'house', but the next one starts in 'graph'"):
        household.then(SchemaMap(GRAPH, GRAPH))
