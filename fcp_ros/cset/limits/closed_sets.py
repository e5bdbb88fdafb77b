# SPDX-License-Identifier: Apache-2.0
"""Closed sets of a directed graph: with a node, they have all its successors.

Both functions branch on a node: either it is in the set, and then all that can be reached from it;
or it is not, and then nothing is from which it can be reached. Sets of nodes are bit masks.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from math import prod


def closed_sets(successors: Sequence[Sequence[int]]) -> Iterator[frozenset[int]]:
    """All closed sets, each once, the empty one first.

    Args:
        successors: of each node, by index.
    """
    reached, reaching = _closures(successors)
    stack = [(0, (1 << len(successors)) - 1)]
    while stack:
        chosen, free = stack.pop()
        if not free:
            yield frozenset(_bits(chosen))
            continue
        node = free.bit_length() - 1
        stack.append((chosen | reached[node], free & ~reached[node]))
        stack.append((chosen, free & ~reaching[node]))


def count_closed_sets(successors: Sequence[Sequence[int]]) -> int:
    """How many closed sets there are.

    What is not connected is counted apart, and what was counted before is not counted again. The
    problem is #P-complete (Provan and Ball, *The complexity of counting cuts and of computing the
    probability that a graph is connected*, 1983), so that large tangles take long.

    Args:
        successors: of each node, by index.
    """
    return _Counter(_in_breadth_first_order(successors)).count()


class _Counter:
    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        self.reached, self.reaching = _closures(successors)
        pairs = zip(self.reached, self.reaching, strict=True)
        self.near = [below | above for below, above in pairs]
        self.known: dict[int, int] = {}

    def count(self) -> int:
        """The number of closed sets of the whole graph."""
        return self.count_among((1 << len(self.near)) - 1)

    def count_among(self, free: int) -> int:
        """The number of closed sets where only the free nodes are not decided yet."""
        return prod(self.count_component(component) for component in self.components(free))

    def count_component(self, component: int) -> int:
        found = self.known.get(component)
        if found is None:
            node = self.pivot(component)
            found = self.count_among(component & ~self.reached[node])
            found += self.count_among(component & ~self.reaching[node])
            self.known[component] = found
        return found

    def pivot(self, component: int) -> int:
        """Of the nodes that decide most, the middle one: it cuts long chains in halves."""
        weights = {node: (self.near[node] & component).bit_count() for node in _bits(component)}
        most = max(weights.values())
        candidates = [node for node, weight in weights.items() if weight == most]
        return candidates[len(candidates) // 2]

    def components(self, free: int) -> Iterator[int]:
        while free:
            component, border = 0, free & -free
            while border:
                component |= border
                grown = 0
                for node in _bits(border):
                    grown |= self.near[node]
                border = grown & free & ~component
            yield component
            free &= ~component


def _in_breadth_first_order(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The same graph with nodes renumbered so that near ones have near numbers."""
    near: list[list[int]] = [list(nodes) for nodes in successors]
    for node, nodes in enumerate(successors):
        for other in nodes:
            near[other].append(node)
    position: dict[int, int] = {}
    for start in range(len(successors)):
        queue = deque([start])
        while queue:
            node = queue.popleft()
            if node not in position:
                position[node] = len(position)
                queue.extend(near[node])
    return [[position[other] for other in successors[node]] for node in position]


def _closures(successors: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """What can be reached from each node, and from what it can be reached; itself included."""
    reached, reaching = [0] * len(successors), [0] * len(successors)
    for start in range(len(successors)):
        todo = [start]
        while todo:
            node = todo.pop()
            if not reached[start] >> node & 1:
                reached[start] |= 1 << node
                reaching[node] |= 1 << start
                todo.extend(successors[node])
    return reached, reaching


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
