# SPDX-License-Identifier: Apache-2.0
"""Sigma: instances pushed forward."""

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import pytest
from example_graphs import GRAPH, cycle, edges_of, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Attribute, AttributeKind, InstanceBuilder, Schema, find_homs, is_isomorphic
from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.migration.images import MigrationError
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.migration.sigma import sigma_migration, sigma_of_morphism


def test_case_12_sigma_of_p3_into_reflexive_graphs(maps: Mapping[str, SchemaMap]) -> None:
    # The three vertices stay, and each gets the edge refl(v), which the equations make a loop: with
    # the two edges of P3 there are 5.
    sigma = sigma_migration(maps["graphs to reflexive graphs"], path(3))
    assert len(sigma.instance.elements("V")) == 3
    assert len(sigma.instance.elements("E")) == 5
    loops = [(f"v{number}", f"v{number}") for number in (1, 2, 3)]
    assert edges_of(sigma.instance) == sorted([("v1", "v2"), ("v2", "v3"), *loops])


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_sets_of_graphs_are_their_components(
    data: st.DataObject, maps: Mapping[str, SchemaMap]
) -> None:
    # Each edge becomes equal to both of its ends, so that what is connected becomes one element.
    size = data.draw(st.integers(1, 6))
    ends = st.tuples(st.integers(1, size), st.integers(1, size))
    edges = data.draw(st.lists(ends, max_size=6))
    sigma = sigma_migration(maps["graphs to sets"], graph(size, edges))
    undirected = nx.Graph(edges)
    undirected.add_nodes_from(range(1, size + 1))
    assert len(sigma.instance.elements("X")) == nx.number_connected_components(undirected)


def test_edges_become_tuples(maps: Mapping[str, SchemaMap]) -> None:
    # Relations are sets: parallel edges become one arrow.
    simple = sigma_migration(
        maps["graphs to simple graphs"], graph(2, [(1, 2), (1, 2), (2, 1)])
    ).instance
    arrows = [tuple(map(simple.name_of, legs)) for legs in simple.tuples("arrow").values()]
    assert sorted(arrows) == [("v1", "v2"), ("v2", "v1")]


def test_what_never_ends_is_refused(maps: Mapping[str, SchemaMap]) -> None:
    # The end of a path has no successor: phi of it is new, and so is phi of that.
    with pytest.raises(MigrationError) as caught:
        sigma_migration(maps["graphs to dynamical systems"], path(2), 100)
    assert "more than 100 elements" in str(caught.value)
    assert "phi" in str(caught.value)


def test_a_cycle_becomes_a_dynamical_system(maps: Mapping[str, SchemaMap]) -> None:
    sigma = sigma_migration(maps["graphs to dynamical systems"], cycle(4)).instance
    assert len(sigma.elements("X")) == 4
    start = sigma.elements("X")[0]
    orbit = [start]
    for _ in range(4):
        orbit.append(sigma.apply("phi", orbit[-1]))
    assert len(set(orbit)) == 4
    assert orbit[-1] == start


def test_pushing_along_a_composite_is_pushing_twice(
    maps: Mapping[str, SchemaMap], instances: Callable[..., Any]
) -> None:
    first, second = maps["sets to graphs"], maps["graphs to reflexive graphs"]

    @settings(max_examples=10, deadline=None)
    @given(original=instances(first.source))
    def holds(original: Any) -> None:
        twice = sigma_migration(second, sigma_migration(first, original).instance).instance
        assert is_isomorphic(sigma_migration(first.then(second), original).instance, twice)

    holds()


def test_morphisms_are_pushed_forward(maps: Mapping[str, SchemaMap]) -> None:
    map_ = maps["graphs to reflexive graphs"]
    (first, *_), (second, *_) = (
        list(find_homs(source, target, monic=False))
        for source, target in ((path(2), path(3)), (path(3), cycle(3)))
    )
    pushed = [sigma_of_morphism(map_, found) for found in (first, second)]
    assert all(found.violations() == () for found in pushed)
    assert pushed[0].compose(pushed[1]) == sigma_of_morphism(map_, first.compose(second))


def test_attributes_that_cannot_be_one_are_refused() -> None:
    source = Schema(
        "coloured graphs",
        GRAPH.types,
        GRAPH.functions,
        attributes=tuple(Attribute("c", t, AttributeKind.ENUM, ("red", "blue")) for t in "VE"),
    )
    target = Schema(
        "sets", {"X": ()}, (), (), (Attribute("c", "X", AttributeKind.ENUM, ("red", "blue")),)
    )
    map_ = SchemaMap(source, target, {"V": "X", "E": "X"}, {"src": "", "tgt": ""})
    builder = InstanceBuilder(source)
    vertex = builder.add("V", "v", {"c": "red"})
    edge = builder.add("E", "e", {"c": ValueVariable("any")})
    for end in ("src", "tgt"):
        builder.set_function(end, edge, vertex)
    sigma = sigma_migration(map_, builder.build()).instance
    assert sigma.attributes(sigma.elements("X")[0]) == {"c": "red"}
    builder.set_attribute(edge, "c", "blue")
    with pytest.raises(MigrationError) as caught:
        sigma_migration(map_, builder.build())
    for part in ("cannot be pushed forward to 'sets'", "'c'", "v", "e", "red", "blue"):
        assert part in str(caught.value)


def test_an_instance_of_another_schema_is_refused(household: SchemaMap) -> None:
    with pytest.raises(MigrationError, match="the map starts in 'robot', but the instance is one"):
        sigma_migration(household, graph(1))
