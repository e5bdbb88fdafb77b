# SPDX-License-Identifier: Apache-2.0
"""The ACSets JSON of schemas: round trips, foreign files and errors."""

import json
from typing import Any

import pytest
from example_graphs import GRAPH

from fcp_ros.cset import Attribute, AttributeKind, Function, Schema, SchemaError
from fcp_ros.cset.interchange.schemas import schema_from_acset_json, schema_to_acset_json
from fcp_ros.cset.schema.symbols import PathEquation


def test_the_json_of_graphs() -> None:
    assert json.loads(schema_to_acset_json(GRAPH)) == {
        "version": {"ACSetSchema": "0.0.1", "ACSets": "0.2.27"},
        "name": "graph",
        "Ob": [{"name": "V"}, {"name": "E"}],
        "Hom": [
            {"name": "src", "dom": "E", "codom": "V"},
            {"name": "tgt", "dom": "E", "codom": "V"},
        ],
        "AttrType": [],
        "Attr": [],
        "equations": [],
    }


def test_a_schema_with_everything_comes_back(full_schema: Schema) -> None:
    read = schema_from_acset_json(schema_to_acset_json(full_schema))
    assert read.schema == full_schema
    assert read.attribute_types == {
        ("thing", "colour"): "thing_colour",
        ("mug", "litres"): "Float",
        ("mug", "clean"): "Bool",
        ("place", "label"): "String",
        ("on", "since"): "Int",
    }


def test_names_of_attribute_types_keep_clear_of_types() -> None:
    attributes = (
        Attribute("a", "Float", AttributeKind.FLOAT),
        Attribute("b", "Float", AttributeKind.ENUM, ("x",)),
    )
    schema = Schema("clash", {"Float": (), "Float_b": ()}, attributes=attributes)
    read = schema_from_acset_json(schema_to_acset_json(schema))
    assert read.schema == schema
    assert sorted(read.attribute_types.values()) == ["Float_", "Float_b_"]


# A labelled dynamical system of period 4, as ACSets.jl writes it.
FOREIGN: dict[str, Any] = {
    "version": {"ACSetSchema": "0.0.1", "ACSets": "0.2.27"},
    "Ob": [{"name": "X"}],
    "Hom": [{"name": "Φ", "dom": "X", "codom": "X"}],
    "AttrType": [{"name": "Label"}],
    "Attr": [{"name": "label", "dom": "X", "codom": "Label"}],
    "equations": [
        {"dom": "X", "codom": "X", "name": "cycle4", "paths": [[], ["Φ", "Φ", "Φ", "Φ"]]}
    ],
}


def test_a_foreign_schema() -> None:
    kinds = {"Label": AttributeKind.STRING}
    read = schema_from_acset_json(json.dumps(FOREIGN), name="DDS", kinds=kinds)
    assert read.schema == Schema(
        "DDS",
        {"X": ()},
        (Function("Φ", "X", "X"),),
        (),
        (Attribute("label", "X", AttributeKind.STRING),),
        (PathEquation("X", (), ("Φ",) * 4),),
    )
    assert read.attribute_types == {("X", "label"): "Label"}
    again = schema_to_acset_json(read.schema, read.attribute_types)
    assert json.loads(again)["AttrType"] == [{"name": "Label", "kind": "string"}]


def test_files_of_older_versions_have_no_equations() -> None:
    older = {key: value for key, value in FOREIGN.items() if key not in ("equations", "version")}
    read = schema_from_acset_json(json.dumps(older), kinds={"Label": AttributeKind.STRING})
    assert read.schema.equations == ()
    assert read.schema.name == "acset"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Ob": None}, "'Ob' must be a list, not None"),
        ({"Ob": [3]}, "Ob, entry 1 must be an object, not 3"),
        ({"Ob": [{"nme": "X"}]}, "Ob, entry 1: 'name' must be a text, not None"),
        ({"Ob": [{"name": "X"}, {"name": "X"}]}, "two entries of Ob have one name"),
        ({"Ob": [{"name": "X", "is_a": "Y"}]}, "'is_a' must be a list of names, not 'Y'"),
        ({"Ob": [{"name": "X", "is_a": ["Y"]}]}, "no type 'Y' in the parents of type 'X'"),
        ({"Ob": [{"name": "X", "relation": 3}]}, "relation 'X' must have an object"),
        ({"Hom": [{"name": "f", "dom": "Y", "codom": "X"}]}, "no Ob 'Y' in the dom of Hom 'f'"),
        ({"Hom": [{"name": "f", "dom": "X"}]}, "Hom, entry 1: 'codom' must be a text"),
        ({"AttrType": [{"name": "Colour"}]}, "give kinds={'Colour': AttributeKind...}"),
        ({"AttrType": [{"name": "Label", "kind": "txt"}]}, "no kind 'txt' in AttrType, entry 1"),
        ({"AttrType": []}, "no AttrType 'Label' in Attr, entry 1, which has none"),
        ({"equations": [{"dom": "X", "paths": [[]]}]}, "'paths' must be two paths, not [[]]"),
        ({"equations": [{"dom": "X", "paths": [[], ["g"]]}]}, "no function 'g' in type 'X'"),
        ({"name": 3}, "the schema: 'name' must be a text, not 3"),
    ],
)
def test_what_is_no_schema_is_refused(change: dict[str, Any], message: str) -> None:
    text = json.dumps({**FOREIGN, **change})
    with pytest.raises(SchemaError) as caught:
        schema_from_acset_json(text, kinds={"Label": AttributeKind.STRING})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: "),
        ("[]", "is an object with lists"),
        ("{}", "has a list 'Ob'; it is missing"),
    ],
)
def test_what_is_no_object_is_refused(text: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        schema_from_acset_json(text)
