# SPDX-License-Identifier: Apache-2.0
"""Instances as graphs of networkx, and back."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest
from example_graphs import GRAPH, cycle, graph
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
from fcp_ros.cset.interchange.networkx_graphs import (
    GraphLayout,
    elements_from_networkx,
    elements_to_networkx,
    from_multidigraph,
    to_multidigraph,
)

ROADS = Schema(
    "roads",
    {"town": ()},
    relations=(Relation("road", (("to", "town"), ("from", "town"))),),
    attributes=(
        Attribute("people", "town", AttributeKind.INT),
        Attribute("weight", "road", AttributeKind.FLOAT),
    ),
)
ROAD_LAYOUT = GraphLayout("town", "road", "from", "to")


def test_a_graph_is_a_multidigraph() -> None:
    found = to_multidigraph(graph(3, [(1, 2), (1, 2), (2, 2)]))
    assert list(found.nodes) == ["v1", "v2", "v3"]
    assert sorted(found.edges(keys=True)) == [
        ("v1", "v2", "e1"),
        ("v1", "v2", "e2"),
        ("v2", "v2", "e3"),
    ]


@settings(max_examples=30, deadline=None)
@given(size=st.integers(1, 5), data=st.data())
def test_graphs_round_trip(size: int, data: st.DataObject) -> None:
    ends = st.tuples(st.integers(1, size), st.integers(1, size))
    original = graph(size, data.draw(st.lists(ends, max_size=8)))
    assert from_multidigraph(GRAPH, to_multidigraph(original)) == original


def test_graphs_of_networkx_round_trip() -> None:
    original = nx.gnp_random_graph(8, 0.3, seed=1, directed=True)
    instance = from_multidigraph(GRAPH, original)
    assert nx.is_isomorphic(nx.DiGraph(to_multidigraph(instance)), original)
    assert is_isomorphic(from_multidigraph(GRAPH, nx.cycle_graph(4, nx.DiGraph)), cycle(4))


def test_edges_that_are_a_relation_with_attributes() -> None:
    builder = InstanceBuilder(ROADS)
    ulm, bern = builder.add("town", "Ulm", {"people": 126}), builder.add("town", "Bern")
    builder.set_attribute(builder.relate("road", bern, ulm), "weight", 2.5)
    builder.set_attribute(builder.relate("road", ulm, bern), "weight", 4.0)
    found = to_multidigraph(builder.build(), ROAD_LAYOUT)
    assert nx.shortest_path_length(found, "Ulm", "Bern", weight="weight") == 2.5
    assert found.nodes["Ulm"] == {"people": 126}
    assert from_multidigraph(ROADS, found, ROAD_LAYOUT) == builder.build()
    found.add_edge("Ulm", "Bern")
    with pytest.raises(InstanceError, match="edge from 'Ulm' to 'Bern' is there twice, but 'road'"):
        from_multidigraph(ROADS, found, ROAD_LAYOUT)


def test_names_that_are_there_already_get_a_number() -> None:
    found = nx.MultiDiGraph([(1, "1", "a"), ("1", 1, "a"), (1, 1, 0)])
    instance = from_multidigraph(GRAPH, found)
    assert sorted(instance.names()) == ["1", "1_2", "E_1", "a", "a_2"]


def test_graphs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InstanceError, match=r"not directed; convert it by to_directed\(\)"):
        from_multidigraph(GRAPH, nx.path_graph(3))
    labelled = nx.DiGraph()
    labelled.add_node("a", colour="red")
    with pytest.raises(InstanceError, match="node 'a': no attribute 'colour' in type 'V'"):
        from_multidigraph(GRAPH, labelled)
    labelled = nx.DiGraph()
    labelled.add_edge("a", "b", weight=3)
    with pytest.raises(InstanceError, match="edge from 'a' to 'b': no attribute 'weight'"):
        from_multidigraph(GRAPH, labelled)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (GraphLayout("place", "E"), "no type 'E' in schema"),
        (GraphLayout("thing", "on", "item", "suport"), "no function 'suport' in type 'on'"),
        (
            GraphLayout("thing", "in", "item", "place"),
            "lead to 'thing' and 'place', not to 'thing'",
        ),
        (GraphLayout("place", "place", "near", "near"), "is not about such graphs"),
    ],
)
def test_layouts_that_do_not_fit_are_refused(
    layout: GraphLayout, message: str, full_schema: Schema
) -> None:
    with pytest.raises(InstanceError) as caught:
        to_multidigraph(InstanceBuilder(full_schema).build(), layout)
    assert message in str(caught.value)


def test_other_elements_are_refused() -> None:
    schema = Schema("more", {**GRAPH.types, "label": ()}, GRAPH.functions)
    builder = InstanceBuilder(schema)
    builder.add("label", "x")
    with pytest.raises(InstanceError, match="'x' is a 'label', neither vertex nor edge"):
        to_multidigraph(builder.build())
    three = Schema(
        "three", {"V": ()}, relations=(Relation("E", (("src", "V"), ("tgt", "V"), ("by", "V"))),)
    )
    with pytest.raises(InstanceError, match="relation 'E' has the legs src, tgt, by"):
        to_multidigraph(InstanceBuilder(three).build())


def test_the_graph_of_elements(full_schema: Schema) -> None:
    builder = InstanceBuilder(full_schema)
    hall = builder.add("place", "hall")
    builder.set_function("near", hall, hall)
    mug, tray = builder.add("mug", "mug", {"clean": True}), builder.add("thing", "tray")
    for thing in (mug, tray):
        builder.set_function("home", thing, hall)
    builder.set_attribute(builder.relate("on", mug, tray), "since", 3)
    found = elements_to_networkx(builder.build())
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
def test_graphs_of_elements_round_trip(
    data: st.DataObject, full_instances: Callable[..., Any]
) -> None:
    original = data.draw(full_instances())
    found = elements_to_networkx(original)
    assert elements_from_networkx(original.schema, found) == original
    relabelled = nx.convert_node_labels_to_integers(found)
    assert is_isomorphic(elements_from_networkx(original.schema, relabelled), original)


def _house() -> nx.MultiDiGraph:
    found = nx.MultiDiGraph()
    found.add_node("hall", type="place")
    found.add_edge("hall", "hall", "near")
    return found


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ({"x": {}}, [], "node 'x' has no type; set its data 'type'"),
        ({"x": {"type": "plce"}}, [], "node 'x': no type 'plce' in schema"),
        ({"x": {"type": "place"}}, [], "node 'x' has no element for 'near'; add an edge to one"),
        ({"x": {"type": "place", "attributes": 3}}, [], "node 'x': 'attributes' must be a mapping"),
        ({"x": {"type": "place", "attributes": {"lbl": 3}}}, [], "node 'x': no attribute 'lbl'"),
        ({}, [("hall", "hall", "far")], "no function 'far' in node 'hall'; there are: near"),
        ({"x": {"type": "mug"}}, [("hall", "x", "near")], "node 'hall' has 'near' twice"),
        ({"x": {"type": "in"}}, [("x", "hall", "place")], "node 'x' has no element for 'item'"),
        (
            {"x": {"type": "in"}},
            [("x", "hall", "place"), ("x", "hall", "item")],
            "node 'x': relation 'in': leg 'item' must be a 'thing'; 'hall' is a 'place'",
        ),
        (
            {"m": {"type": "mug"}, "x": {"type": "in"}, "y": {"type": "in"}},
            [("m", "hall", "home")]
            + [edge for t in "xy" for edge in ((t, "m", "item"), (t, "hall", "place"))],
            "node 'y' is the same tuple as node 'x'; remove one",
        ),
    ],
)
def test_graphs_that_are_none_of_elements_are_refused(
    nodes: dict[str, Any], edges: list[Any], message: str, full_schema: Schema
) -> None:
    found = _house()
    found.add_nodes_from(nodes.items())
    found.add_edges_from(edges)
    with pytest.raises(InstanceError) as caught:
        elements_from_networkx(full_schema, found)
    assert message in str(caught.value)


def test_a_graph_of_elements_is_a_multidigraph(full_schema: Schema) -> None:
    with pytest.raises(InstanceError, match="a graph of elements is a MultiDiGraph"):
        elements_from_networkx(full_schema, nx.DiGraph(_house()))
    assert len(elements_from_networkx(full_schema, _house()).all_elements()) == 1


def test_functions_of_subtypes_are_inherited() -> None:
    schema = Schema("s", {"a": (), "b": ("a",)}, (Function("f", "a", "a"),))
    builder = InstanceBuilder(schema)
    element = builder.add("b", "x")
    builder.set_function("f", element, element)
    found = elements_to_networkx(builder.build())
    assert elements_from_networkx(schema, found) == builder.build()
