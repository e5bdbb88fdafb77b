# SPDX-License-Identifier: Apache-2.0
"""Colour refinement: nodes of one colour that see different colours get different colours.

The coarsest equitable partition (stable colouring), which one-dimensional Weisfeiler-Leman finds,
with the worklist of Hopcroft and of Paige and Tarjan ("Three partition refinement algorithms",
1987): of the parts of a cell, all but the largest are queued again, so that the whole takes
O((nodes + arcs) log nodes). Colours are numbered in an order that depends only on the graph up to
isomorphism, as in McKay, "Practical graph isomorphism" (1981), section 2.
"""

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import perm, prod

from fcp_ros.cset.isomorphism.elements_graph import ColouredGraph


@dataclass(frozen=True, slots=True)
class Colouring:
    """A partition of the nodes of a graph into numbered cells, split in place and undone.

    Attributes:
        colour: the cell of each node.
        cells: the nodes of each cell; none is empty.
        origins: the cell that each cell was split off from; itself for those of the beginning.
    """

    colour: list[int]
    cells: list[set[int]]
    origins: list[int]

    @classmethod
    def of(cls, graph: ColouredGraph) -> "Colouring":
        """Number the graph's own colours from 0 on without gaps, in the same order."""
        rank = {old: new for new, old in enumerate(sorted(set(graph.colours)))}
        colour = [rank[old] for old in graph.colours]
        cells: list[set[int]] = [set() for _ in rank]
        for node, cell in enumerate(colour):
            cells[cell].add(node)
        return cls(colour, cells, list(range(len(cells))))

    def split(self, cell: int, part: set[int]) -> int:
        """Make some nodes of a cell, but not all, a new cell; return its number."""
        number = len(self.cells)
        self.cells[cell] -= part
        for node in part:
            self.colour[node] = number
        self.cells.append(part)
        self.origins.append(cell)
        return number

    def undo(self, count: int) -> None:
        """Undo splits until `count` cells are left."""
        while len(self.cells) > count:
            part, cell = self.cells.pop(), self.origins.pop()
            self.cells[cell] |= part
            for node in part:
                self.colour[node] = cell

    def shape(self, start: int) -> list[tuple[int, int]]:
        """List the cell that each new cell was split off from, with its size, from `start` on."""
        sizes = map(len, self.cells[start:])
        return list(zip(self.origins[start:], sizes, strict=True))


def refine(
    graph: ColouredGraph,
    colouring: Colouring,
    fresh: Iterable[int] | None = None,
    *,
    sides: Sequence[int] | None = None,
    limit: int | None = None,
) -> bool:
    """Make a colouring equitable, in place.

    Args:
        graph: the nodes and arcs.
        colouring: what to split; a cell's first part keeps its number, the others get new ones.
        fresh: the cells to split by. All of them by default; where a single cell of an equitable
            colouring was split, one of its parts is enough.
        sides: 0 or 1 for each node; stop as soon as a cell has more nodes on one side.
        limit: stop once this many arcs have been visited, which happens at the same point for
            isomorphic graphs.

    Returns:
        False if it was stopped.
    """
    arcs, colour, cells = graph.arcs, colouring.colour, colouring.cells
    queue = deque(range(len(cells)) if fresh is None else fresh)
    waiting = set(queue)
    looked = 0
    while queue and len(cells) < len(colour):
        splitter = queue.popleft()
        waiting.discard(splitter)
        seen: dict[int, list[int]] = {}
        for node in cells[splitter]:
            looked += len(arcs[node])
            for key, other in arcs[node]:
                found = seen.get(other)
                if found is None:
                    seen[other] = [key]
                else:
                    found.append(key)
        if limit is not None and looked > limit:
            return False
        touched: dict[int, dict[tuple[int, ...], set[int]]] = {}
        for node, keys in seen.items():
            cell = colour[node]
            if len(cells[cell]) > 1:
                if len(keys) > 1:
                    keys.sort()
                touched.setdefault(cell, {}).setdefault(tuple(keys), set()).add(node)
        for cell in sorted(touched):
            groups = touched[cell]
            if sides is not None and not all(is_balanced(part, sides) for part in groups.values()):
                return False
            parts = _split(colouring, cell, groups)
            # A cell that is not queued was split by already: all but one of its parts suffice.
            if cell not in waiting:
                parts.remove(max(parts, key=lambda part: (len(cells[part]), -part)))
            queue.extend(part for part in parts if part not in waiting)
            waiting.update(parts)
    return True


def is_balanced(nodes: set[int], sides: Sequence[int]) -> bool:
    """Return True if as many nodes are on side 0 as on side 1."""
    return 2 * sum([sides[node] for node in nodes]) == len(nodes)


def _split(colouring: Colouring, cell: int, groups: dict[tuple[int, ...], set[int]]) -> list[int]:
    """Split a cell into what no group has, and the groups in order; return the parts' numbers."""
    order = sorted(groups)
    if sum(map(len, groups.values())) == len(colouring.cells[cell]):
        order = order[1:]
    return [cell, *(colouring.split(cell, groups[signature]) for signature in order)]


def describe_quotient(graph: ColouredGraph, colouring: Colouring) -> list[object]:
    """Describe a graph by an equitable colouring, equally for isomorphic graphs.

    For each cell: the colour that its nodes have in the graph, how many there are, and how many
    arcs of which label lead from each to which cell, and back.
    """
    described: list[object] = []
    for cell in colouring.cells:
        node = next(iter(cell))
        around = Counter([(key, colouring.colour[other]) for key, other in graph.arcs[node]])
        described.append((graph.colours[node], len(cell), sorted(around.items())))
    return described


@dataclass(frozen=True, slots=True)
class Components:
    """The pieces of a graph under an equitable colouring that can be permuted independently.

    Arcs into a cell of one node add nothing to the colours. Nor do the arcs of a cell of source
    nodes (tuples, edges) that join *all* nodes of some cells: every permutation of those extends to
    them. Without these arcs, the graph falls into connected components that can be permuted, and
    mapped, independently. So interchangeable objects, cliques, and copies of anything cost no
    search.

    Attributes:
        parts: the nodes of each component, ascending.
        derived: cells of source nodes in no component. The image of such a node under an
            isomorphism follows from the images of the nodes that it points to.
        free: the other cells in no component. All bijections are equally good.
    """

    parts: list[list[int]]
    derived: list[int]
    free: list[int]

    def is_whole(self, graph: ColouredGraph, copies: int = 1) -> bool:
        """Return True if nothing was cut: each of the `copies` graphs is one component."""
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
    """Return True if nodes join all combinations (or all without repetition) equally often."""
    if sides is None:
        return _is_complete(list(legs.values()), colouring, 1)
    return all(
        _is_complete([to for node, to in legs.items() if sides[node] == side], colouring, 2)
        for side in (0, 1)
    )


def _is_complete(tuples: list[list[int]], colouring: Colouring, copies: int) -> bool:
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
    """Disjoint sets of nodes (union-find)."""

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
        """List the sets among these nodes, without nodes that were never joined."""
        found: dict[int, list[int]] = {}
        for node in nodes:
            if node in self.joined:
                found.setdefault(self.root(node), []).append(node)
        return list(found.values())
