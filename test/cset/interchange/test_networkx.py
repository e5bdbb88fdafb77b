# SPDX-License-Identifier: Apache-2.0
"""Instances as graphs of networkx: the graph of their elements."""

from collections.abc import Callable
from typing import Any

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Function, InstanceBuilder, Schema


def test_the_graph_of_elements(full_schema: Schema) -> None:
    builder = InstanceBuilder(full_schema)
    hall = builder.add("place", "hall")
    builder.set_function("near", hall, hall)
    mug, tray = builder.add("mug", "mug", {"clean": True}), builder.add("thing", "tray")
    for thing in (mug, tray):
        builder.set_function("home", thing, hall)
    builder.set_attribute(builder.relate("on", mug, tray), "since", 3)
    found = builder.build().to_networkx()
    assert found.nodes["mug"] == {"type": "mug", "attributes": {"clean": True}}
    assert found.nodes["on", "mug", "tray"] == {"type": "on", "attributes": {"since": 3}}
    assert sorted(found.edges(keys=True), key=str) == [
        ("hall", "hall", "near"),
        ("mug", "hall", "home"),
        ("tray", "hall", "home"),
        (("on", "mug", "tray"), "mug", "item"),
        (("on", "mug", "tray"), "tray", "support"),
    ]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_nodes_and_edges_are_all_there(
    data: st.DataObject, full_instances: Callable[..., Any]
) -> None:
    original = data.draw(full_instances())
    schema = original.schema
    found = original.to_networkx()
    rows = {row: legs for r in schema.relations for row, legs in original.tuples(r.name).items()}
    ids = (*original.all_elements(), *rows)
    assert dict(found.nodes(data=True)) == {
        original.key_of(id_): {
            "type": original.type_of(id_),
            "attributes": original.attributes(id_),
        }
        for id_ in ids
    }
    functions = {
        (original.name_of(e), original.name_of(original.apply(f.name, e)), f.name)
        for f in schema.functions
        for e in original.elements(f.source)
    }
    legs = {
        (original.key_of(row), original.name_of(element), leg)
        for row, elements in rows.items()
        for (leg, _), element in zip(
            schema.relation(original.type_of(row)).legs, elements, strict=True
        )
    }
    assert set(found.edges(keys=True)) == functions | legs


def test_functions_of_subtypes_are_inherited() -> None:
    schema = Schema("s", {"a": (), "b": ("a",)}, (Function("f", "a", "a"),))
    builder = InstanceBuilder(schema)
    element = builder.add("b", "x")
    builder.set_function("f", element, element)
    assert list(builder.build().to_networkx().edges(keys=True)) == [("x", "x", "f")]


def test_algorithms_of_networkx_apply(full_schema: Schema) -> None:
    builder = InstanceBuilder(full_schema)
    far, near = builder.add("place", "far"), builder.add("place", "near")
    builder.set_function("near", far, near)
    builder.set_function("near", near, near)
    builder.set_function("home", builder.add("mug", "mug"), far)
    found = builder.build().to_networkx()
    assert nx.shortest_path(found, "mug", "near") == ["mug", "far", "near"]
