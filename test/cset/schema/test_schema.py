# SPDX-License-Identifier: Apache-2.0
"""Schemas are validated values."""

import pickle

import pytest

from fcp_ros.cset import Attribute, AttributeKind, Function, Relation, Schema, SchemaError

KITCHEN = Schema(
    "kitchen",
    {"thing": (), "graspable": ("thing",), "liquid": ("thing",), "milk": ("graspable", "liquid")},
    (Function("made_of", "thing", "thing"),),
    (
        Relation("on", (("item", "graspable"), ("support", "thing")), ("item",)),
        Relation("closed", (("what", "thing"),), static=True),
    ),
    (
        Attribute("colour", "thing", AttributeKind.ENUM, ("red", "white")),
        Attribute("litres", "liquid", AttributeKind.FLOAT),
    ),
)


def test_a_schema_is_a_value() -> None:
    again = pickle.loads(pickle.dumps(KITCHEN))
    assert again == KITCHEN
    assert hash(again) == hash(KITCHEN)
    assert Schema("other", KITCHEN.types) != KITCHEN


def test_lookups_name_the_near_miss() -> None:
    with pytest.raises(SchemaError, match=r"no relation 'onn' in schema 'kitchen'; .* 'on'"):
        KITCHEN.relation("onn")
    with pytest.raises(SchemaError, match=r"no type 'mlik'.*did you mean 'milk'"):
        KITCHEN.ancestors("mlik")
    with pytest.raises(SchemaError, match="no leg 'itm' in relation 'on'; did you mean 'item'"):
        KITCHEN.relation("on").position("itm")
    with pytest.raises(SchemaError, match="no attribute 'litres' in type 'thing'"):
        KITCHEN.attribute("thing", "litres")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"types": {"a": ("b",)}}, "no type 'b' in the parents of type 'a'"),
        ({"types": {"a": ("b",), "b": ("a",)}}, "forms a cycle: 'a' is_a 'b' is_a 'a'; remove one"),
        ({"types": {"a": (), "": ()}}, "'' is no name; names are texts that are not empty"),
        ({"functions": (Function("f", "a", "z"),)}, "no type 'z' in function 'f'"),
        ({"functions": (Function("f", "a", "a"),) * 2}, "function 'f' is declared twice"),
        ({"relations": (Relation("r", ()),)}, "relation 'r' has no legs"),
        ({"relations": (Relation("r", (("x", "a"), ("x", "a"))),)}, "leg 'x' is declared twice"),
        ({"relations": (Relation("r", (("x", "a"),), ("y",)),)}, "no leg 'y' in relation 'r'"),
        ({"relations": (Relation("a", (("x", "a"),)),)}, "type or relation 'a' is declared twice"),
        ({"attributes": (Attribute("t", "z", AttributeKind.INT),)}, "owner of attribute 't'"),
        ({"attributes": (Attribute("t", "a", AttributeKind.ENUM),)}, "values are listed for kind"),
        (
            {
                "types": {"a": (), "b": ("a",)},
                "attributes": tuple(Attribute("t", owner, AttributeKind.INT) for owner in "ab"),
            },
            "attribute 't' is declared twice of type 'b'",
        ),
    ],
)
def test_a_contradictory_schema_is_refused(parts: dict[str, object], message: str) -> None:
    with pytest.raises(SchemaError, match="schema 'bad': ") as caught:
        Schema(**{"name": "bad", "types": {"a": ()}, **parts})  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_one_circle_is_reported_once_by_a_shortest_way() -> None:
    types = {"a": ("b", "c"), "b": ("c",), "c": ("a",), "d": ("a",), "e": ("f",), "f": ("e",)}
    with pytest.raises(SchemaError) as caught:
        Schema("bad", types)
    # Of a, b and c each is among the ancestors of the others: one circle; e and f are another.
    assert str(caught.value).count("forms a cycle") == 2
    assert "'a' is_a 'c' is_a 'a'" in str(caught.value)
    assert "'e' is_a 'f' is_a 'e'" in str(caught.value)
