# SPDX-License-Identifier: Apache-2.0
"""The JSON of ACSets: round trips, foreign files and errors."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import GRAPH, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    InstanceBuilder,
    InstanceError,
    Relation,
    Schema,
    is_isomorphic,
)
from fcp_ros.cset.instance.constraints import find_conflicts
from fcp_ros.cset.instance.expressions import Operator, ValueOperation, ValueVariable
from fcp_ros.cset.interchange.instances import (
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


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_round_trips(data: st.DataObject, instances: Callable[..., Any]) -> None:
    original = data.draw(instances(conflicts=False))
    nameless = instance_from_json(original.schema, instance_to_json(original, names=False))
    assert is_isomorphic(nameless, original)


LABELLED = Schema(
    "labelled dynamical systems",
    {"X": ()},
    (Function("next", "X", "X"),),
    (),
    (
        Attribute("label", "X", AttributeKind.STRING),
        Attribute("size", "X", AttributeKind.INT),
        Attribute("weight", "X", AttributeKind.INT),
    ),
)


def test_variables_are_numbered_by_the_type_of_their_attribute() -> None:
    builder = InstanceBuilder(LABELLED)
    first = builder.add(
        "X", "x", {"label": ValueVariable("l"), "size": ValueVariable("s"), "weight": 3}
    )
    second = builder.add(
        "X", "y", {"label": "a", "size": ValueVariable("t"), "weight": ValueVariable("s")}
    )
    builder.set_function("next", first, second)
    builder.set_function("next", second, second)
    tables = instance_to_tables(builder.build(), names=False)
    assert tables == {
        "X": [
            {"_id": 1, "next": 2, "label": {"_var": 1}, "size": {"_var": 1}, "weight": 3},
            {"_id": 2, "next": 2, "label": "a", "size": {"_var": 2}, "weight": {"_var": 1}},
        ],
        "String": [{"_id": 1}],
        "Int": [{"_id": 1}, {"_id": 2}],
    }
    read = instance_from_tables(LABELLED, tables)
    values = [read.attributes(element) for element in read.elements("X")]
    assert values[0]["size"] == values[1]["weight"] == ValueVariable("Int_1")
    assert values[0]["label"] == ValueVariable("String_1")
    assert instance_from_tables(LABELLED, instance_to_tables(builder.build())) == builder.build()


def test_variables_of_a_foreign_file() -> None:
    # As ACSets.jl writes it for an attribute type that is called Label.
    foreign = """{"X": [{"_id": 1, "next": 2, "label": {"_var": 1}},
                        {"_id": 2, "next": 1, "label": "a", "size": null}],
                  "Label": [{"_id": 1}]}"""
    types = {("X", "label"): "Label", ("X", "size"): "Number", ("X", "weight"): "Number"}
    read = instance_from_json(LABELLED, foreign, attribute_types=types)
    assert [read.attributes(element) for element in read.elements("X")] == [
        {"label": ValueVariable("Label_1")},
        {"label": "a"},
    ]
    tables = instance_to_tables(read, names=False, attribute_types=types)
    assert tables["Label"] == [{"_id": 1}]
    assert tables["X"][0] == {"_id": 1, "next": 2, "label": {"_var": 1}}


def test_operations_are_refused() -> None:
    builder = InstanceBuilder(LABELLED)
    sum_ = ValueOperation(Operator.ADD, (ValueVariable("s"), 1))
    element = builder.add("X", "x", {"size": sum_})  # type: ignore[dict-item]
    builder.set_function("next", element, element)
    with pytest.raises(InstanceError, match=r"'x' holds .*, but ACSets hold values and variables"):
        instance_to_json(builder.build())


def test_columns_of_one_name_are_refused() -> None:
    schema = Schema(
        "clash",
        {"X": ()},
        (Function("f", "X", "X"),),
        (),
        (Attribute("f", "X", AttributeKind.INT),),
    )
    with pytest.raises(InstanceError, match="table 'X' would have several columns 'f'; rename"):
        instance_to_json(InstanceBuilder(schema).build())


def test_a_pattern_may_break_functional_legs(full_schema: Schema) -> None:
    tables = {
        "thing": [{"home": 1}, {"home": 1}],
        "place": [{"near": 1}],
        "on": [{"item": 1, "support": 1}, {"item": 1, "support": 2}],
    }
    with pytest.raises(InstanceError, match="item"):
        instance_from_tables(full_schema, tables)
    pattern = instance_from_tables(full_schema, tables, allow_conflicts=True)
    assert len(find_conflicts(pattern)) == 1


@pytest.mark.parametrize(
    ("on", "message"),
    [
        (
            [{"item": 1, "support": 1}] * 2,
            "row 2 is the same tuple as table 'on', row 1; a relation",
        ),
        ([{"item": 1, "support": 1, "sinc": 3}], "no column 'sinc' in table 'on', row 1; did you"),
        ([{"item": 1, "support": 1, "since": "now"}], "table 'on', row 1: attribute 'since'"),
        ([{"item": 1, "support": 1, "since": {"_vr": 1}}], "is neither a value nor a variable"),
        ([{"item": 1, "support": 1, "support_type": "place"}], "points to 'thing', not to 'place'"),
        ([{"item": 1, "support": 1, "support_type": "lamp"}], "table 'lamp' has no such _id"),
        ([{"item": True, "support": 1}], "'item' is True, but must be an _id"),
    ],
)
def test_tuples_that_are_none_are_refused(on: list[Any], message: str, full_schema: Schema) -> None:
    tables = {"thing": [{"home": 1}], "place": [{"near": 1}], "on": on}
    with pytest.raises(InstanceError) as caught:
        instance_from_tables(full_schema, tables)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "an ACSet is an object of tables, not a list"),
        ({"W": []}, "no table 'W' in schema 'graph'"),
        ({"V": {}}, "table 'V' must be a list of rows"),
        ({"V": [3]}, "table 'V', row 1 must be an object with columns"),
        ({"V": [{"_id": 1}, {"_id": 1}]}, "table 'V', row 2: _id 1 occurs twice"),
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
