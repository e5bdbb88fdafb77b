# SPDX-License-Identifier: Apache-2.0
"""Schemas as YAML and plain data: read, and errors that say where and what to do."""

import json
from typing import Any

import pytest

from fcp_ros.cset import Attribute, AttributeKind, Function, Relation, Schema, SchemaError

KITCHEN = Schema(
    "kitchen",
    {"thing": (), "mug": ("thing",), "no": ("thing",)},
    (Function("made_of", "thing", "thing"),),
    (
        Relation("on", (("item", "mug"), ("support", "thing")), ("item",)),
        Relation("off", (("what", "thing"),), static=True),
    ),
    (
        Attribute("colour", "thing", AttributeKind.ENUM, ("red", "white")),
        Attribute("since", "on", AttributeKind.INT),
    ),
)

YAML_TEXT = """\
name: kitchen
types:
  thing: []
  mug: [thing]
  no: [thing]
functions:
  made_of: {source: thing, target: thing}
relations:
  on:
    legs: {item: mug, support: thing}
    functional: [item]
  off:
    legs: {what: thing}
    static: true
attributes:
- name: colour
  owner: thing
  kind: enum
  values: [red, white]
- {name: since, owner: on, kind: int}
"""


def test_the_yaml_of_a_schema() -> None:
    # In YAML 1.1 `on`, `off` and `no` would be truth values.
    assert Schema.from_yaml(YAML_TEXT) == KITCHEN


def test_what_is_left_out_is_empty() -> None:
    assert Schema.from_yaml("name: s\ntypes:\n  a:\nfunctions:\n") == Schema("s", {"a": ()})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: s\ntypes: {a: [b]}", "f:2: no type 'b' in the parents"),
        ("name: s\ntypes:\n  a: []\nfunctons: {}", "f:4: no key 'functons' in a schema; did you"),
        ("types: {}", "f:1: a schema lacks 'name'; add it"),
        ("- a", "f:1: a schema must be a mapping with name, types"),
        ("name: s\ntypes: [a]", "f:2: `types` must be a mapping by names"),
        ("name: s\ntypes:\n  a: b", "f:3: `types.a` must be a list of names; it is 'b'"),
        ("name: s\ntypes:\n  1: []", "f:2: `types`: 1 must be a text; put it in quotes"),
        (
            "name: s\ntypes: {a: []}\nfunctions:\n  f: {source: a}",
            "f:4: `functions.f` lacks 'target'",
        ),
        (
            "name: s\ntypes: {a: []}\nrelations:\n  r: {legs: {x: a}, static: 3}",
            "f:4: `relations.r.static` must be true or false",
        ),
        (
            "name: s\ntypes: {a: []}\nattributes:\n- {name: n, owner: a, kind: integer}",
            "f:4: no kind 'integer' in `attributes.0`",
        ),
        ("name: s\ntypes: {a: &x [], b: *x}", "f:2: anchors and aliases are not read"),
        ("name: !!python/name:os.system\ntypes: {}", "f:1: the tag or value "),
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_yaml(text, "f")
    assert any(message in line for line in str(caught.value).splitlines()), str(caught.value)


def test_every_problem_has_a_line() -> None:
    functions = "  f: {source: b, target: a}\n  g: {source: a, target: c}"
    text = f"name: s\ntypes: {{a: []}}\nfunctions:\n{functions}"
    with pytest.raises(SchemaError) as caught:
        Schema.from_yaml(text, "f")
    assert [line[:4] for line in str(caught.value).splitlines()] == ["f:4:", "f:5:"]


@pytest.mark.parametrize("data", [{}, {"name": "s", "types": []}, {"name": "s", "types": {"a": 3}}])
def test_data_that_are_no_schema_are_refused(data: Any) -> None:
    with pytest.raises(SchemaError, match="not a schema: ") as caught:
        Schema.from_dict(data)
    assert caught.value.problems
    assert json.dumps([problem.part for problem in caught.value.problems])
