# SPDX-License-Identifier: Apache-2.0
"""Search for an isomorphism: two instances that are the same up to the names of their elements.

Both are coloured together, as an isomorphism keeps the stable colours. The rest is cut into
components, which are mapped independently; in each, one node of the first instance is
individualised with every candidate of the second, one after the other.
"""

from collections.abc import Sequence
from typing import Any

from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.isomorphism.canonical import choose_branching_cell
from fcp_ros.cset.isomorphism.colour_refinement import (
    Colouring,
    Components,
    components,
    is_balanced,
    refine,
)
from fcp_ros.cset.isomorphism.elements_graph import ColouredGraph, elements_graph

Nodes = dict[int, int]


def find_isomorphism(first: Instance, second: Instance) -> Morphism | None:
    """Find an isomorphism that keeps types and attributes exactly, or None.

    Attribute variables may be renamed one to one; the morphism's `values` say how. The search is
    exact and without a bound. Usually it takes about as long as colour refinement; where that
    distinguishes nothing in a large connected graph (random regular ones), it is quadratic; for
    highly regular graphs it is exponential in the worst case.
    """
    if first.schema != second.schema or _count_sizes(first) != _count_sizes(second):
        return None
    read = elements_graph(first, second)
    start = read.starts[1]
    sides = [0] * start + [1] * (len(read.graph) - start)
    colouring = Colouring.of(read.graph)
    if not all(is_balanced(cell, sides) for cell in colouring.cells):
        return None
    if not refine(read.graph, colouring, sides=sides):
        return None
    found = _map_graph(read.graph, sides, colouring)
    if found is None:
        return None
    ours, theirs = read.ids
    mapping: dict[int, int] = {}
    values: dict[str, Any] = {}
    for node, image in found.items():
        id_, other = ours[node], theirs[image - start]
        if isinstance(id_, int) and isinstance(other, int):
            mapping[id_] = other
        else:
            values[str(id_)[1:]] = ValueVariable(str(other)[1:])
    return Morphism(first, second, mapping, values) if values else Morphism(first, second, mapping)


def is_isomorphic(first: Instance, second: Instance) -> bool:
    """Return True if two instances are isomorphic (see `find_isomorphism`)."""
    return find_isomorphism(first, second) is not None


def _count_sizes(instance: Instance) -> list[int]:
    relations = (instance.relation_table(r.name).rows for r in instance.schema.relations)
    return [len(instance.all_elements()), *map(len, relations)]


def _map_graph(graph: ColouredGraph, sides: Sequence[int], colouring: Colouring) -> Nodes | None:
    """Find the image of each node of side 0; return None if there is no isomorphism.

    Args:
        graph: two graphs side by side.
        sides: 0 or 1 for each node.
        colouring: equitable, with as many nodes of each cell on either side.
    """
    pieces = components(graph, colouring, sides)
    if pieces.is_whole(graph, 2):
        return _map_by_branching(graph, sides, colouring)
    found = _map_components(graph, sides, colouring, pieces)
    if found is None:
        return None
    for cell in pieces.free:
        ours, theirs = _split_by_side(colouring.cells[cell], sides)
        found.update(zip(ours, theirs, strict=True))
    for cell in pieces.derived:
        ours, theirs = _split_by_side(colouring.cells[cell], sides)
        places: dict[tuple[int, ...], list[int]] = {}
        for node in theirs:
            places.setdefault(_list_ends(graph, node), []).append(node)
        for node in ours:
            found[node] = places[tuple(found[target] for target in _list_ends(graph, node))].pop()
    return found


def _map_by_branching(
    graph: ColouredGraph, sides: Sequence[int], colouring: Colouring
) -> Nodes | None:
    """Map a component onto another one: try all images of one of its nodes."""
    cell = choose_branching_cell(graph, colouring, 2)
    ours, theirs = _split_by_side(colouring.cells[cell], sides)
    for image in theirs:
        count = len(colouring.cells)
        fresh = colouring.split(cell, {ours[0], image})
        if refine(graph, colouring, (fresh,), sides=sides):
            found = _map_graph(graph, sides, colouring)
            if found is not None:
                return found
        colouring.undo(count)
    return None


def _map_components(
    graph: ColouredGraph, sides: Sequence[int], colouring: Colouring, pieces: Components
) -> Nodes | None:
    """Map each component of side 0 to one of side 1; any of several alike will do."""
    found: Nodes = {}
    candidates: dict[tuple[int, ...], list[list[int]]] = {}
    kind = {part[0]: tuple(sorted(colouring.colour[n] for n in part)) for part in pieces.parts}
    for part in pieces.parts:
        if sides[part[0]]:
            candidates.setdefault(kind[part[0]], []).append(part)
    for part in pieces.parts:
        if sides[part[0]]:
            continue
        alike = candidates.get(kind[part[0]], [])
        for number, other in enumerate(alike):
            nodes = part + other
            pair = graph.part(nodes, colouring.colour)
            mapped = _map_graph(pair, [sides[node] for node in nodes], Colouring.of(pair))
            if mapped is not None:
                found.update((nodes[node], nodes[image]) for node, image in mapped.items())
                del alike[number]
                break
        else:
            return None
    return found


def _split_by_side(cell: set[int], sides: Sequence[int]) -> tuple[list[int], list[int]]:
    ours = sorted(node for node in cell if not sides[node])
    return ours, sorted(node for node in cell if sides[node])


def _list_ends(graph: ColouredGraph, node: int) -> tuple[int, ...]:
    return tuple([other for key, other in graph.arcs[node] if not key & 1])
