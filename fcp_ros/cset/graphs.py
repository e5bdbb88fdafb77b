# SPDX-License-Identifier: Apache-2.0
"""Directed multigraphs, the simplest C-sets: examples of everything that this layer does.

Vertices are named ``v1, v2, ...``, edges ``e1, e2, ...``, as in the literature.
"""

from collections.abc import Iterable

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import Function, Schema

GRAPH = Schema("graph", {"V": (), "E": ()}, (Function("src", "E", "V"), Function("tgt", "E", "V")))
"""Edges with a source and a target; parallel edges and loops are welcome."""


def graph(vertices: int, edges: Iterable[tuple[int, int]] = ()) -> Instance:
    """A graph with vertices 1 to `vertices`, and edges given by (source, target)."""
    builder = InstanceBuilder(GRAPH)
    ids = [builder.add("V", f"v{number}") for number in range(1, vertices + 1)]
    for number, (source, target) in enumerate(edges, start=1):
        edge = builder.add("E", f"e{number}")
        builder.set_function("src", edge, ids[source - 1])
        builder.set_function("tgt", edge, ids[target - 1])
    return builder.build()


def path(vertices: int) -> Instance:
    """The directed path 1 -> 2 -> ... on so many vertices."""
    return graph(vertices, [(number, number + 1) for number in range(1, vertices)])


def cycle(vertices: int) -> Instance:
    """The directed cycle on so many vertices; a loop for one."""
    return graph(vertices, [(number, number % vertices + 1) for number in range(1, vertices + 1)])


def edges_of(instance: Instance) -> list[tuple[str, str]]:
    """The (source name, target name) pairs of a graph's edges, sorted."""
    return sorted(
        (
            instance.name_of(instance.apply("src", edge)),
            instance.name_of(instance.apply("tgt", edge)),
        )
        for edge in instance.elements("E")
    )
