# SPDX-License-Identifier: Apache-2.0
"""A hash of instances that does not depend on the names and ids of elements.

Colour refinement first. What it leaves open is cut into components; in each of them every node of
one cell is individualised in turn, and what follows is hashed recursively (individualisation and
refinement: McKay, "Practical graph isomorphism", 1981; McKay and Piperno, "Practical graph
isomorphism, II", 2014). No automorphism cuts the search short, and the work is counted in a unit
that isomorphic instances share; so they always come out the same, also where the bound stops it.
"""

from dataclasses import dataclass
from hashlib import blake2b

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.isomorphism.colour_refinement import Colouring, components, quotient, refine
from fcp_ros.cset.isomorphism.elements_graph import ColouredGraph, elements_graph

DEFAULT_BOUND = 200_000


@dataclass(frozen=True, slots=True)
class CanonicalHash:
    """What stands for an instance up to isomorphism.

    Attributes:
        digest: 32 hexadecimal digits.
        is_complete: whether the search went to its end. Instances with equal complete digests are
            isomorphic (but for collisions of a 128-bit hash).
    """

    digest: str
    is_complete: bool


def canonical_hash(instance: Instance, *, bound: int = DEFAULT_BOUND) -> CanonicalHash:
    """The hash of an instance up to isomorphism, the same in every process and on every machine.

    What is isomorphic: types, attribute values, function values and tuples are kept; names and ids
    do not count. Attribute variables count up to renaming, as bound names do: ``weight = ?x`` and
    ``weight = ?y`` are alike, but one variable in two places is not two variables.

    Guaranteed: isomorphic instances of one schema have equal hashes, for the same `bound`. Those
    that are not isomorphic have different ones (but for collisions of the 128-bit hash) where one
    of the two is complete. Where both are incomplete, they may collide: when colour refinement sees
    no difference, nor do the first steps from each node of the components that were given up. Those
    are connected, highly regular, and large for the bound: a cycle of 1,000 vertices, a strongly
    regular graph with 100. `is_isomorphic` tells them apart.

    Args:
        instance: what to hash.
        bound: how many nodes and arcs may be looked at in the search beyond the first colour
            refinement; about a second for a million.
    """
    read = elements_graph(instance)
    colouring = Colouring.of(read.graph)
    refine(read.graph, colouring)
    found = _certificate(read.graph, colouring, max(0, bound))
    digest = _digest(instance.schema.name, read.palette, found.digest)
    return CanonicalHash(digest.hex(), found.is_complete)


@dataclass(frozen=True, slots=True)
class _Certificate:
    digest: bytes
    is_complete: bool


def _certificate(graph: ColouredGraph, colouring: Colouring, allowance: int) -> _Certificate:
    """What stands for a graph with an equitable colouring."""
    pieces = components(graph, colouring)
    if pieces.is_whole(graph):
        return _branched(graph, colouring, allowance)
    parts = [graph.part(nodes, colouring.colour) for nodes in pieces.parts]
    total = sum(part.weight for part in parts)
    # A part may be cut again: what was one of several like it in the whole may be alone there.
    found = [
        _certificate(part, Colouring.of(part), allowance * part.weight // total) for part in parts
    ]
    described = (quotient(graph, colouring), pieces.derived, pieces.free)
    digest = _digest(described, sorted(part.digest for part in found))
    return _Certificate(digest, all(part.is_complete for part in found))


def _branched(graph: ColouredGraph, colouring: Colouring, allowance: int) -> _Certificate:
    """What stands for a graph that is one component: try each node of a cell."""
    described = quotient(graph, colouring)
    cell = branching_cell(graph, colouring)
    nodes = list(colouring.cells[cell])
    left = allowance - len(nodes) * graph.weight
    branch = _beginning if left < 0 else _whole
    share = (allowance if left < 0 else left) // len(nodes)
    found = []
    for node in nodes:
        count = len(colouring.cells)
        found.append(branch(graph, colouring, colouring.split(cell, {node}), share))
        colouring.undo(count)
    digest = _digest(described, cell, sorted(branch.digest for branch in found))
    return _Certificate(digest, all(branch.is_complete for branch in found))


def _whole(graph: ColouredGraph, colouring: Colouring, fresh: int, allowance: int) -> _Certificate:
    """What stands for a graph in which a node is individualised."""
    refine(graph, colouring, (fresh,))
    return _certificate(graph, colouring, allowance)


def _beginning(
    graph: ColouredGraph, colouring: Colouring, fresh: int, allowance: int
) -> _Certificate:
    """What is seen first from a node that is individualised, where the whole is too much."""
    refine(graph, colouring, (fresh,), limit=allowance)
    return _Certificate(_digest(colouring.shape(fresh), "given up"), False)


def branching_cell(graph: ColouredGraph, colouring: Colouring, copies: int = 1) -> int:
    """The smallest cell that has more than one node to choose from.

    Source nodes are not chosen: where they go follows from where their arcs lead.

    Args:
        graph: a component.
        colouring: an equitable colouring of it.
        copies: how many nodes of a cell are no choice.
    """
    return min(
        (len(cell), number)
        for number, cell in enumerate(colouring.cells)
        if len(cell) > copies and not graph.is_source(next(iter(cell)))
    )[1]


def _digest(*parts: object) -> bytes:
    """A hash of texts, numbers, bytes, and lists and tuples of them."""
    return blake2b(repr(parts).encode(), digest_size=16).digest()
