# SPDX-License-Identifier: Apache-2.0
"""Whether two instances are the same up to the names of their elements.

Both are coloured together: an isomorphism keeps the stable colours. What they leave open is cut
into components, which are mapped independently; in each, one node of the first instance is
individualised with every candidate of the second, one after the other.
"""

from collections.abc import Sequence
from typing import Any

from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.isomorphism.canonical import branching_cell
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
    """An isomorphism that keeps types and attributes exactly, or None where there is none.

    Attribute variables may be renamed one to one; the morphism's `values` say how. The search is
    exact and without a bound. Mostly it takes about as long as colour refinement; where that says
    nothing in a large connected graph (random regular ones), the square of the size; at worst, for
    highly regular graphs, it is exponential.
    """
    if first.schema != second.schema or _sizes(first) != _sizes(second):
        return None
    read = elements_graph(first, second)
    start = read.starts[1]
    sides = [0] * start + [1] * (len(read.graph) - start)
    colouring = Colouring.of(read.graph)
    if not all(is_balanced(cell, sides) for cell in colouring.cells):
        return None
    if not refine(read.graph, colouring, sides=sides):
        return None
    found = _isomorphism(read.graph, sides, colouring)
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
    """Whether there is an isomorphism between two instances (see `find_isomorphism`)."""
    return find_isomorphism(first, second) is not None


def _sizes(instance: Instance) -> list[int]:
    relations = (instance.relation_table(r.name).rows for r in instance.schema.relations)
    return [len(instance.all_elements()), *map(len, relations)]


def _isomorphism(graph: ColouredGraph, sides: Sequence[int], colouring: Colouring) -> Nodes | None:
    """Where each node of side 0 goes, None where there is no isomorphism.

    Args:
        graph: two graphs side by side.
        sides: 0 or 1 for each node.
        colouring: equitable, with as many nodes of each cell on either side.
    """
    pieces = components(graph, colouring, sides)
    if pieces.is_whole(graph, 2):
        return _branched(graph, sides, colouring)
    found = _of_components(graph, sides, colouring, pieces)
    if found is None:
        return None
    for cell in pieces.free:
        ours, theirs = _by_side(colouring.cells[cell], sides)
        found.update(zip(ours, theirs, strict=True))
    for cell in pieces.derived:
        ours, theirs = _by_side(colouring.cells[cell], sides)
        places: dict[tuple[int, ...], list[int]] = {}
        for node in theirs:
            places.setdefault(_ends(graph, node), []).append(node)
        for node in ours:
            found[node] = places[tuple(found[target] for target in _ends(graph, node))].pop()
    return found


def _branched(graph: ColouredGraph, sides: Sequence[int], colouring: Colouring) -> Nodes | None:
    """Map a component onto another one: try all images of one of its nodes."""
    cell = branching_cell(graph, colouring, 2)
    ours, theirs = _by_side(colouring.cells[cell], sides)
    for image in theirs:
        count = len(colouring.cells)
        fresh = colouring.split(cell, {ours[0], image})
        if refine(graph, colouring, (fresh,), sides=sides):
            found = _isomorphism(graph, sides, colouring)
            if found is not None:
                return found
        colouring.undo(count)
    return None


def _of_components(
    graph: ColouredGraph, sides: Sequence[int], colouring: Colouring, pieces: Components
) -> Nodes | None:
    """Map each component of side 0 to one of side 1; which of several alike does not matter."""
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
            mapped = _isomorphism(pair, [sides[node] for node in nodes], Colouring.of(pair))
            if mapped is not None:
                found.update((nodes[node], nodes[image]) for node, image in mapped.items())
                del alike[number]
                break
        else:
            return None
    return found


def _by_side(cell: set[int], sides: Sequence[int]) -> tuple[list[int], list[int]]:
    ours = sorted(node for node in cell if not sides[node])
    return ours, sorted(node for node in cell if sides[node])


def _ends(graph: ColouredGraph, node: int) -> tuple[int, ...]:
    return tuple([other for key, other in graph.arcs[node] if not key & 1])
