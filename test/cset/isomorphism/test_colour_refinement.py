# SPDX-License-Identifier: Apache-2.0
"""Colour refinement against its slow twin: recolour everything until nothing changes."""

from collections.abc import Callable
from typing import Any

from example_graphs import cycle, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Instance
from fcp_ros.cset.isomorphism.colour_refinement import (
    Colouring,
    describe_quotient,
    is_balanced,
    refine,
)
from fcp_ros.cset.isomorphism.elements_graph import ColouredGraph, elements_graph


def recoloured(coloured: ColouredGraph) -> list[int]:
    """The stable colouring in rounds: own colour, and how often which colour is seen how."""
    colour = list(coloured.colours)
    while True:
        seen = [
            (colour[node], tuple(sorted((key, colour[other]) for key, other in arcs)))
            for node, arcs in enumerate(coloured.arcs)
        ]
        order = {signature: number for number, signature in enumerate(sorted(set(seen)))}
        if len(order) == len(set(colour)):
            return colour
        colour = [order[signature] for signature in seen]


def partition(colour: list[int]) -> set[frozenset[int]]:
    cells: dict[int, set[int]] = {}
    for node, own in enumerate(colour):
        cells.setdefault(own, set()).add(node)
    return set(map(frozenset, cells.values()))


def refined(*instances: Instance) -> tuple[ColouredGraph, Colouring]:
    coloured = elements_graph(*instances).graph
    colouring = Colouring.of(coloured)
    refine(coloured, colouring)
    return coloured, colouring


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_worklist_finds_the_coarsest_equitable_partition(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    coloured, colouring = refined(data.draw(instances(4)))
    assert set(map(frozenset, colouring.cells)) == partition(recoloured(coloured))
    assert all(colouring.colour[n] == c for c, cell in enumerate(colouring.cells) for n in cell)


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(2, 7),
    edges=st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=10),
    data=st.data(),
)
def test_one_part_of_a_split_cell_is_enough(
    size: int, edges: list[tuple[int, int]], data: st.DataObject
) -> None:
    coloured, colouring = refined(graph(size, [(a, b) for a, b in edges if max(a, b) <= size]))
    before = (list(colouring.colour), [set(cell) for cell in colouring.cells])
    open_cells = [number for number, cell in enumerate(colouring.cells) if len(cell) > 1]
    if not open_cells:
        return
    cell = data.draw(st.sampled_from(open_cells))
    count = len(colouring.cells)
    chosen = data.draw(st.sampled_from(sorted(colouring.cells[cell])))
    fresh = colouring.split(cell, {chosen})
    own = ColouredGraph(list(colouring.colour), coloured.arcs)
    assert refine(coloured, colouring, (fresh,))
    assert set(map(frozenset, colouring.cells)) == partition(recoloured(own))
    colouring.undo(count)
    assert (colouring.colour, colouring.cells) == before


def test_isomorphic_graphs_have_the_same_numbers() -> None:
    # 3 -> 1 -> 2 is P3 with its vertices in another order.
    first, second = refined(path(3)), refined(graph(3, [(1, 2), (3, 1)]))
    assert describe_quotient(*first) == describe_quotient(*second)
    assert describe_quotient(*first) != describe_quotient(*refined(path(4)))
    # Regular graphs of one size and degree are alike to colour refinement.
    two_triangles = graph(6, [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)])
    assert describe_quotient(*refined(cycle(6))) == describe_quotient(*refined(two_triangles))


def test_stops() -> None:
    coloured = elements_graph(path(4), cycle(4)).graph
    sides = [0] * 7 + [1] * 8
    assert not is_balanced(set(range(15)), sides)
    assert not refine(coloured, Colouring.of(coloured), sides=sides)
    colouring = Colouring.of(coloured)
    assert not refine(coloured, colouring, limit=5)
    assert len(colouring.cells) == 2
    assert refine(coloured, colouring, limit=1_000)
