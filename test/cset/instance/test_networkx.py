# SPDX-License-Identifier: Apache-2.0
"""Instances as graphs of networkx: the graph of their elements."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Function, InstanceBuilder, Schema


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_nodes_and_edges_are_all_there(data: st.DataObject, instances: Callable[..., Any]) -> None:
    original = data.draw(instances(2, numbers=True))
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
