# SPDX-License-Identifier: Apache-2.0
"""The JSON of ACSets: round trips, foreign files and errors."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    InstanceBuilder,
    InstanceError,
    Relation,
    Schema,
    is_isomorphic,
)
from fcp_ros.cset.graphs import GRAPH, graph, path
from fcp_ros.cset.interchange.acset_json import (
    instance_from_json,
    instance_from_tables,
    instance_to_json,
    instance_to_tables,
)

HOME = Schema(
    "home",
    {"item": (), "mug": ("item",), "place": ()},
    relations=(Relation("on", (("item", "item"), ("place", "place"))),),
    attributes=(Attribute("weight", "item", AttributeKind.FLOAT),),
)


def test_a_graph_is_a_plain_acset() -> None:
    assert instance_to_tables(graph(2, [(1, 2)]), names=False) == {
        "V": [{"_id": 1}, {"_id": 2}],
        "E": [{"_id": 1, "src": 1, "tgt": 2}],
    }
    foreign = '{"V":[{"_id":1},{"_id":2}],"E":[{"_id":1,"src":1,"tgt":2}]}'
    assert is_isomorphic(instance_from_json(GRAPH, foreign), path(2))


def test_ids_may_be_left_out() -> None:
    tables = {"V": [{}, {}], "E": [{"src": 1, "tgt": 2}]}
    assert is_isomorphic(instance_from_tables(GRAPH, tables), path(2))


def test_subtypes_say_their_table() -> None:
    builder = InstanceBuilder(HOME)
    mug = builder.add("mug", "m", {"weight": 0.3})
    builder.relate("on", mug, builder.add("place", "p"))
    tables = instance_to_tables(builder.build())
    assert tables == {
        "item": [],
        "mug": [{"_id": 1, "_name": "m", "weight": 0.3}],
        "place": [{"_id": 1, "_name": "p"}],
        "on": [{"_id": 1, "item": 1, "item_type": "mug", "place": 1}],
    }
    assert instance_from_tables(HOME, tables) == builder.build()


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_round_trips(data: st.DataObject, instances: Callable[..., Any]) -> None:
    original = data.draw(instances(conflicts=False))
    again = instance_from_json(original.schema, instance_to_json(original))
    assert again == original
    nameless = instance_from_json(original.schema, instance_to_json(original, names=False))
    assert is_isomorphic(nameless, original)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "an ACSet is an object of tables, not a list"),
        ({"W": []}, "no table 'W' in schema 'graph'"),
        ({"V": {}}, "table 'V' must be a list of rows"),
        ({"V": [3]}, "table 'V', row 1 must be an object with columns"),
        ({"V": [{"_id": 1}, {"_id": 1}]}, "table 'V', row 2: _id 1 is there twice"),
        ({"V": [{"_id": "a"}]}, "table 'V', row 1: _id must be a whole number"),
        ({"V": [{"weight": 1}]}, "no column 'weight' in table 'V', row 1"),
        ({"V": [{}], "E": [{"src": 1}]}, "table 'E', row 1: column 'tgt' is missing"),
        ({"V": [{}], "E": [{"src": 1, "tgt": 2}]}, "'tgt' is 2, but table 'V' has no such _id"),
        ({"V": [{}], "E": [{"src": 1, "tgt": {"_var": 1}}]}, r"must be an _id \(no variable\)"),
        ({"V": [{"_name": "a"}, {"_name": "a"}]}, "table 'V', row 2: there is an element 'a' alre"),
    ],
)
def test_what_is_no_instance_is_refused(tables: Any, message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        instance_from_json(GRAPH, json.dumps(tables))


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(InstanceError, match="not JSON: Expecting"):
        instance_from_json(GRAPH, "{V:")
