# SPDX-License-Identifier: Apache-2.0
"""Subinstances: parts of an instance that are closed under functions and legs.

A subobject is a class of monic morphisms (Mac Lane, *Categories for the Working Mathematician*,
V.7). Of these we take the ones that forget no type and no attribute, one for each closed set of
elements and tuples: for graphs, which have neither, these are all subobjects.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from math import prod

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.instance import Instance, UnknownElement
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.diagrams import collect_values, list_ids


def generate_subobject(instance: Instance, ids: Iterable[int]) -> Morphism:
    """Build the inclusion of the smallest subinstance with some elements and tuples.

    Elements and tuples keep their ids and names.

    Args:
        instance: the whole.
        ids: of elements and tuples; what functions and legs make of them comes along, a tuple
            between elements comes only if it is given.

    Raises:
        UnknownElement: there is no element or tuple with one of the ids.
    """
    todo, found = list(ids), set[int]()
    for id_ in todo:
        if not instance.contains(id_):
            raise UnknownElement(f"no element with id {id_} to generate a subinstance")
    while todo:
        id_ = todo.pop()
        if id_ not in found:
            found.add(id_)
            todo.extend(collect_values(instance, id_).values())
    return _include(instance, found)


def enumerate_subobjects(instance: Instance) -> Iterator[Morphism]:
    """Yield the inclusions of all subinstances, each once, lazily; the empty one is the first.

    There may be exponentially many; `count_subobjects` counts them without making them.
    """
    order, below = _find_dependencies(instance)
    for chosen in enumerate_closed_sets(below):
        yield _include(instance, {order[index] for index in chosen})


def count_subobjects(instance: Instance) -> int:
    """Count the subinstances."""
    return count_closed_sets(_find_dependencies(instance)[1])


def _find_dependencies(instance: Instance) -> tuple[list[int], list[list[int]]]:
    """List all ids, and for each the indexes of those that it cannot be without."""
    order = list(list_ids(instance))
    index = {id_: position for position, id_ in enumerate(order)}
    return order, [
        [index[other] for other in collect_values(instance, id_).values()] for id_ in order
    ]


def _include(instance: Instance, chosen: Set[int]) -> Morphism:
    """Build the inclusion of a closed set."""
    builder = start_without(instance, {id_ for id_ in list_ids(instance) if id_ not in chosen})
    part = builder.build(allow_conflicts=True)
    return Morphism(part, instance, {id_: id_ for id_ in chosen})


def start_without(instance: Instance, removed: Set[int]) -> InstanceBuilder:
    """Start a builder from an instance, with some elements and tuples removed.

    Args:
        instance: the whole; what stays keeps its ids and names.
        removed: ids, among them those of everything that refers to an element in the set.
    """
    builder = InstanceBuilder.of(instance)
    for relation in instance.schema.relations:
        for row, legs in instance.relation_table(relation.name).rows.items():
            if row in removed:
                builder.unrelate(relation.name, *legs)
    for element in instance.all_elements():
        if element in removed:
            builder.remove(element)
    return builder


# --- closed sets of a directed graph: with a node, they have all its successors
#
# Both functions branch on a node. Either it is in the set, and then everything that it reaches; or
# it is not, and then nothing that reaches it is. Sets of nodes are bit masks.


def enumerate_closed_sets(successors: Sequence[Sequence[int]]) -> Iterator[frozenset[int]]:
    """Yield all sets of nodes closed under successors, each once, the empty one first.

    Args:
        successors: of each node, by index.
    """
    reached, reaching = _compute_closures(successors)
    stack = [(0, (1 << len(successors)) - 1)]
    while stack:
        chosen, free = stack.pop()
        if not free:
            yield frozenset(_iterate_bits(chosen))
            continue
        node = free.bit_length() - 1
        stack.append((chosen | reached[node], free & ~reached[node]))
        stack.append((chosen, free & ~reaching[node]))


def count_closed_sets(successors: Sequence[Sequence[int]]) -> int:
    """Count the sets of nodes closed under successors.

    Components are counted separately, and counts of components are memoised. The problem is
    #P-complete (Provan and Ball, *The complexity of counting cuts and of computing the
    probability that a graph is connected*, 1983), so that large tangles take long.

    Args:
        successors: of each node, by index.
    """
    return _Counter(_renumber_breadth_first(successors)).count()


class _Counter:
    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        self.reached, self.reaching = _compute_closures(successors)
        pairs = zip(self.reached, self.reaching, strict=True)
        self.near = [below | above for below, above in pairs]
        self.known: dict[int, int] = {}

    def count(self) -> int:
        """Count the closed sets of the whole graph."""
        return self.count_among((1 << len(self.near)) - 1)

    def count_among(self, free: int) -> int:
        """Count the closed sets where only the free nodes are undecided."""
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
        """Choose of the nodes that decide most the middle one: it halves long chains."""
        weights = {
            node: (self.near[node] & component).bit_count() for node in _iterate_bits(component)
        }
        most = max(weights.values())
        candidates = [node for node, weight in weights.items() if weight == most]
        return candidates[len(candidates) // 2]

    def components(self, free: int) -> Iterator[int]:
        while free:
            component, border = 0, free & -free
            while border:
                component |= border
                grown = 0
                for node in _iterate_bits(border):
                    grown |= self.near[node]
                border = grown & free & ~component
            yield component
            free &= ~component


def _renumber_breadth_first(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Renumber the nodes so that near ones have near numbers."""
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


def _compute_closures(successors: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Compute the nodes that each node reaches, and those that reach it, itself included."""
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


def _iterate_bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
