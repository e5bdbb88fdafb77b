# SPDX-License-Identifier: Apache-2.0
"""Subinstances: counts that are known, and agreement with trying all subsets."""

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import pytest
from example_graphs import cycle, edges_of, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Instance, UnknownElement, is_isomorphic
from fcp_ros.cset.limits.diagrams import list_ids
from fcp_ros.cset.limits.subobjects import (
    count_closed_sets,
    count_subobjects,
    enumerate_closed_sets,
    enumerate_subobjects,
    generate_subobject,
)


@pytest.mark.parametrize(
    ("instance", "count"),
    # P2: 4 sets of vertices, and both with the edge. P3: 8 sets of vertices; one edge and the third
    # vertex or not, 2 * 2; both edges, 1. C3: 8; one edge and the third vertex or not, 3 * 2; two
    # edges, 3; three, 1.
    [(path(2), 4 + 1), (path(3), 8 + 4 + 1), (cycle(3), 8 + 6 + 3 + 1)],
)
def test_case_10_numbers_of_subobjects(instance: Instance, count: int) -> None:
    found = list(enumerate_subobjects(instance))
    assert len(found) == count_subobjects(instance) == count
    assert len({inclusion.image() for inclusion in found}) == count
    for inclusion in found:
        assert not inclusion.violations()
        assert inclusion.is_monic


def test_subobjects_of_a_long_path_are_counted_without_making_them() -> None:
    # A subgraph of P_n is one of P_(n-1) and: no last vertex; or the last vertex; or the last edge,
    # too, which needs the vertex before it. That one is missing in a(n-2) of the a(n-1) subgraphs:
    # a(n) = 3 a(n-1) - a(n-2), every other Fibonacci number.
    expected = [1, 2]
    while len(expected) <= 300:
        expected.append(3 * expected[-1] - expected[-2])
    assert [count_subobjects(path(n)) for n in (1, 2, 3, 10)] == [
        expected[n] for n in (1, 2, 3, 10)
    ]
    assert count_subobjects(path(300)) == expected[300]
    assert count_subobjects(graph(100)) == 2**100
    assert len(list(islice(enumerate_subobjects(path(30)), 5))) == 5


def all_closed_sets(successors: list[list[int]]) -> Iterator[frozenset[int]]:
    """The slow twin: of all subsets, those that have the successors of their members."""
    nodes = range(len(successors))
    for size in range(len(successors) + 1):
        for chosen in map(frozenset, combinations(nodes, size)):
            if all(chosen.issuperset(successors[node]) for node in chosen):
                yield chosen


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_closed_sets_are_those_of_all_subsets(data: Any) -> None:
    size = data.draw(st.integers(0, 7))
    targets = st.lists(st.integers(0, max(size - 1, 0)), max_size=2)
    successors = [data.draw(targets) for _ in range(size)]
    found = list(enumerate_closed_sets(successors))
    assert found[0] == frozenset()
    assert len(found) == len(set(found)) == count_closed_sets(successors)
    assert set(found) == set(all_closed_sets(successors))


@pytest.mark.parametrize("kind", ["graph", "reflexive", "rich", "hierarchy"])
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_subobjects_keep_types_attributes_and_names(kind: str, data: Any, kinds: Any) -> None:
    instance = data.draw(kinds[kind]())
    inclusions = list(islice(enumerate_subobjects(instance), 20))
    for inclusion in inclusions:
        assert not inclusion.violations()
        for element in inclusion.source.all_elements():
            image = inclusion(element)
            assert inclusion.source.type_of(element) == instance.type_of(image)
            assert inclusion.source.name_of(element) == instance.name_of(image)
            assert inclusion.source.attributes(element) == instance.attributes(image)
        again = generate_subobject(instance, inclusion.image())
        assert again.source == inclusion.source
    assert generate_subobject(instance, list_ids(instance)).source == instance


def test_naming_an_edge_brings_its_vertices() -> None:
    whole = path(4)
    part = generate_subobject(whole, [whole.id_of("e2")])
    assert edges_of(part.source) == [("v2", "v3")]
    assert is_isomorphic(part.source, path(2))
    with pytest.raises(UnknownElement, match="no element with id 99"):
        generate_subobject(whole, [99])
