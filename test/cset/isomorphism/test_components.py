# SPDX-License-Identifier: Apache-2.0
"""Components: what need not be searched, because every choice is as good as any other."""

import pytest
from example_graphs import cycle, graph, path

from fcp_ros.cset import Instance
from fcp_ros.cset.isomorphism.colour_refinement import Colouring, Components, components, refine
from fcp_ros.cset.isomorphism.elements_graph import elements_graph


def cut(instance: Instance) -> Components:
    coloured = elements_graph(instance).graph
    colouring = Colouring.of(coloured)
    refine(coloured, colouring)
    return components(coloured, colouring)


STAR = graph(5, [(1, leaf) for leaf in range(2, 6)])
COMPLETE = graph(4, [(a, b) for a in range(1, 5) for b in range(1, 5) if a != b])
REFLEXIVE = graph(3, [(a, b) for a in range(1, 4) for b in range(1, 4)])
BIPARTITE = graph(5, [(a, b) for a in (1, 2) for b in (3, 4, 5)])
TWICE = graph(3, [(a, b) for a in range(1, 4) for b in range(1, 4) if a != b] * 2)


@pytest.mark.parametrize(
    "instance", [graph(9), path(7), STAR, COMPLETE, REFLEXIVE, BIPARTITE, TWICE]
)
def test_nothing_is_left_open(instance: Instance) -> None:
    assert cut(instance).parts == []


def test_connected_pieces() -> None:
    # Elements are numbered before edges; both triangles have 3 vertices and 3 edges.
    two_triangles = graph(6, [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)])
    assert sorted(map(len, cut(two_triangles).parts)) == [6, 6]
    assert sorted(map(len, cut(cycle(6)).parts)) == [12]
    # A hub with an edge to each vertex of the triangles does not connect them.
    edges = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4), *((7, v) for v in range(1, 7))]
    assert sorted(map(len, cut(graph(7, edges)).parts)) == [6, 6]


def test_all_pairs_but_not_equally_often() -> None:
    # Every vertex has one doubled edge out and one in, so that the colours are all the same.
    doubled = [(a, b) for a in range(1, 4) for b in range(1, 4) if a != b] + [
        (1, 2),
        (2, 3),
        (3, 1),
    ]
    assert len(cut(graph(3, doubled)).parts) == 1
