# SPDX-License-Identifier: Apache-2.0
"""What an equitable colouring leaves open, cut into pieces that have nothing to do with each other.

Arcs into a cell of one node say nothing that the colours do not say. Nor do the arcs of a cell of
source nodes (tuples, edges) that join *all* nodes of some cells: every permutation of those extends
to them. Without these arcs, the graph falls into connected components that can be permuted, and
mapped, independently. So interchangeable objects, cliques, and copies of anything cost no search.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import perm, prod

from fcp_ros.cset.search.colour_refinement import Colouring
from fcp_ros.cset.search.elements_graph import ColouredGraph


@dataclass(frozen=True, slots=True)
class Components:
    """The pieces of a graph under an equitable colouring.

    Attributes:
        parts: the nodes of each component, ascending.
        derived: cells of source nodes in no component. Where such a node goes under an isomorphism
            follows from where its arcs lead.
        free: the other cells in no component. All bijections are equally good.
    """

    parts: list[list[int]]
    derived: list[int]
    free: list[int]

    def is_whole(self, graph: ColouredGraph, copies: int = 1) -> bool:
        """Whether nothing was cut: each of so many graphs side by side is one component."""
        return len(self.parts) == copies and sum(map(len, self.parts)) == len(graph)


def components(
    graph: ColouredGraph, colouring: Colouring, sides: Sequence[int] | None = None
) -> Components:
    """Cut a graph into components.

    Args:
        graph: with an equitable colouring.
        colouring: the colouring.
        sides: 0 or 1 for each node where the graph is two graphs side by side, whose cells have
            as many nodes on either side.
    """
    copies = 1 if sides is None else 2
    forest = _Forest(len(graph))
    derived: list[int] = []
    others: list[int] = []
    for number, cell in enumerate(colouring.cells):
        node = next(iter(cell))
        source = graph.is_source(node)
        keys = {
            key
            for key, target in graph.targets(node)
            if len(colouring.cells[colouring.colour[target]]) > copies
        }
        legs = {
            node: [target for key, target in graph.arcs[node] if key in keys]
            for node in (cell if keys else ())
        }
        if source and (not keys or _joins_all(legs, colouring, sides)):
            derived.append(number)
            continue
        others.append(number)
        for node, targets in legs.items():
            for target in targets:
                forest.join(node, target)
    parts = forest.parts(node for number in others for node in sorted(colouring.cells[number]))
    within = {colouring.colour[node] for part in parts for node in part}
    free = [number for number in others if number not in within]
    return Components(parts, derived, free)


def _joins_all(
    legs: dict[int, list[int]], colouring: Colouring, sides: Sequence[int] | None
) -> bool:
    """Whether nodes join all combinations (or all without repetition) equally often."""
    if sides is None:
        return _complete(list(legs.values()), colouring, 1)
    return all(
        _complete([to for node, to in legs.items() if sides[node] == side], colouring, 2)
        for side in (0, 1)
    )


def _complete(tuples: list[list[int]], colouring: Colouring, copies: int) -> bool:
    groups = Counter([colouring.colour[target] for target in tuples[0]])
    sizes = {cell: len(colouring.cells[cell]) // copies for cell in groups}
    everything = prod(sizes[cell] ** count for cell, count in groups.items())
    distinct = prod(perm(sizes[cell], count) for cell, count in groups.items())
    if len(tuples) % everything and (not distinct or len(tuples) % distinct):
        return False
    counts = Counter(map(tuple, tuples))
    if len(set(counts.values())) > 1:
        return False
    if len(counts) == everything:
        return True
    return len(counts) == distinct and all(len(set(one)) == len(one) for one in counts)


class _Forest:
    """Disjoint sets of nodes."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))
        self.joined: set[int] = set()

    def root(self, node: int) -> int:
        parent = self.parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def join(self, first: int, second: int) -> None:
        self.joined.update((first, second))
        low, high = sorted((self.root(first), self.root(second)))
        self.parent[high] = low

    def parts(self, nodes: Iterable[int]) -> list[list[int]]:
        """The sets among these nodes, without those nodes that were never joined."""
        found: dict[int, list[int]] = {}
        for node in nodes:
            if node in self.joined:
                found.setdefault(self.root(node), []).append(node)
        return list(found.values())
