# SPDX-License-Identifier: Apache-2.0
"""Graphs, the simplest C-sets: examples of everything that this layer does.

Vertices are named ``v1, v2, ...``, edges ``e1, e2, ...``, as in the literature.
"""

from collections.abc import Iterable

from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism, inclusion
from fcp_ros.cset.schema import Function, Schema

_ENDS = (Function("src", "E", "V"), Function("tgt", "E", "V"))

GRAPH = Schema("graph", {"V": (), "E": ()}, _ENDS)
"""Edges with a source and a target; parallel edges and loops are welcome."""


def graph(vertices: int, edges: Iterable[tuple[int, int]] = ()) -> Instance:
    """A graph with vertices 1 to `vertices`, and edges given by (source, target)."""
    return _graph(GRAPH, vertices, edges).build()


def path(vertices: int) -> Instance:
    """The directed path 1 -> 2 -> ... on so many vertices."""
    return graph(vertices, [(number, number + 1) for number in range(1, vertices)])


def cycle(vertices: int) -> Instance:
    """The directed cycle on so many vertices; a loop for one."""
    return graph(vertices, [(number, number % vertices + 1) for number in range(1, vertices + 1)])


def subgraph(whole: Instance, *names: str) -> Morphism:
    """The inclusion of the part of a graph that has these elements, with attributes.

    Raises:
        UnknownElement: there is no such element, or a function leads out of the part.
    """
    builder = InstanceBuilder(whole.schema)
    for name in names:
        element = whole.id_of(name)
        builder.add(whole.type_of(element), name, whole.attributes(element))
    for name in names:
        for function in whole.schema.functions_of(builder.type_of(builder.id_of(name))):
            value = whole.name_of(whole.apply(function.name, whole.id_of(name)))
            builder.set_function(function.name, builder.id_of(name), builder.id_of(value))
    return inclusion(builder.build(), whole)


def _graph(schema: Schema, vertices: int, edges: Iterable[tuple[int, int]]) -> InstanceBuilder:
    builder = InstanceBuilder(schema)
    ids = [builder.add("V", f"v{number}") for number in range(1, vertices + 1)]
    for number, (source, target) in enumerate(edges, start=1):
        edge = builder.add("E", f"e{number}")
        builder.set_function("src", edge, ids[source - 1])
        builder.set_function("tgt", edge, ids[target - 1])
    return builder
